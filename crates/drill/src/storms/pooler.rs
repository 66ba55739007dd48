//! A pooler in transaction mode in front of the server.

use anyhow::{Context, Result, bail, ensure};
use trueup::session::{ConnectOptions, DatabaseUrl, connector};
use trueup_testkit::servers::ServerRecord;

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::Job;
use crate::kinds::kind;
use crate::process::spawn;

/// Runs through the pooler beside none, one and several clients of others.
pub(crate) async fn pooler(place: &Place, wanted: &Wanted) -> Result<String> {
    let rounds = wanted.sample.unwrap_or(20).min(20);
    let arena = Arena::new(place)?;
    let kind = kind(place.dialect(), "create-table")?;
    arena.reset(&kind).await?;
    let document = arena.document(&kind).await?;
    let port = place.server.rsplit(':').next().and_then(|port| port.parse().ok()).context("a URL without a port")?;
    let record = ServerRecord {
        name: place.name.clone(),
        url: place.server.clone(),
        port,
        pid: 0,
        folder: std::path::PathBuf::new(),
    };
    let pooler = crate::servers::home(wanted)?.start_pooler(&record)?;
    let url = DatabaseUrl::parse(&format!("{}/{}", pooler.record().url, arena.name()))?;
    for round in 0..rounds {
        // in turn: alone, beside idle clients, beside clients that work
        let mut others = Vec::new();
        for _ in 0..(round % 3) * 2 {
            // what others meet behind a pooler is not looked at
            let Ok(mut other) = connector(url.clone())?.connect(&ConnectOptions::default()).await else { continue };
            let is_busy = round % 2 == 0;
            others.push(tokio::spawn(async move {
                for _ in 0..200 {
                    if is_busy {
                        other.query("SELECT 1", &[]).await?;
                    }
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                }
                other.close().await
            }));
        }
        match spawn(&Job::new(&url, &document), &arena, wanted).await?.context("a run died")?.status {
            Err(why) if why.contains("pooler") && why.contains("connect to the server directly") => {}
            other => bail!("round {round}: not refused, but {other:?}"),
        }
        for other in others {
            other.abort();
        }
        let mut session = arena.session().await?;
        let sql = "SELECT count(*) FROM pg_catalog.pg_locks AS l JOIN pg_catalog.pg_database AS d ON d.oid = l.database \
                   WHERE l.locktype = 'advisory' AND d.datname = current_database()";
        let locks = session.query(sql, &[]).await?;
        let locks = locks.first().map_or(Ok(0), |row| row.int(0))?;
        ensure!(locks == 0, "round {round}: {locks} advisory locks are left in the pool");
        let sql = "SELECT count(*) FROM pg_catalog.pg_class WHERE relname LIKE '\\_trueup%' OR relname = 'b'";
        let made = session.query(sql, &[]).await?.first().map_or(Ok(0), |row| row.int(0))?;
        ensure!(made == 0, "round {round}: a refused run made {made} tables");
        session.close().await?;
    }
    drop(pooler);
    arena.clear().await?;
    Ok(format!("{rounds} runs through a pooler, {rounds} refused, no advisory lock left in the pool"))
}
