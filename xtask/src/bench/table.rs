//! What was measured, as a table of the manual.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// One server with one size of schema. Times are seconds, one of each kind a round.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) server: String,
    /// What the engine's own tool is called.
    pub(crate) measure: &'static str,
    pub(crate) tables: usize,
    pub(crate) rounds: usize,
    /// The engine's own tool; empty where the machine has none of the server's version.
    pub(crate) dump: Vec<f64>,
    pub(crate) inspect: Vec<f64>,
    /// A plan of what is there.
    pub(crate) same: Vec<f64>,
    /// A plan that changes a twentieth of the tables.
    pub(crate) plan: Vec<f64>,
    /// The same change by the engine's client.
    pub(crate) raw: Vec<f64>,
    pub(crate) apply: Vec<f64>,
    /// An apply that believes the history.
    pub(crate) trusted: Vec<f64>,
}

impl Measured {
    pub(crate) fn new(server: &str, measure: &'static str, tables: usize, rounds: usize) -> Self {
        let none = Vec::new;
        Self {
            server: server.to_owned(),
            measure,
            tables,
            rounds,
            dump: none(),
            inspect: none(),
            same: none(),
            plan: none(),
            raw: none(),
            apply: none(),
            trusted: none(),
        }
    }

    pub(crate) fn row(&self) -> String {
        let dump = if self.dump.is_empty() {
            format!("no `{}`", self.measure)
        } else {
            format!("{:.3} s `{}`", median(&self.dump), self.measure)
        };
        let timed = |times: &[f64]| match self.ratio(times) {
            Some(ratio) => format!("{:.3} s, {ratio:.2}", median(times)),
            None => format!("{:.3} s", median(times)),
        };
        format!(
            "| {} | {} | {} | {dump} | {} | {} | {} | {} | {:.3} s | {:.3} s |",
            self.server,
            self.tables,
            self.rounds,
            timed(&self.inspect),
            timed(&self.same),
            timed(&self.plan),
            timed(&self.apply),
            median(&self.raw),
            median(&self.trusted),
        )
    }

    /// The median of the ratios to the engine's own tool in the same round.
    fn ratio(&self, times: &[f64]) -> Option<f64> {
        let pairs: Vec<f64> = times.iter().zip(&self.dump).map(|(time, dump)| time / dump).collect();
        (!pairs.is_empty()).then(|| median(&pairs))
    }
}

/// The middle one, or the mean of the two in the middle.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.get(sorted.len() / 2), sorted.len() % 2) {
        (Some(upper), 0) => f64::midpoint(sorted[sorted.len() / 2 - 1], *upper),
        (Some(middle), _) => *middle,
        (None, _) => f64::NAN,
    }
}

pub(crate) fn markdown(measured: &[Measured]) -> String {
    let mut out = "| server | tables | rounds | own tool | `inspect` | plan, nothing to do | plan, 5 % change | apply, 5 % change | \
                   raw DDL of that | apply, trusted |\n\
                   | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for row in measured {
        writeln!(out, "{}", row.row()).ok();
    }
    out
}

/// Puts the table called `name` into the document, between its marks.
pub(crate) fn write(document: &Path, name: &str, table: &str) -> Result<()> {
    let text = std::fs::read_to_string(document).with_context(|| format!("cannot read {}", document.display()))?;
    let new = replaced(&text, name, table)
        .with_context(|| format!("{} has no marks for the table `{name}`", document.display()))?;
    std::fs::write(document, new).with_context(|| format!("cannot write {}", document.display()))
}

fn replaced(text: &str, name: &str, table: &str) -> Option<String> {
    let begin = format!("<!-- {name}: written by cargo xtask bench -->\n");
    let end = format!("<!-- end of {name} -->\n");
    let (before, rest) = text.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{table}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_pairs() {
        let measured = Measured {
            dump: vec![1.0, 2.0, 4.0],
            inspect: vec![0.5, 0.5, 0.5],
            same: vec![1.0, 1.0, 8.0],
            plan: vec![1.0, 2.0, 4.0],
            raw: vec![0.1, 0.1, 0.1],
            apply: vec![2.0, 2.0, 2.0],
            trusted: vec![0.01, 0.01, 0.01],
            ..Measured::new("PostgreSQL 18", "pg_dump -s", 1000, 3)
        };
        assert_eq!(
            measured.row(),
            "| PostgreSQL 18 | 1000 | 3 | 2.000 s `pg_dump -s` | 0.500 s, 0.25 | 1.000 s, 1.00 | 2.000 s, 1.00 | \
             2.000 s, 1.00 | 0.100 s | 0.010 s |"
        );
        assert!(Measured { dump: vec![], ..measured }.row().contains("| no `pg_dump -s` | 0.500 s |"));
        assert!((median(&[1.0, 4.0]) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn only_the_table_is_replaced() {
        let text = |table: &str| format!("a\n<!-- b: written by cargo xtask bench -->\n{table}<!-- end of b -->\nc\n");
        assert_eq!(replaced(&text("old\n"), "b", "new\n").unwrap(), text("new\n"));
        assert!(replaced(&text("old\n"), "d", "new\n").is_none());
    }
}
