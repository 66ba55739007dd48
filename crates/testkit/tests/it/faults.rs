//! Sessions that break where they should, and nowhere else.

use trueup_schema::DialectId;
use trueup_session::{Connector as _, DbError, DbErrorKind, Session, TransactionMode};
use trueup_testkit::servers;
use trueup_testkit::{Call, Failure, FaultPlan, Side, TestDatabase};

/// What the tests let happen: five calls, of which the last makes it last.
async fn work(session: &mut dyn Session) -> Result<(), DbError> {
    let table = table(session);
    session.execute(&format!("CREATE TABLE {table} (id integer PRIMARY KEY)")).await?;
    session.begin(TransactionMode::Write).await?;
    session.execute(&format!("INSERT INTO {table} VALUES (1)")).await?;
    session.query(&format!("SELECT id FROM {table}"), &[]).await?;
    session.commit().await
}

/// Sessions on PostgreSQL have no default namespace.
fn table(session: &dyn Session) -> &'static str {
    if session.server().dialect == DialectId::Postgres { "public.thing" } else { "main.thing" }
}

/// The rows that are there now, or none at all without the table.
async fn rows(database: &TestDatabase) -> Option<usize> {
    let mut session = database.session().await.unwrap();
    let sql = format!("SELECT id FROM {}", table(&*session));
    session.query(&sql, &[]).await.ok().map(|rows| rows.len())
}

async fn break_at(database: &TestDatabase, plan: &FaultPlan) -> Result<(), DbError> {
    let mut session = plan.session(database.session().await.unwrap());
    work(&mut session).await
}

#[tokio::test]
async fn without_a_fault_everything_is_logged_and_nothing_changes() {
    let database = TestDatabase::sqlite().unwrap();
    let plan = FaultPlan::none();
    break_at(&database, &plan).await.unwrap();
    let log: Vec<String> = plan.log().iter().map(ToString::to_string).collect();
    assert_eq!(log[1..3], ["BEGIN", "INSERT INTO main.thing VALUES (1)"]);
    assert_eq!(plan.log()[4], Call::Commit);
    assert_eq!((log.len(), rows(&database).await, plan.has_fired()), (5, Some(1), false));
}

#[tokio::test]
async fn a_cut_leaves_what_was_committed() {
    // What is there after the call number …, broken before or after it.
    let before = [None, Some(0), Some(0), Some(0), Some(0)];
    let after = [Some(0), Some(0), Some(0), Some(0), Some(1)];
    for (side, expected) in [(Side::Before, before), (Side::After, after)] {
        for (number, expected) in (1..).zip(expected) {
            let database = TestDatabase::sqlite().unwrap();
            let plan = FaultPlan::at(number, side, Failure::Disconnect);
            let error = break_at(&database, &plan).await.unwrap_err();
            assert_eq!(error.kind, DbErrorKind::ConnectionLost);
            assert!(plan.has_fired());
            assert_eq!(plan.log().len(), number);
            assert_eq!(rows(&database).await, expected, "{side:?} {number}");
        }
    }
}

#[tokio::test]
async fn a_cut_session_stays_cut_and_an_error_passes() {
    let database = TestDatabase::sqlite().unwrap();
    let plan = FaultPlan::at(1, Side::Before, Failure::Disconnect);
    let mut session = plan.session(database.session().await.unwrap());
    assert!(session.execute("SELECT 1").await.is_err());
    assert_eq!(session.query("SELECT 1", &[]).await.unwrap_err().kind, DbErrorKind::ConnectionLost);
    assert!(!session.in_transaction() && session.cancel_handle().cancel().await.is_err());
    assert_eq!(plan.log().len(), 1);

    let deadlock = DbError::new(DbErrorKind::Deadlock, "made up");
    let plan = FaultPlan::at(4, Side::Before, Failure::Error(deadlock.clone()));
    let connector = plan.connector(database.connector().unwrap());
    let options = trueup_session::ConnectOptions { create_if_missing: true, ..Default::default() };
    let mut first = connector.connect(&options).await.unwrap();
    let mut second = connector.connect(&options).await.unwrap();
    first.query("SELECT 1", &[]).await.unwrap();
    // Counted over both sessions.
    assert_eq!(second.query("SELECT 2", &[]).await.unwrap_err(), deadlock);
    second.query("SELECT 2", &[]).await.unwrap();
}

#[tokio::test]
async fn a_connection_may_not_come_about() {
    let database = TestDatabase::sqlite().unwrap();
    for side in [Side::Before, Side::After] {
        let plan = FaultPlan::at(2, side, Failure::Disconnect);
        let connector = plan.connector(database.connector().unwrap());
        let options = trueup_session::ConnectOptions { create_if_missing: true, ..Default::default() };
        connector.connect(&options).await.unwrap().close().await.unwrap();
        assert_eq!(connector.connect(&options).await.unwrap_err().kind, DbErrorKind::CannotConnect);
        connector.connect(&options).await.unwrap();
        assert_eq!(plan.log(), [Call::Connect, Call::Connect, Call::Connect]);
    }
}

#[tokio::test]
async fn the_server_rolls_a_cut_session_back() {
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let plan = FaultPlan::at(4, Side::After, Failure::Disconnect);
        break_at(&database, &plan).await.unwrap_err();
        assert_eq!(rows(&database).await, Some(0), "{}", server.name());
    }
}
