//! A replica that a run waits for, and that does not follow for a while.

use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use trueup::execute::{Event, Listener, RunStatus};
use trueup::plan::Consent;
use trueup::schema::DialectId;
use trueup::session::{Clock, ConnectOptions, DatabaseUrl, Session, SystemClock, connector};
use trueup::{ApplyRequest, Pipeline};
use trueup_testkit::servers::{RunningServer, ServerName};

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::kinds::kind;
use crate::runner::{declared, options, words};

/// What is done: several parts, each of them committed.
const fn kind_of(dialect: DialectId) -> &'static str {
    match dialect {
        DialectId::Postgres => "two-transactions",
        DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => "several",
    }
}

/// How long the replica stands still.
const STANDSTILL: Duration = Duration::from_secs(2);

/// A run goes no further than the replica does: it gives up after a while and says how far it came; the next one goes on; and one that waits
/// long enough ends when the replica has everything.
pub(crate) async fn replicas(place: &Place, wanted: &Wanted) -> Result<String> {
    let pair = Pair::start(place, wanted).await?;
    let primary = Place { server: pair.primary.record().url.clone(), ..place.clone() };
    let arena = Arena::new(&primary)?;
    let kind = kind(place.dialect(), kind_of(place.dialect()))?;
    let follower = arena.at(Place { server: pair.replica.record().url.clone(), ..place.clone() })?;
    let clock = SystemClock::new();
    arena.reset(&kind).await?;
    let (document, rows) = (arena.document(&kind).await?, arena.rows(&kind).await?);

    arena.reset(&kind).await?;
    pair.has_all(&arena).await?;
    pair.stand_still().await?;
    let heard = Heard::default();
    let given_up = apply(&arena, &follower, &document, STANDSTILL, &heard).await;
    let why = given_up.err().context("it did not wait for a replica that stands still")?;
    ensure!(why.contains("does not show what was done") && why.contains("steps are done and committed"), "{why}");
    ensure!(heard.waits() == 1, "it told {} times that it waits", heard.waits());
    pair.go_on().await?;
    let status =
        apply(&arena, &follower, &document, Duration::from_secs(60), &heard).await.map_err(anyhow::Error::msg)?;
    ensure!(status == RunStatus::Synced, "{status:?}");
    arena.check(&document).await?;
    // The replica has it now, with nobody waiting any more.
    follower.check(&document).await.context("on the replica")?;
    ensure!(arena.rows(&kind).await? == rows, "rows changed");

    arena.reset(&kind).await?;
    pair.has_all(&arena).await?;
    pair.stand_still().await?;
    let begun = clock.now();
    let later = async {
        clock.sleep(STANDSTILL).await;
        pair.go_on().await
    };
    let patient = apply(&arena, &follower, &document, Duration::from_secs(60), &heard);
    let (ended, resumed) = tokio::join!(patient, later);
    resumed?;
    let status = ended.map_err(anyhow::Error::msg)?;
    ensure!(status == RunStatus::Synced, "{status:?}");
    let took = clock.now().saturating_sub(begun);
    ensure!(took >= STANDSTILL, "it ended after {took:?}, before the replica went on");
    follower.check(&document).await.context("on the replica")?;
    arena.clear().await?;
    Ok(format!(
        "a run stopped behind the replica after its first part, the next one went on; a patient one took {} ms beside a replica \
         that stood still for {} ms",
        took.as_millis(),
        STANDSTILL.as_millis()
    ))
}

/// Brings `arena` to `document`, waiting for `follower`; an error with its causes.
async fn apply(
    arena: &Arena,
    follower: &Arena,
    document: &str,
    wait: Duration,
    heard: &Heard,
) -> Result<RunStatus, String> {
    let applied = async {
        let mut options = options(Duration::from_secs(30), Duration::from_secs(30))?;
        options.replicas = vec![follower.url()?];
        options.replica_wait = wait;
        let pipeline = Pipeline::new(arena.url()?, None, options)?;
        let applied = pipeline.apply(&declared(document)?, Consent::AllLosses, ApplyRequest::default(), heard).await?;
        anyhow::Ok(applied.status)
    };
    applied.await.map_err(|error| words(error.as_ref()))
}

/// How often a run says that it waits for a replica.
#[derive(Debug, Default)]
struct Heard(Mutex<usize>);

impl Heard {
    fn waits(&self) -> usize {
        self.0.lock().map_or(0, |waits| *waits)
    }
}

impl Listener for Heard {
    fn hear(&self, event: &Event) {
        if let (Event::WaitingForReplica { .. }, Ok(mut waits)) = (event, self.0.lock()) {
            *waits += 1;
        }
    }
}

/// Two servers, of which the second follows the first.
struct Pair {
    dialect: DialectId,
    primary: RunningServer,
    replica: RunningServer,
}

impl Pair {
    async fn start(place: &Place, wanted: &Wanted) -> Result<Self> {
        let name: ServerName = place.name.parse()?;
        let (home, dialect) = (crate::servers::home(wanted)?, place.dialect());
        let (primary, replica) = match dialect {
            DialectId::Postgres => home.start_pair(name.version)?,
            DialectId::MySql | DialectId::MariaDb => home.start_with_logs(name)?,
            DialectId::Sqlite => bail!("a file has no replica"),
        };
        let pair = Self { dialect, primary, replica };
        let port = pair.primary.record().port;
        match dialect {
            DialectId::MySql => {
                let source = format!(
                    "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {port}, SOURCE_USER = 'root', \
                     SOURCE_AUTO_POSITION = 1, SOURCE_SSL = 0, GET_SOURCE_PUBLIC_KEY = 1"
                );
                pair.tell_replica(&[&source, "START REPLICA"]).await?;
            }
            DialectId::MariaDb => {
                let source = format!(
                    "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {port}, MASTER_USER = 'root', \
                     MASTER_SSL = 0, MASTER_USE_GTID = slave_pos"
                );
                pair.tell_replica(&[&source, "START SLAVE"]).await?;
            }
            DialectId::Postgres | DialectId::Sqlite => {}
        }
        Ok(pair)
    }

    /// The replica gets what the primary does, and does nothing with it.
    async fn stand_still(&self) -> Result<()> {
        self.tell_replica(match self.dialect {
            DialectId::Postgres => &["SELECT pg_catalog.pg_wal_replay_pause()"],
            DialectId::MySql => &["STOP REPLICA SQL_THREAD"],
            DialectId::MariaDb | DialectId::Sqlite => &["STOP SLAVE SQL_THREAD"],
        })
        .await
    }

    async fn go_on(&self) -> Result<()> {
        self.tell_replica(match self.dialect {
            DialectId::Postgres => &["SELECT pg_catalog.pg_wal_replay_resume()"],
            DialectId::MySql => &["START REPLICA SQL_THREAD"],
            DialectId::MariaDb | DialectId::Sqlite => &["START SLAVE SQL_THREAD"],
        })
        .await
    }

    /// Waits until the replica has what the primary has by now.
    async fn has_all(&self, arena: &Arena) -> Result<()> {
        let mark = format!("mark_{}", self.primary.record().port);
        let is_postgres = self.dialect == DialectId::Postgres;
        let (make, drop, place) = if is_postgres {
            (
                format!("CREATE SCHEMA {mark}"),
                format!("DROP SCHEMA {mark}"),
                format!("pg_catalog.pg_namespace WHERE nspname = '{mark}'"),
            )
        } else {
            let table = format!("information_schema.tables WHERE table_name = '{mark}'");
            (format!("CREATE TABLE {mark} (id int PRIMARY KEY)"), format!("DROP TABLE {mark}"), table)
        };
        let asked = format!("SELECT count(*) FROM {place}");
        let database = Some(arena.name()).filter(|_| is_postgres);
        let mut session = arena.session().await?;
        session.execute(&make).await?;
        self.until(database, &asked, 1).await.context("the replica does not follow")?;
        session.execute(&drop).await?;
        session.close().await?;
        self.until(database, &asked, 0).await
    }

    async fn until(&self, database: Option<&str>, sql: &str, expected: i64) -> Result<()> {
        let mut last = None;
        for _ in 0..600 {
            let counted = async {
                let mut session = self.open(database.unwrap_or(self.own_database())).await?;
                let rows = session.query(sql, &[]).await?;
                session.close().await?;
                anyhow::Ok(rows.first().map_or(Ok(0), |row| row.int(0))?)
            };
            last = Some(counted.await);
            if matches!(last, Some(Ok(count)) if count == expected) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("never {expected}, but {last:?}: {sql}")
    }

    const fn own_database(&self) -> &'static str {
        match self.dialect {
            DialectId::Postgres => "postgres",
            DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => "mysql",
        }
    }

    async fn open(&self, database: &str) -> Result<Box<dyn Session>> {
        let url = DatabaseUrl::parse(&format!("{}/{database}", self.replica.record().url))?;
        Ok(connector(url)?.connect(&ConnectOptions::default()).await?)
    }

    async fn tell_replica(&self, statements: &[&str]) -> Result<()> {
        let mut session = self.open(self.own_database()).await?;
        for sql in statements {
            session.query(sql, &[]).await.with_context(|| (*sql).to_owned())?;
        }
        Ok(session.close().await?)
    }
}
