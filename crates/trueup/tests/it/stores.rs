//! A lock and a ledger of the embedder's own, on every engine.

use std::sync::Arc;

use trueup::execute::{Applied, Event, ExecuteError, LockBroken, RunStatus, StepState};
use trueup::lock::LockError;
use trueup::plan::{Consent, PlanStatus};
use trueup::rehearse::Outcome;
use trueup::schema::builder::{bigint, text};
use trueup::schema::{DialectId, Schema};
use trueup::{ApplyRequest, Declared, Error, Options, Pipeline, Silence};
use trueup_testkit::{Failure, FaultPlan, Side, TestDatabase, servers};

use super::memory::{MemoryLedger, MemoryLock, is_reached};

/// Which stores are brought.
#[derive(Debug, Clone, Default)]
struct Own {
    lock: Option<MemoryLock>,
    ledger: Option<MemoryLedger>,
}

impl Own {
    fn both() -> (Self, MemoryLock, MemoryLedger) {
        let (lock, ledger) = (MemoryLock::default(), MemoryLedger::default());
        (Self { lock: Some(lock.clone()), ledger: Some(ledger.clone()) }, lock, ledger)
    }

    fn options(&self) -> Options {
        let mut options = Options::new().unwrap();
        options.lock = self.lock.clone().map(|lock| Arc::new(lock) as _);
        options.ledger = self.ledger.clone().map(|ledger| Arc::new(ledger) as _);
        options
    }

    fn pipeline(&self, database: &TestDatabase) -> Pipeline {
        Pipeline::new(database.url().clone(), None, self.options()).unwrap()
    }
}

/// One database of each engine.
async fn databases() -> Vec<TestDatabase> {
    let mut databases = vec![TestDatabase::sqlite().unwrap()];
    for server in [servers::postgres().pop(), servers::mysql().pop(), servers::mariadb().pop()] {
        databases.push(TestDatabase::on(&server.unwrap()).await.unwrap());
    }
    databases
}

async fn dialect(database: &TestDatabase) -> DialectId {
    database.session().await.unwrap().server().dialect
}

/// These tables, built, so that nothing has to be loaded.
async fn tables(database: &TestDatabase, names: &[&str]) -> Declared {
    let mut shop = Schema::build(dialect(database).await);
    for name in names {
        let mut table = shop.table(name);
        table.column("id", bigint()).primary_key();
        table.column("note", text());
    }
    Declared::built(shop.finish().unwrap())
}

async fn apply(pipeline: &Pipeline, declared: &Declared) -> Result<Applied, Error> {
    pipeline.apply(declared, Consent::AllLosses, ApplyRequest::default(), &Silence).await
}

/// The control tables that are there, and their namespace.
async fn control(database: &TestDatabase) -> Vec<String> {
    let mut session = database.session().await.unwrap();
    let sql = match session.server().dialect {
        DialectId::Sqlite => "SELECT name FROM sqlite_schema WHERE name LIKE '%trueup%' AND type = 'table' ORDER BY 1",
        DialectId::Postgres => {
            "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE '%trueup%' \
             UNION ALL SELECT relname::text FROM pg_class WHERE relname LIKE '%trueup%' AND relkind = 'r' ORDER BY 1"
        }
        DialectId::MySql | DialectId::MariaDb => {
            "SELECT CAST(table_name AS CHAR) FROM information_schema.tables WHERE table_schema = DATABASE() \
             AND table_name LIKE '%trueup%' ORDER BY 1"
        }
    };
    let rows = session.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.text(0).unwrap().to_owned()).filter(|name| name != "trueup").collect()
}

#[tokio::test]
async fn a_whole_run_leaves_nothing_but_the_schema() {
    for database in databases().await {
        let (own, lock, ledger) = Own::both();
        let (pipeline, label) = (own.pipeline(&database), database.label());
        let declared = tables(&database, &["posts", "users"]).await;
        assert_eq!(apply(&pipeline, &declared).await.unwrap().status, RunStatus::Synced, "{label}");
        assert_eq!(apply(&pipeline, &declared).await.unwrap().status, RunStatus::UpToDate, "{label}");
        assert_eq!((ledger.statuses(), ledger.tracked()), (vec!["synced".to_owned()], 2), "{label}");
        let trusting = ApplyRequest { trust_history: true, ..ApplyRequest::default() };
        let known = pipeline.apply(&declared, Consent::None, trusting, &Silence).await.unwrap();
        assert_eq!(known.status, RunStatus::UpToDateByHistory, "{label}");
        // what is tracked may be dropped
        let fewer = tables(&database, &["users"]).await;
        assert_eq!(apply(&pipeline, &fewer).await.unwrap().status, RunStatus::Synced, "{label}");
        assert_eq!((ledger.statuses().len(), ledger.tracked(), lock.epoch()), (2, 1, 2), "{label}");
        let standing = pipeline.standing(10).await.unwrap();
        assert_eq!((standing.records.unwrap().history.len(), standing.drift.len()), (2, 0), "{label}");
        assert!(lock.is_free() && ledger.is_settled() && ledger.open().is_empty(), "{label}");
        assert!(pipeline.lock_standing().await.unwrap().standing.is_free(), "{label}");
        assert_eq!(control(&database).await, Vec::<String>::new(), "{label}");
    }
}

/// A rehearsal is nobody's history: it uses the usual stores, on the branch.
#[tokio::test]
async fn a_rehearsal_is_not_written_down() {
    let database = TestDatabase::sqlite().unwrap();
    let (own, lock, ledger) = Own::both();
    let pipeline = own.pipeline(&database);
    apply(&pipeline, &tables(&database, &["users"]).await).await.unwrap();
    let more = tables(&database, &["posts", "users"]).await;
    let report = pipeline.rehearse(&more, trueup::RehearseRequest::default()).await;
    assert_eq!(report.outcome, Outcome::Clean, "{report:?}");
    assert_eq!((ledger.statuses().len(), lock.epoch()), (1, 1));
}

#[tokio::test]
async fn one_store_works_beside_the_usual_other() {
    for database in databases().await {
        let (both, lock, ledger) = Own::both();
        let (label, declared) = (database.label(), tables(&database, &["users"]).await);
        let locked = Own { ledger: None, ..both.clone() };
        for expected in [RunStatus::Synced, RunStatus::UpToDate] {
            assert_eq!(apply(&locked.pipeline(&database), &declared).await.unwrap().status, expected, "{label}");
        }
        let all = ["_trueup_history", "_trueup_ledger", "_trueup_lock", "_trueup_objects"];
        assert_eq!((control(&database).await, lock.epoch()), (all.map(str::to_owned).to_vec(), 1), "{label}");
        newer_tables_are_refused(&database, &locked).await;

        let database = if label == "sqlite" { TestDatabase::sqlite().unwrap() } else { again(label).await };
        let written = Own { lock: None, ..both };
        for expected in [RunStatus::Synced, RunStatus::UpToDate] {
            assert_eq!(apply(&written.pipeline(&database), &declared).await.unwrap().status, expected, "{label}");
        }
        assert_eq!((control(&database).await, ledger.statuses()), (vec![all[2].to_owned()], vec!["synced".to_owned()]));
        let standing = written.pipeline(&database).lock_standing().await.unwrap().standing;
        assert_eq!((standing.is_free(), standing.lease.map(|lease| lease.epoch)), (true, Some(1)), "{label}");
    }
}

async fn again(label: &str) -> TestDatabase {
    let mut all = servers::postgres().into_iter().chain(servers::mysql()).chain(servers::mariadb());
    TestDatabase::on(&all.find(|server| server.name() == label).unwrap()).await.unwrap()
}

/// No lease says so, but the tables do.
async fn newer_tables_are_refused(database: &TestDatabase, own: &Own) {
    let mut session = database.session().await.unwrap();
    let namespace = if session.server().dialect == DialectId::Postgres { "trueup." } else { "" };
    session.execute(&format!("UPDATE {namespace}_trueup_lock SET format = 99")).await.unwrap();
    session.close().await.unwrap();
    let error = apply(&own.pipeline(database), &tables(database, &["users"]).await).await.unwrap_err();
    assert!(error.to_string().contains("control tables have format 99"), "{}: {error}", database.label());
}

#[tokio::test]
async fn two_runs_exclude_each_other() {
    for database in databases().await {
        let (own, _, ledger) = Own::both();
        let declared = tables(&database, &["posts", "users"]).await;
        let (one, two) = (own.pipeline(&database), own.pipeline(&database));
        let (one, two) = tokio::join!(apply(&one, &declared), apply(&two, &declared));
        let mut statuses = [one.unwrap().status, two.unwrap().status].map(RunStatus::as_str);
        statuses.sort_unstable();
        assert_eq!(statuses[0], "synced", "{}", database.label());
        assert!(["synced-by-peer", "up-to-date"].contains(&statuses[1]), "{}: {statuses:?}", database.label());
        assert_eq!(ledger.statuses(), ["synced"]);
    }
}

/// Gives the lock to somebody else once the first step begins.
#[derive(Debug)]
struct Thief(MemoryLock);

impl trueup::execute::Listener for Thief {
    fn hear(&self, event: &Event) {
        if matches!(event, Event::StepStarted { number: 1, .. }) {
            self.0.steal();
        }
    }
}

#[tokio::test]
async fn a_run_that_lost_its_lock_stops_before_its_next_step() {
    for server in [servers::mysql().pop(), servers::mariadb().pop()] {
        let database = TestDatabase::on(&server.unwrap()).await.unwrap();
        let (own, lock, ledger) = Own::both();
        let (pipeline, label) = (own.pipeline(&database), database.label());
        let declared = tables(&database, &["posts", "users"]).await;
        let request = ApplyRequest::default();
        let error = pipeline.apply(&declared, Consent::None, request, &Thief(lock.clone())).await.unwrap_err();
        let Error::Execute(error) = error else { panic!("{label}: {error}") };
        let ExecuteError::Lock(why) = *error else { panic!("{label}: {error}") };
        assert!(matches!(*why, LockError::NotHeld | LockError::Stolen { .. }), "{label}: {why}");
        assert_eq!(ledger.open(), [StepState::Done, StepState::Planned], "{label}");
        let report = pipeline.ledger().await.unwrap();
        assert_eq!(report.findings.len(), 2, "{label}");
        assert_eq!(apply(&pipeline, &declared).await.unwrap().status, RunStatus::Synced, "{label}");
        assert!(lock.is_free() && ledger.open().is_empty(), "{label}");
    }
}

#[tokio::test]
async fn an_operator_acts_through_the_stores() {
    let database = TestDatabase::on(&servers::mariadb().pop().unwrap()).await.unwrap();
    let (own, lock, ledger) = Own::both();
    let pipeline = own.pipeline(&database);
    let declared = tables(&database, &["posts", "users"]).await;
    let request = ApplyRequest::default();
    pipeline.apply(&declared, Consent::None, request, &Thief(lock.clone())).await.unwrap_err();
    let run = pipeline.ledger().await.unwrap().findings[0].step.run.clone();
    pipeline.abandon_run(&run).await.unwrap();
    assert_eq!((ledger.statuses(), ledger.open().len()), (vec!["abandoned".to_owned()], 0));
    assert_eq!(pipeline.break_lock(true).await.unwrap(), LockBroken::NotHeld);
    assert_eq!(control(&database).await, Vec::<String>::new());
}

/// The connection breaks at every call of any session (on a server at a sample of them), before and after the server has done it; the
/// next run gets there, and what is written down is true.
#[tokio::test]
async fn on_sqlite_the_next_run_gets_there_after_every_break() {
    break_everywhere(&TestDatabase::sqlite().unwrap(), 1).await;
}

#[tokio::test]
async fn on_postgres_the_next_run_gets_there_after_a_break() {
    break_everywhere(&TestDatabase::on(&servers::postgres().pop().unwrap()).await.unwrap(), 3).await;
}

#[tokio::test]
async fn on_mariadb_the_next_run_gets_there_after_a_break() {
    break_everywhere(&TestDatabase::on(&servers::mariadb().pop().unwrap()).await.unwrap(), 5).await;
}

async fn break_everywhere(database: &TestDatabase, stride: usize) {
    let declared = tables(database, &["posts", "users"]).await;
    for (first, side) in [(1, Side::Before), (2, Side::After)] {
        for at in (first..).step_by(stride) {
            clear(database).await;
            let fault = FaultPlan::at(at, side, Failure::Disconnect);
            break_at(database, &declared, &fault, &format!("{side:?} call {at}")).await;
            if !fault.has_fired() {
                assert!(at > 20, "{}: only {at} calls", database.label());
                break;
            }
        }
    }
    assert_eq!(control(database).await, Vec::<String>::new());
}

async fn break_at(database: &TestDatabase, declared: &Declared, fault: &FaultPlan, at: &str) {
    let (own, lock, ledger) = Own::both();
    let target = fault.connector(database.connector().unwrap());
    let broken = apply(&Pipeline::with_connectors(Box::new(target), None, own.options()), declared).await;
    let call = fault.log().last().map(ToString::to_string).unwrap_or_default();
    let what = format!("{} {at}: {call}\n{broken:?}", database.label());
    assert!(fault.has_fired() || broken.is_ok(), "{what}");
    // What is written down is there.
    if !ledger.statuses().is_empty() {
        let left = own.pipeline(database).plan(declared).await.unwrap();
        assert_eq!(left.status(), PlanStatus::UpToDate, "{what}");
    }
    let again = apply(&own.pipeline(database), declared).await.map(|applied| applied.status);
    assert!(matches!(again, Ok(RunStatus::Synced | RunStatus::UpToDate)), "{what}\nthen {again:?}");
    assert!(ledger.open().is_empty() && ledger.is_settled() && lock.is_free(), "{what}");
    assert_eq!((ledger.statuses().len(), ledger.tracked()), (1, 2), "{what}");
    assert!(ledger.statuses().iter().all(|status| is_reached(status)), "{what}");
}

async fn clear(database: &TestDatabase) {
    let mut session = database.session().await.unwrap();
    let namespace = if session.server().dialect == DialectId::Postgres { "public." } else { "" };
    for name in ["posts", "users"] {
        session.execute(&format!("DROP TABLE IF EXISTS {namespace}{name}")).await.unwrap();
    }
    session.close().await.unwrap();
}
