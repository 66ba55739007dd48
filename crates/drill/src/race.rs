//! Many runners at once: the server's own record says how often each statement ran.

use anyhow::{Context, Result, bail, ensure};

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::Job;
use crate::kinds::{Kind, kinds};
use crate::log::Log;
use crate::process::spawn;

/// How the rounds of one place went.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rounds {
    pub(crate) rounds: usize,
    pub(crate) runs: usize,
    /// Statements in the servers' own logs, each of them once.
    pub(crate) logged: usize,
    /// Runs by their last word.
    pub(crate) words: std::collections::BTreeMap<String, usize>,
    pub(crate) failures: Vec<String>,
}

/// Races of `runners` runners each, `rounds` times, over kinds in turn. Every round begins without control tables.
pub(crate) async fn races(place: Place, runners: usize, rounds: usize, wanted: &Wanted) -> Result<Rounds> {
    let arena = Arena::new(&place)?;
    let mut said = Rounds::default();
    let kinds: Vec<Kind> = kinds(place.dialect())
        .into_iter()
        .filter(|kind| ["several", "create-table", "create-index"].contains(&kind.name))
        .collect();
    for round in 0..rounds {
        let Some(kind) = kinds.get(round % kinds.len().max(1)) else { bail!("no kinds") };
        said.rounds += 1;
        if let Err(error) = race(&arena, kind, runners, wanted, &mut said).await {
            let what = format!("{} {} with {runners} runners: {error:#}", place.name, kind.name);
            println!("FAILED {what}");
            said.failures.push(what);
        }
    }
    arena.clear().await?;
    Ok(said)
}

async fn race(arena: &Arena, kind: &Kind, runners: usize, wanted: &Wanted, said: &mut Rounds) -> Result<()> {
    arena.reset(kind).await?;
    let document = arena.document(kind).await?;
    let log = Log::open(arena).await?;
    let job = Job { lock_wait_ms: 110_000, ..Job::new(&arena.url()?, &document) };
    let runs = (0..runners).map(|_| spawn(&job, arena, wanted));
    let mut statements = Vec::new();
    let mut ended = Vec::new();
    for run in join_all(runs).await {
        ended.push(run?.context("a runner died")?);
    }
    for one in ended {
        said.runs += 1;
        let word = one.status.map_err(|why| anyhow::anyhow!("a runner failed: {why}"))?;
        *said.words.entry(word).or_default() += 1;
        if one.statements > 0 {
            statements.push(one.statements);
        }
    }
    // None of the statements can be run twice without an error, and exactly one runner has run any.
    ensure!(statements.len() == 1, "{} runners ran statements: {statements:?}", statements.len());
    if let Some(logged) = log.schema_changes(arena).await? {
        ensure!(!logged.is_empty(), "the server's log names no statement");
        said.logged += logged.len();
        for (at, one) in logged.iter().enumerate() {
            ensure!(logged[..at].iter().all(|other| other.sql != one.sql), "the server was told twice: {}", one.sql);
            ensure!(one.backend == logged[0].backend, "two runners changed the schema: {logged:?}");
        }
    }
    arena.check(&document).await?;
    let history = arena.pipeline()?.standing(100).await?.records.map_or(0, |records| records.history.len());
    ensure!(history == 1, "{history} entries in the history");
    Ok(())
}

/// Waits for all of them side by side.
pub(crate) async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut pinned: Vec<_> = futures.map(|future| Some(Box::pin(future))).collect();
    let mut done: Vec<Option<F::Output>> = pinned.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        let mut is_pending = false;
        for (slot, out) in pinned.iter_mut().zip(&mut done) {
            if let Some(future) = slot {
                match future.as_mut().poll(cx) {
                    std::task::Poll::Ready(value) => {
                        *out = Some(value);
                        *slot = None;
                    }
                    std::task::Poll::Pending => is_pending = true,
                }
            }
        }
        if is_pending { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
    })
    .await;
    done.into_iter().flatten().collect()
}
