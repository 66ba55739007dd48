//! Changing a part of a large database, making all of one, and rehearsing.

use anyhow::Result;

use super::super::generate::{Words, schema, step};
use super::super::place::done;
use super::super::process::{timed, used};
use super::super::run::Bench;
use super::super::table::median;
use super::{Goal, Unit, ratio};

const TABLES: usize = 1_000;
const MANY: usize = 5_000;
const ROUNDS: usize = 5;

pub(super) fn goals(bench: &Bench<'_>, label: &str) -> Result<Vec<Goal>> {
    let mut goals = changes(bench, label)?;
    if bench.place.words() == Words::Postgres {
        goals.push(many(bench, label)?);
    }
    if bench.place.words() == Words::Sqlite {
        goals.extend(cold_start(bench)?);
    }
    Ok(goals)
}

/// A twentieth of the tables changes; the same is rehearsed.
fn changes(bench: &Bench<'_>, label: &str) -> Result<Vec<Goal>> {
    let (database, _) = bench.project("goals_change", TABLES)?;
    let url = bench.place.url(&database);
    let (mut dump, mut apply, mut rehearse, mut raw, mut step_raw) = (vec![], vec![], vec![], vec![], vec![]);
    let all = bench.file("all.sql", &schema(bench.place.words(), TABLES, 0))?;
    bench.place.create("goals_step")?;
    done(&mut bench.place.script("goals_step", &all)?)?;
    for round in 0..ROUNDS {
        bench.place.create("goals_raw")?;
        raw.push(timed(&mut bench.place.script("goals_raw", &all)?)?);
        bench.place.drop("goals_raw")?;
        if let Some(mut command) = bench.place.dump(&database)? {
            dump.push(timed(&mut command)?);
        }
        let document = bench.compile(&url, TABLES, round + 1)?;
        let tried = timed(&mut bench.trueup(&["rehearse", "--url", &url, "--schema", &document]))?;
        let ddl = bench.file("step.sql", &step(TABLES, round))?;
        step_raw.push(timed(&mut bench.place.script("goals_step", &ddl)?)?);
        apply.push(timed(&mut bench.trueup(&["apply", "--yes", "--url", &url, "--schema", &document]))?);
        rehearse.push(tried - apply[round]);
    }
    for database in [&database, "goals_step"] {
        bench.place.drop(database)?;
    }
    let mut goals = Vec::new();
    let what = |what: &str| format!("{label}, {TABLES} tables: {what}");
    if bench.place.words() == Words::Postgres {
        let figure = ratio(&apply, &dump);
        goals.push(Goal::new("G10", what("apply, 5 % change, to `pg_dump -s`"), figure, 1.2, Unit::Ratio));
    }
    let copy = ratio(&rehearse, &raw);
    goals.push(Goal::new("G15", what("rehearsal, beyond the apply, to the raw DDL of all"), copy, 1.3, Unit::Ratio));
    Ok(goals)
}

/// A large schema is made from nothing, beside a client that commits each statement.
fn many(bench: &Bench<'_>, label: &str) -> Result<Goal> {
    let (database, document) = bench.project("goals_many", MANY)?;
    let url = bench.place.url(&database);
    let all = bench.file("all.sql", &schema(bench.place.words(), MANY, 0))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        bench.place.create(&database)?;
        theirs.push(timed(&mut bench.place.autocommit(&database, &all)?)?);
        bench.place.create(&database)?;
        ours.push(timed(&mut bench.trueup(&["apply", "--yes", "--url", &url, "--schema", &document]))?);
    }
    bench.place.drop(&database)?;
    let what = format!("{label}, {MANY} tables made: apply, to `psql` without a transaction");
    Ok(Goal::new("G11", what, ratio(&ours, &theirs), 1.1, Unit::Ratio))
}

/// The program alone, and with two documents.
fn cold_start(bench: &Bench<'_>) -> Result<Vec<Goal>> {
    let (database, _) = bench.project("goals_cold", 100)?;
    let url = bench.place.url(&database);
    let mut documents = Vec::new();
    for steps in [0, 1] {
        let kept = bench.folder.join(format!("cold_{steps}.json"));
        std::fs::copy(bench.compile(&url, 100, steps)?, &kept)?;
        documents.push(kept.display().to_string());
    }
    bench.place.drop(&database)?;
    let times = |words: &[&str]| -> Result<f64> {
        let times: Result<Vec<f64>> = (0..21).map(|_| Ok(used(&mut bench.trueup(words), &[0])?.seconds)).collect();
        Ok(median(&times?) * 1e3)
    };
    let version = times(&["--version"])?;
    let diff = times(&["diff", "--from", &documents[0], "--to", &documents[1]])?;
    let goal = |what: &str, figure: f64| Goal::new("G14", what.to_owned(), figure, 15.0, Unit::Milliseconds);
    Ok(vec![goal("`--version`", version), goal("`diff` of two documents of 100 tables", diff)])
}
