//! Clients that read and write while a long transaction stands in the way of an ALTER.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use trueup::schema::DialectId;
use trueup::session::{Clock, Session, SystemClock, TransactionMode, Value};

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::Job;
use crate::kinds::kind;
use crate::process::start;

const CLIENTS: i64 = 16;
/// How long a statement may stand in line for a lock, with what the machine itself adds.
const BUDGET: Duration = Duration::from_millis(3_000 + 100);
/// What a machine that runs all tests at once may add.
const SLACK: Duration = Duration::from_millis(1_500);

pub(crate) async fn convoy(place: &Place, wanted: &Wanted) -> Result<String> {
    let (blocks, limit) = match wanted.sample {
        Some(_) => (Duration::from_secs(5), BUDGET + SLACK),
        None => (Duration::from_secs(30), BUDGET),
    };
    let arena = Arena::new(place)?;
    let kind = kind(place.dialect(), "add-column")?;
    arena.reset(&kind).await?;
    let document = arena.document(&kind).await?;
    let a = if place.dialect() == DialectId::Postgres { "public.a" } else { "a" };
    let mut session = arena.session().await?;
    for id in 4..=CLIENTS {
        session.execute(&format!("INSERT INTO {a} VALUES ({id}, {id}, 'more')")).await?;
    }
    session.close().await?;
    let is_over = Arc::new(AtomicBool::new(false));
    let mut clients = Vec::new();
    for id in 1..=CLIENTS {
        clients.push(tokio::spawn(client(arena.session().await?, a, id, Arc::clone(&is_over))));
    }
    let mut blocker = arena.session().await?;
    blocker.begin(TransactionMode::Write).await?;
    blocker.query(&format!("SELECT n FROM {a}"), &[]).await?;
    let clock = SystemClock::new();
    let begun = clock.now();
    let migration = start(&Job { lock_wait_ms: 60_000, ..Job::new(&arena.url()?, &document) }, &arena, wanted)?;
    let end = tokio::spawn(migration.end());
    clock.sleep(blocks).await;
    ensure!(!end.is_finished(), "the migration ended while somebody stood in its way");
    blocker.rollback().await?;
    let ended = end.await??.context("the migration died")?;
    let took = clock.now().saturating_sub(begun);
    ended.status.map_err(|why| anyhow::anyhow!("the migration: {why}"))?;
    is_over.store(true, Ordering::SeqCst);
    let (mut longest, mut calls) = (Duration::ZERO, 0);
    for client in clients {
        let (one, some) = client.await??;
        (longest, calls) = (longest.max(one), calls + some);
    }
    arena.check(&document).await?;
    arena.clear().await?;
    ensure!(longest <= limit, "a client waited for {longest:?}, more than {limit:?}");
    Ok(format!(
        "{CLIENTS} clients, {calls} calls, none longer than {} ms; a blocker of {} s; the migration landed {} ms after it",
        longest.as_millis(),
        blocks.as_secs(),
        took.saturating_sub(blocks).as_millis()
    ))
}

/// Reads and writes its own row until it is over: the longest call, and how many there were.
async fn client(
    mut session: Box<dyn Session>,
    a: &'static str,
    id: i64,
    is_over: Arc<AtomicBool>,
) -> Result<(Duration, usize)> {
    let p = if session.server().dialect == DialectId::Postgres { "$1" } else { "?" };
    let texts = [format!("SELECT n FROM {a} WHERE id = {p}"), format!("UPDATE {a} SET n = n + 1 WHERE id = {p}")];
    let clock = SystemClock::new();
    let (mut longest, mut calls) = (Duration::ZERO, 0);
    while !is_over.load(Ordering::SeqCst) {
        for sql in &texts {
            let start = clock.now();
            session.query(sql, &[Value::from(id)]).await?;
            longest = longest.max(clock.now().saturating_sub(start));
            calls += 1;
        }
        clock.sleep(Duration::from_millis(20)).await;
    }
    Ok((longest, calls))
}
