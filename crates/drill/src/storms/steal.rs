//! A holder that sleeps while its lock is taken away, and one that only takes long.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use trueup::execute::LockBroken;

use crate::arena::{Arena, Place};
use crate::crash::{Wanted, trace};
use crate::job::{Blow, Job, Strike, When};
use crate::kinds::{Kind, kind};
use crate::log::{Log, changes_schema};
use crate::points::points;
use crate::process::{spawn, start};

/// The lease of the holder: as short as a heartbeat allows.
const LEASE: Duration = Duration::from_secs(3);
/// How long another run waits that is to give up.
const SHORT: u64 = 1_000;

/// A kind of several steps, and the calls that are its statements.
async fn begin(arena: &Arena, wanted: &Wanted) -> Result<(Kind, String, String, Vec<usize>)> {
    let kind = kind(arena.place.dialect(), "several")?;
    arena.reset(&kind).await?;
    let (document, rows) = (arena.document(&kind).await?, arena.rows(&kind).await?);
    let trace = trace(arena, &kind, &document, wanted).await?;
    let named = points(&trace).into_iter().find(|point| point.name == "K3");
    let steps = named.map(|point| point.places.iter().map(|(at, _)| *at).collect()).unwrap_or_default();
    Ok((kind, document, rows, steps))
}

/// The holder is stopped before a statement, for twice its lease; others cannot take what its session still holds, until that
/// session is ended; then one of them does the work; the holder goes on, and nothing of what it says is done.
pub(crate) async fn steal(place: &Place, wanted: &Wanted) -> Result<String> {
    let arena = Arena::new(place)?;
    let (kind, document, rows, steps) = begin(&arena, wanted).await?;
    let rounds = wanted.sample.unwrap_or(10).min(10);
    for round in 0..rounds {
        let at = *steps.get(round % steps.len().max(1)).context("a plan without statements")?;
        let strike = Strike { at, when: When::Before, blow: Blow::Stop };
        stolen(&arena, &kind, &document, strike, wanted).await.with_context(|| format!("round {round}"))?;
        arena.check(&document).await?;
        ensure!(arena.rows(&kind).await? == rows, "rows changed");
    }
    arena.clear().await?;
    let seen =
        if place.pid.is_some() { "0 statements of the old epoch in the server's log" } else { "no log to look at" };
    Ok(format!("{rounds} rounds, the lock taken from a sleeping holder {rounds} times; {seen}"))
}

async fn stolen(arena: &Arena, kind: &Kind, document: &str, strike: Strike, wanted: &Wanted) -> Result<()> {
    arena.reset(kind).await?;
    let log = Log::open(arena).await?;
    let lease_ms = u64::try_from(LEASE.as_millis())?;
    let holding = Job { strike: Some(strike), lease_ms, ..Job::new(&arena.url()?, document) };
    let mut holder = start(&holding, arena, wanted)?;
    holder.until_stopped().await?;
    tokio::time::sleep(LEASE * 2).await;
    let impatient = Job { lock_wait_ms: SHORT, ..Job::new(&arena.url()?, document) };
    match spawn(&impatient, arena, wanted).await?.context("a run died")?.status {
        Err(why) if why.contains("the lock was not free within") && why.contains("held by") => {}
        other => bail!("a lease that ran out was enough to take the lock of a session that lives: {other:?}"),
    }
    match arena.pipeline()?.break_lock(true).await? {
        LockBroken::Broken { was_ended: true, .. } => {}
        other @ (LockBroken::Broken { .. } | LockBroken::NotHeld | LockBroken::Held(_)) => {
            bail!("not broken: {other:?}")
        }
    }
    let next = spawn(&Job::new(&arena.url()?, document), arena, wanted).await?.context("a run died")?;
    next.status.map_err(|why| anyhow::anyhow!("the next run: {why}"))?;
    let before = log.statements(arena).await?.map_or(0, |all| all.len());
    holder.go_on()?;
    let ended = holder.end().await?.context("the holder died")?;
    ensure!(ended.status.is_err(), "the holder thinks that it ended well: {ended:?}");
    let since = log.statements(arena).await?.unwrap_or_default();
    let late: Vec<_> = since.iter().skip(before).filter(|one| changes_schema(&one.sql)).collect();
    ensure!(late.is_empty(), "statements of the old epoch: {late:?}");
    Ok(())
}

/// A run that idles inside for three times its lease: the heartbeat keeps the lease, and it ends well.
pub(crate) async fn long(place: &Place, wanted: &Wanted) -> Result<String> {
    let arena = Arena::new(place)?;
    let (kind, document, rows, steps) = begin(&arena, wanted).await?;
    let lease_ms = u64::try_from(LEASE.as_millis())?;
    let rounds = wanted.sample.unwrap_or(3).min(3);
    let mut looks = 0;
    for round in 0..rounds {
        arena.reset(&kind).await?;
        let at = *steps.get(round % steps.len().max(1)).context("a plan without statements")?;
        let strike = Strike { at, when: When::After, blow: Blow::Pause(lease_ms * 3) };
        let job = Job { strike: Some(strike), lease_ms, ..Job::new(&arena.url()?, &document) };
        let run = start(&job, &arena, wanted)?;
        let mut seen = 0;
        let watch = async {
            let pipeline = arena.pipeline()?;
            loop {
                tokio::time::sleep(Duration::from_millis(500)).await;
                let Some(lease) = pipeline.lock_standing().await?.standing.lease else { continue };
                if lease.owner.is_some() {
                    seen += 1;
                    ensure!(lease.expires_in_ms > 0, "the lease ran out while its holder worked: {lease:?}");
                }
            }
        };
        let ended = tokio::select! {
            ended = run.end() => ended?.context("the run died")?,
            failed = watch => return failed,
        };
        ended.status.map_err(|why| anyhow::anyhow!("a run longer than its lease: {why}"))?;
        ensure!(seen > 3, "the lease was seen {seen} times only");
        looks += seen;
        arena.check(&document).await?;
        ensure!(arena.rows(&kind).await? == rows, "rows changed");
    }
    arena.clear().await?;
    Ok(format!("{rounds} runs of three times their lease, which was never over in {looks} looks"))
}
