//! Runs that are hit at every point, and what the next runs make of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use trueup::schema::DialectId;

use crate::arena::{Arena, Place};
use crate::job::{Blow, Call, Job, Strike, When};
use crate::kinds::{Kind, kinds};
use crate::points::points;
use crate::process::spawn;

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) places: Vec<Place>,
    pub(crate) seed: u64,
    /// How many cells per place; all without.
    pub(crate) sample: Option<usize>,
    /// Only kinds whose name holds this, races of so many runners, or the storm of this name.
    pub(crate) only: Option<String>,
    pub(crate) binary: PathBuf,
    /// Where the programs of servers are kept.
    pub(crate) cache: Option<PathBuf>,
}

/// One cell of the matrix.
#[derive(Debug, Clone)]
struct Cell {
    point: String,
    strike: Strike,
    /// A second strike, at the run that recovers.
    again: Option<Strike>,
}

/// How cells ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) cells: usize,
    pub(crate) converged: usize,
    pub(crate) refused: usize,
    /// Cells whose blow fell when the run was over.
    pub(crate) missed: usize,
    pub(crate) reruns: BTreeMap<usize, usize>,
    pub(crate) points: BTreeMap<String, usize>,
    pub(crate) failures: Vec<String>,
}

/// How one cell ended.
enum End {
    Converged { reruns: usize, was_hit: bool },
    Refused(String),
}

/// Runs the matrix on one place.
pub(crate) async fn matrix(place: Place, wanted: &Wanted) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut random = StdRng::seed_from_u64(wanted.seed);
    let arena = Arena::new(&place)?;
    let kinds: Vec<Kind> = kinds(place.dialect());
    let chosen = choose(&kinds, wanted, &mut random);
    for number in chosen {
        let (Some(kind), share) = (kinds.get(number), share(wanted)) else { continue };
        let result = kind_cells(&arena, number, kind, share, wanted, &mut random, &mut tally).await;
        println!("  {} {}: {} cells so far", place.name, kind.name, tally.cells);
        if let Err(error) = result {
            tally.failures.push(format!("{} {}: cannot be run: {error:#}", place.name, kind.name));
        }
    }
    arena.clear().await?;
    Ok(tally)
}

/// The numbers of the kinds that are run: all, or for a sample some of them.
fn choose(kinds: &[Kind], wanted: &Wanted, random: &mut StdRng) -> Vec<usize> {
    let is_meant = |kind: &Kind| wanted.only.as_ref().is_none_or(|only| kind.name.contains(only.as_str()));
    let mut numbers: Vec<usize> =
        kinds.iter().enumerate().filter(|(_, kind)| is_meant(kind)).map(|(number, _)| number).collect();
    if let Some(sample) = wanted.sample {
        numbers.shuffle(random);
        numbers.truncate(sample.div_ceil(2).max(1));
    }
    numbers
}

/// How many cells of each kind a sample takes.
fn share(wanted: &Wanted) -> Option<usize> {
    wanted.sample.map(|sample| sample.min(2))
}

async fn kind_cells(
    arena: &Arena,
    number: usize,
    kind: &Kind,
    share: Option<usize>,
    wanted: &Wanted,
    random: &mut StdRng,
    tally: &mut Tally,
) -> Result<()> {
    arena.reset(kind).await.context("the state before")?;
    let document = arena.document(kind).await.context("the declaration")?;
    let rows = arena.rows(kind).await.context("the rows")?;
    let trace = trace(arena, kind, &document, wanted).await.context("a run that nobody hits")?;
    arena.check(&document).await.context("after a run that nobody hits")?;
    ensure!(arena.rows(kind).await? == rows, "a run that nobody hits changes rows");
    let mut cells = cells(arena, number, &trace, random);
    if let Some(share) = share {
        cells.shuffle(random);
        cells.truncate(share);
    }
    for cell in cells {
        tally.cells += 1;
        *tally.points.entry(cell.point.clone()).or_default() += 1;
        match run_cell(arena, kind, &document, &rows, &cell, wanted).await {
            Ok(End::Converged { reruns, was_hit }) => {
                tally.converged += 1;
                tally.missed += usize::from(!was_hit);
                *tally.reruns.entry(reruns).or_default() += 1;
            }
            Ok(End::Refused(why)) => {
                tally.refused += 1;
                println!("  {} {} {}: refused: {why}", arena.place.name, kind.name, cell.point);
            }
            Err(error) => {
                let what = format!(
                    "{} {} {} {:?} again {:?}: {error:#}",
                    arena.place.name, kind.name, cell.point, cell.strike, cell.again
                );
                println!("FAILED {what}");
                tally.failures.push(what);
            }
        }
    }
    Ok(())
}

/// Every point with a kill, K11 (the recovery is killed as well), and the other blows at a point each.
fn cells(arena: &Arena, kind: usize, trace: &[Call], random: &mut StdRng) -> Vec<Cell> {
    let mut cells = Vec::new();
    let points = points(trace);
    let pick = |places: &[(usize, When)], random: &mut StdRng| {
        (!places.is_empty()).then(|| places.get(random.random_range(0..places.len())).copied()).flatten()
    };
    for point in &points {
        if let Some((at, when)) = pick(&point.places, random) {
            let strike = Strike { at, when, blow: Blow::Kill };
            cells.push(Cell { point: point.name.to_owned(), strike, again: None });
        }
    }
    let middle: Vec<(usize, When)> = points
        .iter()
        .filter(|point| ["K3", "K4", "K5", "K6"].contains(&point.name))
        .flat_map(|point| point.places.clone())
        .collect();
    if let Some((at, when)) = pick(&middle, random) {
        let side = if random.random_bool(0.5) { When::Before } else { When::After };
        let again = Strike { at: random.random_range(1..trace.len() + 10), when: side, blow: Blow::Kill };
        let strike = Strike { at, when, blow: Blow::Kill };
        cells.push(Cell { point: "K11".to_owned(), strike, again: Some(again) });
    }
    if arena.place.dialect() != DialectId::Sqlite {
        let mut others = vec![("backend", Blow::EndBackend), ("reset", Blow::Reset)];
        if kind.is_multiple_of(9) {
            others.push(("black hole", Blow::BlackHole));
        }
        if let Some(pid) = arena.place.pid.filter(|_| kind.is_multiple_of(5)) {
            others.push(("server", Blow::EndServer { pid }));
        }
        for (name, blow) in others {
            if let Some((at, when)) = pick(&middle, random) {
                cells.push(Cell { point: name.to_owned(), strike: Strike { at, when, blow }, again: None });
            }
        }
    }
    cells
}

/// What a run calls.
pub(crate) async fn trace(arena: &Arena, kind: &Kind, document: &str, wanted: &Wanted) -> Result<Vec<Call>> {
    let path = arena.file("trace.json");
    let job = job(arena, kind, document, None, Some(path.clone()))?;
    match spawn(&job, arena, wanted).await? {
        Some(ended) => ended.status.map_err(anyhow::Error::msg)?,
        None => bail!("the run died"),
    };
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

fn job(arena: &Arena, kind: &Kind, document: &str, strike: Option<Strike>, trace: Option<PathBuf>) -> Result<Job> {
    // A short lease, so that a silent network is noticed soon.
    let is_silent = strike.as_ref().is_some_and(|strike| strike.blow == Blow::BlackHole);
    let lease_ms = if is_silent { 5_000 } else { 30_000 };
    Ok(Job { strike, trace, lease_ms, online: kind.online, ..Job::new(&arena.url()?, document) })
}

async fn run_cell(arena: &Arena, kind: &Kind, document: &str, rows: &str, cell: &Cell, wanted: &Wanted) -> Result<End> {
    arena.reset(kind).await.context("the state before")?;
    let mut was_hit = false;
    for strike in std::iter::once(&cell.strike).chain(&cell.again) {
        let job = job(arena, kind, document, Some(strike.clone()), None)?;
        let ended = spawn(&job, arena, wanted).await?;
        was_hit |= ended.as_ref().is_none_or(|ended| ended.status.is_err());
        if matches!(strike.blow, Blow::EndServer { .. }) {
            crate::servers::revive(&arena.place).await?;
        }
    }
    let mut said = Vec::new();
    for reruns in 1..=2 {
        let job = job(arena, kind, document, None, None)?;
        let Some(ended) = spawn(&job, arena, wanted).await? else { bail!("a run that nobody hits died") };
        match ended.status {
            Ok(_) => {
                arena.check(document).await.with_context(|| format!("after {reruns} further runs, {said:?}"))?;
                let now = arena.rows(kind).await?;
                ensure!(now == rows, "rows changed from\n{rows}to\n{now}");
                return Ok(End::Converged { reruns, was_hit });
            }
            Err(why) if why.contains("trueup ledger resolve") => return Ok(End::Refused(why)),
            Err(why) => said.push(why),
        }
    }
    bail!("still not there after two further runs: {}", said.join("\n  then: "))
}
