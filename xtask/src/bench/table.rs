//! What was measured, as a table of the manual.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// One server with one size of schema. Times are seconds.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) server: String,
    pub(crate) tables: usize,
    pub(crate) rounds: usize,
    /// Without a `pg_dump` of the server's version there is nothing to compare with.
    pub(crate) dump: Option<Vec<f64>>,
    pub(crate) inspect: Vec<f64>,
    pub(crate) plan: Vec<f64>,
}

impl Measured {
    pub(crate) fn row(&self) -> String {
        let ratio = |times: &[f64]| {
            self.dump.as_ref().map_or_else(
                || "—".to_owned(),
                |dump| {
                    let pairs: Vec<f64> = times.iter().zip(dump).map(|(time, dump)| time / dump).collect();
                    format!("{:.2}", median(&pairs))
                },
            )
        };
        let dump = self.dump.as_ref().map_or_else(|| "no client".to_owned(), |dump| format!("{:.2} s", median(dump)));
        format!(
            "| {} | {} | {} | {dump} | {:.2} s | {} | {:.2} s | {} |",
            self.server,
            self.tables,
            self.rounds,
            median(&self.inspect),
            ratio(&self.inspect),
            median(&self.plan),
            ratio(&self.plan),
        )
    }
}

/// The middle one, or the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.get(sorted.len() / 2), sorted.len() % 2) {
        (Some(upper), 0) => f64::midpoint(sorted[sorted.len() / 2 - 1], *upper),
        (Some(middle), _) => *middle,
        (None, _) => f64::NAN,
    }
}

pub(crate) fn markdown(measured: &[Measured]) -> String {
    let mut out = "| server | tables | rounds | `pg_dump -s` | `inspect` | ÷ dump | no-op `plan` | ÷ dump |\n\
                   | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for row in measured {
        writeln!(out, "{}", row.row()).ok();
    }
    out
}

const BEGIN: &str = "<!-- bench: written by cargo xtask bench -->\n";
const END: &str = "<!-- end of bench -->\n";

/// Puts the table into the document, between its marks.
pub(crate) fn write(document: &Path, table: &str) -> Result<()> {
    let text = std::fs::read_to_string(document).with_context(|| format!("cannot read {}", document.display()))?;
    let new = replaced(&text, table).with_context(|| format!("{} has no marks for the table", document.display()))?;
    std::fs::write(document, new).with_context(|| format!("cannot write {}", document.display()))
}

fn replaced(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{table}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_pairs() {
        let measured = Measured {
            server: "PostgreSQL 18".to_owned(),
            tables: 1000,
            rounds: 3,
            dump: Some(vec![1.0, 2.0, 4.0]),
            inspect: vec![0.5, 0.5, 0.5],
            plan: vec![1.0, 1.0, 8.0],
        };
        assert_eq!(measured.row(), "| PostgreSQL 18 | 1000 | 3 | 2.00 s | 0.50 s | 0.25 | 1.00 s | 1.00 |");
        assert!(Measured { dump: None, ..measured }.row().contains("| no client | 0.50 s | — |"));
        assert!((median(&[1.0, 4.0]) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn only_the_table_is_replaced() {
        let text = format!("a\n{BEGIN}old\n{END}b\n");
        assert_eq!(replaced(&text, "new\n").unwrap(), format!("a\n{BEGIN}new\n{END}b\n"));
        assert!(replaced("no marks", "new").is_none());
    }
}
