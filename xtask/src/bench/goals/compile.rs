//! Making sense of SQL files: with nothing remembered, with all of it, and after a small edit.

use anyhow::Result;

use super::super::generate::schema;
use super::super::process::timed;
use super::super::run::Bench;
use super::super::table::median;
use super::{Goal, Unit};

const TABLES: usize = 1_000;
const ROUNDS: usize = 3;

pub(super) fn goals(bench: &Bench<'_>, label: &str) -> Result<Vec<Goal>> {
    let (database, document) = bench.project("goals_compile", TABLES)?;
    let url = bench.place.url(&database);
    let text = schema(bench.place.words(), TABLES, 0);
    let sql = bench.file("compile.sql", &text)?.display().to_string();
    let cache = bench.folder.join("cache");
    let plan = |schema: &str| timed(&mut bench.trueup(&["plan", "--url", &url, "--schema", schema]));
    let (mut raw, mut cold, mut warm, mut edited) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        bench.file("compile.sql", &text)?;
        bench.place.create("goals_raw")?;
        raw.push(timed(&mut bench.place.script("goals_raw", sql.as_ref())?)?);
        bench.place.drop("goals_raw")?;
        let known = plan(&document)?;
        std::fs::remove_dir_all(&cache)?;
        cold.push(plan(&sql)? - known);
        let again = plan(&sql)?;
        warm.push(again - known);
        let more = format!("{text}ALTER TABLE table_{} ADD COLUMN edited_{round} integer;\n", TABLES / 2 + round);
        bench.file("compile.sql", &more)?;
        edited.push(plan(&sql)? - again);
    }
    bench.place.drop(&database)?;
    let raw = median(&raw);
    let goal = |what: &str, times: &[f64], most: f64| {
        let what = format!("{label}, {TABLES} tables: {what}, beyond a compiled document, to the raw DDL of all");
        Goal::new("G16", what, median(times) / raw, most, Unit::Ratio)
    };
    Ok(vec![
        goal("a plan of SQL files, nothing remembered", &cold, 1.25),
        goal("the same files again", &warm, 0.1),
        goal("the same with a column more, beyond the unchanged files", &edited, 0.25),
    ])
}
