//! A lease that is held through another node of a cluster, whose sessions are not seen here.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use trueup::session::{Clock, SystemClock};

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::Job;
use crate::kinds::kind;
use crate::process::spawn;

/// How much longer the lease of the other node lasts.
const LEFT: u64 = 4;

/// The row of a lease is written as another node would write it: the advisory lock is free, and yet nobody may begin before the
/// lease has run out.
pub(crate) async fn elsewhere(place: &Place, wanted: &Wanted) -> Result<String> {
    let rounds = wanted.sample.unwrap_or(5).min(5);
    let arena = Arena::new(place)?;
    let kind = kind(place.dialect(), "create-table")?;
    arena.reset(&kind).await?;
    let (document, rows) = (arena.document(&kind).await?, arena.rows(&kind).await?);
    let clock = SystemClock::new();
    for round in 0..rounds {
        arena.reset(&kind).await?;
        let mut session = arena.session().await?;
        let job = Job::new(&arena.url()?, &document);
        // a run of its own makes the tables; then its work is undone
        spawn(&job, &arena, wanted).await?.context("a run died")?.status.map_err(anyhow::Error::msg)?;
        session.execute("DROP TABLE b").await?;
        let changed = session
            .execute(&format!(
                "UPDATE _trueup_lock SET owner = 'somebody', run_id = 'other', epoch = epoch + 1, \
                 backend_started = '2026-01-01 00:00:00 @another', expires_at = UTC_TIMESTAMP(6) + INTERVAL {LEFT} SECOND"
            ))
            .await?;
        ensure!(changed == 1, "{changed} leases");
        let begun = clock.now();
        let impatient = Job { lock_wait_ms: 500, ..job.clone() };
        match spawn(&impatient, &arena, wanted).await?.context("a run died")?.status {
            Err(why) if why.contains("through another node of the cluster") => {}
            other => bail!("round {round}: began beside a run of another node: {other:?}"),
        }
        let ended = spawn(&job, &arena, wanted).await?.context("a run died")?;
        let waited = clock.now().saturating_sub(begun);
        ended.status.map_err(anyhow::Error::msg)?;
        ensure!(waited >= Duration::from_secs(LEFT - 1), "round {round}: it waited for {waited:?} only");
        arena.check(&document).await?;
        ensure!(arena.rows(&kind).await? == rows, "rows changed");
        session.close().await?;
    }
    arena.clear().await?;
    Ok(format!("{rounds} leases of another node: none was taken before it had run out, each was then"))
}
