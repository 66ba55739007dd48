//! What planning costs without a server, and how it grows.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};

use crate::context::Context;

/// The sizes that the bench of the facade takes, in tables.
const SIZES: [u32; 3] = [100, 1_000, 10_000];

/// The parts that it times, as it calls them.
const PARTS: [&str; 4] = ["hash", "diff, nothing to do", "diff and order, 5 % change", "render, 5 % change"];

/// Runs the bench and returns its figures as a table of the manual.
pub(super) fn measure(context: &Context) -> Result<String> {
    let home = tempfile::TempDir::with_prefix("trueup-bench-").context("cannot make a temporary folder")?;
    let mut cargo = context.cargo(&["bench", "-q", "-p", "trueup", "--bench", "pure"]);
    let status = cargo.env("CRITERION_HOME", home.path()).stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "the bench failed");
    let mut parts = Vec::new();
    for part in PARTS {
        let times = SIZES.map(|tables| median(home.path(), part, tables));
        parts.push((part, times.into_iter().collect::<Result<Vec<f64>>>()?));
    }
    Ok(markdown(&parts))
}

/// The median of a part at a size, in seconds, from what criterion wrote.
fn median(home: &Path, part: &str, tables: u32) -> Result<f64> {
    let file = home.join(part).join(tables.to_string()).join("new/estimates.json");
    let text = std::fs::read_to_string(&file).with_context(|| format!("no figures for `{part}` at {tables} tables"))?;
    let estimates: serde_json::Value = serde_json::from_str(&text)?;
    let nanoseconds = estimates["median"]["point_estimate"].as_f64().context("figures without a median")?;
    Ok(nanoseconds / 1e9)
}

fn markdown(parts: &[(&str, Vec<f64>)]) -> String {
    let mut out =
        "| part | 100 tables | 1,000 tables | 10,000 tables | exponent |\n| --- | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for (part, times) in parts {
        let cells: Vec<String> = times.iter().map(|time| format!("{:.2} ms", time * 1e3)).collect();
        writeln!(out, "| {part} | {} | {:.2} |", cells.join(" | "), exponent(times)).ok();
    }
    out
}

/// How the time grows with the number of tables between the two largest sizes: 1 is linear.
fn exponent(times: &[f64]) -> f64 {
    match times {
        [.., smaller, larger] => (larger / smaller).log10() / (f64::from(SIZES[2]) / f64::from(SIZES[1])).log10(),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_an_exponent() {
        assert!((exponent(&[0.001, 0.01, 0.1]) - 1.0).abs() < 1e-9);
        assert!((exponent(&[0.001, 0.01, 1.0]) - 2.0).abs() < 1e-9);
        assert_eq!(
            markdown(&[("hash", vec![0.001, 0.01, 0.1])]).lines().last(),
            Some("| hash | 1.00 ms | 10.00 ms | 100.00 ms | 1.00 |")
        );
    }

    #[test]
    fn figures_are_those_of_criterion() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("hash/100/new");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("estimates.json"), r#"{"median":{"point_estimate":2000000.0}}"#).unwrap();
        assert!((median(home.path(), "hash", 100).unwrap() - 0.002).abs() < 1e-12);
        assert!(median(home.path(), "hash", 1000).unwrap_err().to_string().contains("`hash` at 1000"));
    }
}
