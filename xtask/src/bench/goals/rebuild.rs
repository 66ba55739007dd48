//! Tables of SQLite that are made anew.

use anyhow::Result;

use super::super::generate::{Words, loosened, rebuild};
use super::super::place::done;
use super::super::process::timed;
use super::super::run::Bench;
use super::super::table::median;
use super::{Goal, Unit};

const TABLES: usize = 1_000;
const ROUNDS: usize = 3;

pub(super) fn goals(bench: &Bench<'_>, label: &str) -> Result<Vec<Goal>> {
    if bench.place.words() != Words::Sqlite {
        return Ok(Vec::new());
    }
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (database, _) = bench.project("goals_rebuild", TABLES)?;
        let url = bench.place.url(&database);
        let document = bench.compile_text(&url, &loosened(bench.place.words(), TABLES))?;
        let look = timed(&mut bench.trueup(&["plan", "--url", &url, "--schema", &document]))?;
        let inspect = timed(&mut bench.trueup(&["inspect", "--url", &url, "--format", "json"]))?;
        let apply = timed(&mut bench.trueup(&["apply", "--yes", "--url", &url, "--schema", &document]))?;
        ours.push(apply - look - inspect);
        bench.place.drop(&database)?;
        let (raw, _) = bench.project("goals_rebuild_raw", TABLES)?;
        let script = bench.file("rebuild.sql", &rebuild(TABLES))?;
        theirs.push(timed(&mut bench.place.autocommit(&raw, &script)?)?);
        done(&mut bench.trueup(&["plan", "--url", &bench.place.url(&raw), "--schema", &document, "--exit-code"]))?;
        bench.place.drop(&raw)?;
    }
    let what = format!(
        "{label}, {TABLES} tables, every twentieth made anew: apply, beyond a plan and a look, to the raw script"
    );
    Ok(vec![Goal::new("G12", what, median(&ours) / median(&theirs), 1.1, Unit::Ratio)])
}
