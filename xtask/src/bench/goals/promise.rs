//! A promise, and what was found of it.

use std::fmt::Write as _;

use anyhow::Result;

use super::super::run::{Bench, Machine};
use super::super::table::median;
use super::{compile, create, look, rebuild};

/// One promise and what was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Goal {
    /// Its number.
    id: &'static str,
    /// Where, how large, what against what.
    what: String,
    figure: f64,
    /// What the figure must not be above.
    most: f64,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Times something else of the same run.
    Ratio,
    Milliseconds,
    Megabytes,
    /// Of the growth with the number of tables; 1 is linear.
    Exponent,
}

impl Goal {
    pub(super) const fn new(id: &'static str, what: String, figure: f64, most: f64, unit: Unit) -> Self {
        Self { id, what, figure, most, unit }
    }

    fn row(&self) -> String {
        let said = |value: f64| match self.unit {
            Unit::Ratio => format!("{value:.2} ×"),
            Unit::Milliseconds => format!("{value:.0} ms"),
            Unit::Megabytes => format!("{value:.0} MB"),
            Unit::Exponent => format!("{value:.2}"),
        };
        let met = if self.figure <= self.most { "yes" } else { "**no**" };
        format!("| {} | {} | {} | {} | {met} |", self.id, self.what, said(self.most), said(self.figure))
    }
}

/// Measures every promise.
pub(in super::super) fn measure(machine: &Machine<'_>) -> Result<String> {
    let mut goals = Vec::new();
    for version in ["postgres15", "postgres18", "mariadb11.8", "mysql9.7", "sqlite"] {
        let found = machine.with(version, |label, bench| {
            eprintln!("  goals, {label}");
            of(bench, label)
        })?;
        for goal in &found {
            println!("{}", goal.row());
        }
        goals.extend(found);
    }
    goals.sort_by_key(|goal| goal.id.trim_start_matches('G').parse::<u32>().unwrap_or(u32::MAX));
    Ok(markdown(&goals))
}

fn of(bench: &Bench<'_>, label: &str) -> Result<Vec<Goal>> {
    let mut goals = look::goals(bench, label)?;
    goals.extend(compile::goals(bench, label)?);
    goals.extend(create::goals(bench, label)?);
    goals.extend(rebuild::goals(bench, label)?);
    Ok(goals)
}

fn markdown(goals: &[Goal]) -> String {
    let mut out = "| goal | what | at most | measured | met |\n| --- | --- | ---: | ---: | --- |\n".to_owned();
    for goal in goals {
        writeln!(out, "{}", goal.row()).ok();
    }
    out
}

/// The median of the ratios of each round.
pub(super) fn ratio(times: &[f64], to: &[f64]) -> f64 {
    let pairs: Vec<f64> = times.iter().zip(to).map(|(time, to)| time / to).collect();
    median(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_says_whether_it_is_met() {
        let goal = Goal::new("G2", "somewhere".to_owned(), 0.44, 0.5, Unit::Ratio);
        assert_eq!(goal.row(), "| G2 | somewhere | 0.50 × | 0.44 × | yes |");
        let goal = Goal { figure: 21.4, most: 20.0, unit: Unit::Milliseconds, ..goal };
        assert_eq!(goal.row(), "| G2 | somewhere | 20 ms | 21 ms | **no** |");
        assert!((ratio(&[1.0, 2.0, 9.0], &[1.0, 1.0, 3.0]) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_measured_is_not_met() {
        assert!(Goal::new("G2", String::new(), f64::NAN, 1.0, Unit::Ratio).row().ends_with("| **no** |"));
    }
}
