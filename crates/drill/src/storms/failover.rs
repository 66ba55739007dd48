//! A primary that dies in the middle of a plan, and its replica that goes on.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::{Pid, Signal, kill_process};
use trueup::session::{ConnectOptions, DatabaseUrl, Session, connector};
use trueup_testkit::Proxy;
use trueup_testkit::servers::{RunningServer, ServerName};

use crate::arena::{Arena, Place};
use crate::crash::{Wanted, trace};
use crate::job::{Blow, Job, Strike, When};
use crate::kinds::{Kind, kind};
use crate::points::points;
use crate::process::{spawn, start};

/// What a run is in the middle of.
const KIND: &str = "two-transactions";

/// How the rounds ended.
#[derive(Debug, Default)]
struct Ends {
    converged: usize,
    refused: usize,
    /// Rounds in which the replica had an unfinished run in its ledger.
    resumed: usize,
}

pub(crate) async fn failover(place: &Place, wanted: &Wanted) -> Result<String> {
    let rounds = wanted.sample.unwrap_or(20).min(20);
    let name: ServerName = place.name.parse()?;
    let mut random = StdRng::seed_from_u64(wanted.seed);
    let kind = kind(place.dialect(), KIND)?;
    let mut ends = Ends::default();
    for round in 0..rounds {
        let (primary, replica) = crate::servers::home(wanted)?.start_pair(name.version)?;
        // In turn: the replica has every commit, or those that it came to have.
        let is_synchronous = round % 2 == 0;
        let what = format!("round {round}, {}", if is_synchronous { "synchronous" } else { "asynchronous" });
        let mut one = Round { place, kind: &kind, wanted, primary, replica };
        one.go(is_synchronous, &mut random, &mut ends).await.context(what)?;
    }
    Ok(format!(
        "{rounds} failovers in the middle of a plan, {} with an unfinished run on the replica; {} converged, {} refused with a \
         reason; no statement of the old run on the new primary",
        ends.resumed, ends.converged, ends.refused
    ))
}

/// One pair of servers.
struct Round<'a> {
    place: &'a Place,
    kind: &'a Kind,
    wanted: &'a Wanted,
    primary: RunningServer,
    replica: RunningServer,
}

impl Round<'_> {
    async fn go(&mut self, is_synchronous: bool, random: &mut StdRng, ends: &mut Ends) -> Result<()> {
        let at_primary = Place { server: self.primary.record().url.clone(), ..self.place.clone() };
        let mut arena = Arena::new(&at_primary)?;
        arena.reset(self.kind).await?;
        let (document, rows) = (arena.document(self.kind).await?, arena.rows(self.kind).await?);
        let places: Vec<(usize, When)> = points(&trace(&arena, self.kind, &document, self.wanted).await?)
            .iter()
            .filter(|point| ["K2", "K3", "K4", "K5", "K6", "K7"].contains(&point.name))
            .flat_map(|point| point.places.clone())
            .collect();
        arena.reset(self.kind).await?;
        self.streams(is_synchronous).await?;
        // What an address that moves with the primary would be.
        let address = Proxy::to(format!("127.0.0.1:{}", self.primary.record().port)).await?;
        let url = DatabaseUrl::parse(&format!("postgres://postgres@127.0.0.1:{}/{}", address.port(), arena.name()))?;
        let (at, when) = places.get(random.random_range(0..places.len().max(1))).copied().context("no points")?;
        let strike = Strike { at, when, blow: Blow::Stop };
        let mut old = start(&Job { strike: Some(strike), ..Job::new(&url, &document) }, &arena, self.wanted)?;
        old.until_stopped().await?;
        let pid = Pid::from_raw(self.primary.record().pid).context("no process")?;
        kill_process(pid, Signal::KILL)?;
        address.reset();
        self.promote().await?;
        address.move_to(format!("127.0.0.1:{}", self.replica.record().port));
        arena.place.server.clone_from(&self.replica.record().url);
        let unfinished = arena.pipeline()?.ledger().await?.findings.len();
        ends.resumed += usize::from(unfinished > 0);
        // The old run wakes up in the middle of the new one's life: half the time before it, half after.
        let is_early = random.random_bool(0.5);
        if is_early {
            old.go_on()?;
        }
        let converged = self.settle(&arena, &url, &document).await?;
        if !is_early {
            old.go_on()?;
        }
        let ended = old.end().await?.context("the old run died")?;
        ensure!(ended.status.is_err(), "the old run thinks that it ended well: {ended:?}");
        ensure!(arena.rows(self.kind).await? == rows, "rows changed");
        if converged {
            arena.check(&document).await.context("after the old run woke up")?;
            ends.converged += 1;
        } else {
            ends.refused += 1;
        }
        Ok(())
    }

    /// Whether at most two further runs, through the address that has moved, end as declared.
    async fn settle(&self, arena: &Arena, url: &DatabaseUrl, document: &str) -> Result<bool> {
        let mut said = Vec::new();
        for _ in 0..2 {
            match spawn(&Job::new(url, document), arena, self.wanted).await?.context("a run died")?.status {
                Ok(_) => return arena.check(document).await.map(|()| true),
                Err(why) if why.contains("trueup ledger resolve") => return Ok(false),
                Err(why) => said.push(why),
            }
        }
        bail!("still not there after two further runs: {}", said.join("\n  then: "))
    }

    /// Waits until the replica follows; then every commit waits for it, if that is wanted.
    async fn streams(&self, is_synchronous: bool) -> Result<()> {
        let mut session = open(&self.primary).await?;
        let sql = "SELECT count(*) FROM pg_catalog.pg_stat_replication WHERE state = 'streaming'";
        until(session.as_mut(), sql, 1).await.context("the replica does not follow")?;
        if is_synchronous {
            session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await?;
            session.query("SELECT pg_catalog.pg_reload_conf()", &[]).await?;
            let sql = "SELECT count(*) FROM pg_catalog.pg_stat_replication WHERE sync_state = 'sync'";
            until(session.as_mut(), sql, 1).await.context("the replica is not synchronous")?;
        }
        // What was made so far is there.
        let sql =
            "SELECT count(*) FROM pg_catalog.pg_stat_replication WHERE replay_lsn >= pg_catalog.pg_current_wal_lsn()";
        until(session.as_mut(), sql, 1).await.context("the replica does not come after")?;
        Ok(session.close().await?)
    }

    async fn promote(&self) -> Result<()> {
        let mut session = open(&self.replica).await?;
        session.query("SELECT pg_catalog.pg_promote(true, 30)", &[]).await?;
        until(session.as_mut(), "SELECT pg_catalog.pg_is_in_recovery()::int", 0).await.context("it is not promoted")?;
        Ok(session.close().await?)
    }
}

async fn open(server: &RunningServer) -> Result<Box<dyn Session>> {
    let url = DatabaseUrl::parse(&format!("{}/postgres", server.record().url))?;
    Ok(connector(url)?.connect(&ConnectOptions::default()).await?)
}

/// Waits until `sql` gives `expected`.
async fn until(session: &mut dyn Session, sql: &str, expected: i64) -> Result<()> {
    for _ in 0..300 {
        if session.query(sql, &[]).await?.first().map_or(Ok(0), |row| row.int(0))? == expected {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    bail!("never {expected}: {sql}")
}
