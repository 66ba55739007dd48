//! SQLite: one transaction is lock, work and record.

use std::time::Duration;

use trueup_execute::{ExecuteError, RunRequest, RunStatus};
use trueup_plan::Statement;
use trueup_schema::DialectId;
use trueup_session::{Session, TransactionMode};
use trueup_testkit::{FaultPlan, TestDatabase};

use super::kit::{Stage, request};

fn stage() -> Stage {
    Stage::new(TestDatabase::sqlite().unwrap(), DialectId::Sqlite)
}

async fn pragma(session: &mut dyn Session, name: &str) -> i64 {
    session.query(&format!("PRAGMA {name}"), &[]).await.unwrap()[0].int(0).unwrap()
}

#[tokio::test]
async fn calls_come_in_this_order() {
    let stage = stage();
    let mut planner = stage.shop();
    planner.setup = vec![Statement::run("PRAGMA foreign_keys = OFF"), Statement::run("PRAGMA legacy_alter_table = ON")];
    planner.teardown =
        vec![Statement::run("PRAGMA legacy_alter_table = OFF"), Statement::run("PRAGMA foreign_keys = ON")];
    let log = FaultPlan::none();
    let mut session = log.session(stage.session().await);
    let applied = stage.run_on(&mut session, &planner, &request()).await.unwrap();
    assert_eq!((applied.status, applied.statements), (RunStatus::Synced, 3));
    let words = |call: String| call.split_whitespace().take(6).collect::<Vec<_>>().join(" ");
    let calls: Vec<String> = log.log().iter().map(|call| words(call.to_string())).collect();
    let at = |start: &str| {
        let found = calls.iter().position(|call| call.starts_with(start));
        found.unwrap_or_else(|| panic!("no {start} in {calls:#?}"))
    };
    let order = [
        "PRAGMA foreign_keys = 0",
        "BEGIN",
        "CREATE TABLE IF NOT EXISTS \"main\".\"_trueup_lock\"",
        "INSERT INTO \"main\".\"_trueup_lock\"",
        "PRAGMA legacy_alter_table = ON",
        "CREATE TABLE users",
        "CREATE TABLE posts",
        "INSERT INTO \"main\".\"_trueup_history\"",
        "INSERT INTO \"main\".\"_trueup_objects\"",
        "DELETE FROM \"main\".\"_trueup_ledger\"",
        "UPDATE \"main\".\"_trueup_lock\" SET owner",
        "COMMIT",
        "PRAGMA legacy_alter_table = OFF",
        "PRAGMA foreign_keys = 1",
    ];
    let positions: Vec<usize> = order.iter().map(|start| at(start)).collect();
    assert!(positions.is_sorted(), "{calls:#?}");
    assert!(!calls.contains(&"PRAGMA foreign_keys = OFF".to_owned()), "in force already: {calls:#?}");
    assert_eq!(calls.iter().filter(|call| *call == "BEGIN").count(), 1);
}

#[tokio::test]
async fn settings_are_put_back_whatever_happens() {
    let stage = stage();
    let mut broken = stage.shop();
    broken.setup = vec![Statement::run("PRAGMA legacy_alter_table = ON")];
    broken.work[1].statements.push(Statement::run("SELECT * FROM nowhere"));
    let mut refused = stage.shop();
    refused.work[0].class = trueup_plan::Class::Lossy { what: "all".to_owned() };
    for foreign_keys in [0, 1] {
        let mut session = stage.session().await;
        session.query(&format!("PRAGMA foreign_keys = {foreign_keys}"), &[]).await.unwrap();
        for planner in [&broken, &refused] {
            drop(stage.run_on(session.as_mut(), planner, &request()).await);
            assert_eq!(pragma(session.as_mut(), "foreign_keys").await, foreign_keys);
            assert_eq!(pragma(session.as_mut(), "legacy_alter_table").await, 0);
            assert_eq!(pragma(session.as_mut(), "busy_timeout").await, 5000);
        }
    }
}

#[tokio::test]
async fn a_setting_that_does_not_take_is_an_error() {
    let stage = stage();
    let mut planner = stage.shop();
    planner.setup = vec![Statement::run("PRAGMA foreign_keys = ON")];
    let error = stage.run(&planner, &request()).await.unwrap_err();
    assert!(error.to_string().contains("did not take"), "{error}");
    assert!(stage.everything().await.is_empty());
}

#[tokio::test]
async fn a_busy_file_is_waited_for_until_the_deadline() {
    let stage = stage();
    let mut other = stage.session().await;
    other.begin(TransactionMode::Write).await.unwrap();
    let hasty = RunRequest { lock_wait: Duration::from_millis(300), ..request() };
    let error = stage.run(&stage.shop(), &hasty).await.unwrap_err();
    assert!(matches!(error, ExecuteError::Lock(_)), "{error:?}");
    assert!(error.to_string().contains("within 300 ms: another connection is writing"), "{error}");
    let release = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        other.rollback().await.unwrap();
    };
    let planner = stage.shop();
    let request = request();
    let (applied, ()) = tokio::join!(stage.run(&planner, &request), release);
    assert_eq!(applied.unwrap().status, RunStatus::Synced);
}

#[tokio::test]
async fn a_failure_leaves_an_empty_file() {
    let stage = stage();
    let mut planner = stage.shop();
    planner.work[1].statements.push(Statement::run("SELECT * FROM nowhere"));
    drop(stage.run(&planner, &request()).await);
    assert!(stage.everything().await.is_empty());
}

/// A disk that is full at any page of a rebuild: everything is as it was, and with room the next run gets there.
#[tokio::test]
async fn a_full_disk_rolls_everything_back() {
    let stage = Stage::new(TestDatabase::sqlite().unwrap(), DialectId::Sqlite);
    let setup = [
        "CREATE TABLE users (id INTEGER PRIMARY KEY, note TEXT)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) \
         INSERT INTO users SELECT i, hex(zeroblob(300)) FROM n",
        "CREATE TABLE posts (id INTEGER PRIMARY KEY, author INTEGER REFERENCES users (id) ON DELETE CASCADE)",
        "INSERT INTO posts SELECT id, id FROM users",
    ];
    stage.database.session_after(&setup).await.unwrap().close().await.unwrap();
    let mut work = stage.table("users", "CREATE TABLE users_new (id INTEGER PRIMARY KEY, note TEXT NOT NULL)");
    work.probe = "SELECT count(*) FROM pragma_table_info('users') WHERE name = 'note' AND \"notnull\" = 1".to_owned();
    for sql in [
        "INSERT INTO users_new SELECT id, note FROM users",
        "DROP TABLE users",
        "ALTER TABLE users_new RENAME TO users",
    ] {
        work.statements.push(trueup_plan::Statement::run(sql));
    }
    let planner = stage.planner(vec![work]);
    let pages = first(&stage, "PRAGMA page_count").await;
    let mut refused = 0;
    for more in (0..).step_by(7) {
        let mut session = stage.session().await;
        session.query(&format!("PRAGMA max_page_count = {}", pages + more), &[]).await.unwrap();
        let ended = stage.run_on(session.as_mut(), &planner, &request()).await;
        session.close().await.unwrap();
        assert_eq!(first(&stage, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'").await, 1);
        assert_eq!(first(&stage, "SELECT count(*) FROM users").await, 300);
        assert_eq!(first(&stage, "SELECT count(*) FROM posts").await, 300);
        match ended {
            Ok(applied) => {
                assert_eq!(applied.status, RunStatus::Synced);
                break;
            }
            Err(error) => {
                refused += 1;
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                assert!(cause.contains("full"), "{error}: {cause}");
                assert_eq!(stage.everything().await, ["posts", "users"]);
            }
        }
    }
    assert!(refused > 5, "{refused}");
}

async fn first(stage: &Stage, sql: &str) -> i64 {
    stage.session().await.query(sql, &[]).await.unwrap()[0].int(0).unwrap()
}
