//! Looking at a database, and finding nothing to do.

use anyhow::Result;

use super::super::generate::{Words, schema};
use super::super::place::done;
use super::super::process::{Used, timed, used};
use super::super::run::Bench;
use super::super::table::median;
use super::{Goal, Unit, ratio};

/// Sizes with the number of rounds for each.
const SIZES: [(usize, usize); 3] = [(100, 7), (1_000, 7), (5_000, 3)];

/// SQLite's own CREATE is quadratic: beyond this it takes minutes.
const MOST_ON_SQLITE: usize = 1_000;

/// Tables of other projects on the same server.
const FOREIGN: usize = 10_000;

/// What looking at one size took, a figure each round.
#[derive(Debug, Default)]
struct Looks {
    /// The engine's own tool.
    dump: Vec<f64>,
    /// The facts alone, by the engine's client.
    floor: Vec<f64>,
    inspect: Vec<f64>,
    /// A plan of a compiled document where nothing is to do.
    same: Vec<Used>,
    /// The same, where the last run's record is believed.
    trusted: Vec<f64>,
}

impl Looks {
    fn same_seconds(&self) -> Vec<f64> {
        self.same.iter().map(|used| used.seconds).collect()
    }

    fn cpu(&self) -> f64 {
        median(&self.same.iter().map(|used| used.cpu).collect::<Vec<f64>>())
    }

    fn peak(&self) -> f64 {
        self.same.iter().map(|used| used.peak as f64 / 1e6).fold(0.0, f64::max)
    }
}

pub(super) fn goals(bench: &Bench<'_>, label: &str) -> Result<Vec<Goal>> {
    let mut goals = Vec::new();
    let mut cpu = Vec::new();
    let words = bench.place.words();
    let sizes = SIZES.into_iter().filter(|(tables, _)| words != Words::Sqlite || *tables <= MOST_ON_SQLITE);
    for (tables, rounds) in sizes {
        let looks = looks(bench, tables, rounds)?;
        let what = |what: &str| format!("{label}, {tables} tables: {what}");
        match words {
            Words::Postgres => of_dump(&looks, tables, what, &mut goals),
            Words::MariaDb if tables == 1_000 => {
                let figure = ratio(&looks.inspect, &looks.floor);
                goals.push(Goal::new("G5", what("`inspect`, to seven pinned reads"), figure, 2.0, Unit::Ratio));
            }
            Words::Sqlite if tables == 1_000 => {
                let figure = ratio(&looks.inspect, &looks.floor);
                goals.push(Goal::new("G6", what("`inspect`, to four pragma reads"), figure, 2.0, Unit::Ratio));
            }
            Words::MariaDb | Words::Sqlite => {}
        }
        let trusted = median(&looks.trusted) * 1e3;
        goals.push(Goal::new("G4", what("`apply --trust-history`, nothing to do"), trusted, 20.0, Unit::Milliseconds));
        let most = [(100, 15.0), (1_000, 40.0), (5_000, 130.0)].into_iter().find(|(size, _)| *size == tables);
        if let Some((_, most)) = most {
            goals.push(Goal::new("G8", what("memory of a plan, nothing to do"), looks.peak(), most, Unit::Megabytes));
        }
        cpu.push((tables, looks.cpu()));
    }
    if let [.., (small, few), (large, many)] = cpu.as_slice()
        && *small >= 1_000
    {
        let exponent = (many / few).ln() / (*large as f64 / *small as f64).ln();
        let what = format!("{label}: processor time of a plan, {small} to {large} tables");
        goals.push(Goal::new("G9", what, exponent, 1.1, Unit::Exponent));
    }
    if words == Words::MariaDb {
        goals.push(among_others(bench, label)?);
    }
    Ok(goals)
}

/// What is promised against PostgreSQL's own tool.
fn of_dump(looks: &Looks, tables: usize, what: impl Fn(&str) -> String, goals: &mut Vec<Goal>) {
    let inspect = [(100, 0.75), (1_000, 0.5), (5_000, 0.4)].into_iter().find(|(size, _)| *size == tables);
    if let Some((_, most)) = inspect {
        let figure = ratio(&looks.inspect, &looks.dump);
        goals.push(Goal::new("G2", what("`inspect`, to `pg_dump -s`"), figure, most, Unit::Ratio));
    }
    if tables == 1_000 {
        let figure = ratio(&looks.same_seconds(), &looks.dump);
        goals.push(Goal::new("G3", what("plan, nothing to do, to `pg_dump -s`"), figure, 0.6, Unit::Ratio));
    }
}

fn looks(bench: &Bench<'_>, tables: usize, rounds: usize) -> Result<Looks> {
    let (database, document) = bench.project("goals_look", tables)?;
    let url = bench.place.url(&database);
    let mut looks = Looks::default();
    for _ in 0..rounds {
        if let Some(mut dump) = bench.place.dump(&database)? {
            looks.dump.push(timed(&mut dump)?);
        }
        if let Some(mut floor) = bench.place.floor(&database)? {
            looks.floor.push(timed(&mut floor)?);
        }
        looks.inspect.push(timed(&mut bench.trueup(&["inspect", "--url", &url, "--format", "json"]))?);
        let plan = ["plan", "--url", &url, "--schema", &document, "--exit-code"];
        looks.same.push(used(&mut bench.trueup(&plan), &[0])?);
        let apply = ["apply", "--yes", "--url", &url, "--schema", &document, "--trust-history"];
        looks.trusted.push(timed(&mut bench.trueup(&apply))?);
    }
    bench.place.drop(&database)?;
    Ok(looks)
}

/// What other schemas on the server cost.
fn among_others(bench: &Bench<'_>, label: &str) -> Result<Goal> {
    let (database, _) = bench.project("goals_own", 100)?;
    let url = bench.place.url(&database);
    let inspect = || timed(&mut bench.trueup(&["inspect", "--url", &url, "--format", "json"]));
    let alone: Vec<f64> = (0..7).map(|_| inspect()).collect::<Result<_>>()?;
    let others = "goals_others";
    bench.place.create(others)?;
    let sql = bench.file("others.sql", &schema(bench.place.words(), FOREIGN, 0))?;
    done(&mut bench.place.script(others, &sql)?)?;
    inspect()?;
    let among: Vec<f64> = (0..7).map(|_| inspect()).collect::<Result<_>>()?;
    for database in [&database, others] {
        bench.place.drop(database)?;
    }
    let what = format!("{label}: `inspect` of 100 tables beside {FOREIGN} of other schemas, to it alone");
    Ok(Goal::new("G5", what, median(&among) / median(&alone), 1.5, Unit::Ratio))
}
