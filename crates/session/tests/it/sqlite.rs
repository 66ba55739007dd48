//! SQLite, in memory and in files.

use std::time::Duration;

use trueup_schema::DialectId;
use trueup_session::{ConnectOptions, DatabaseUrl, DbErrorKind, TransactionMode, Value, copy_database};

use super::{open, to};

const MEMORY: &str = "sqlite::memory:";

#[tokio::test]
async fn the_engine_introduces_itself() {
    let session = open(MEMORY).await;
    let server = session.server();
    assert_eq!((server.dialect, server.default_namespace.as_deref()), (DialectId::Sqlite, None));
    assert!(server.version[0] == 3 && server.version_text.starts_with("3."));
    assert_eq!((server.database.as_str(), session.backend().id), (":memory:", 0));
    session.close().await.unwrap();
}

#[tokio::test]
async fn values_come_back_by_their_storage_class() {
    let mut session = open(MEMORY).await;
    session.execute("CREATE TABLE t (a INTEGER, b TEXT, c)").await.unwrap();
    session.execute("INSERT INTO t VALUES ('text', x'00ff', 1.5), (NULL, '', -9223372036854775808)").await.unwrap();
    let rows = session.query("SELECT a, b, c FROM t ORDER BY rowid", &[]).await.unwrap();
    assert_eq!(
        rows[0].values().collect::<Vec<_>>(),
        [Value::from("text"), Value::Bytes(vec![0, 255]), Value::Float(1.5)]
    );
    assert_eq!(rows[1].values().collect::<Vec<_>>(), [Value::Null, Value::from(""), Value::Int(i64::MIN)]);
    let all = [Value::Null, true.into(), 7.into(), Value::Float(0.5), "x".into(), Value::Bytes(vec![1])];
    let back = session.query("SELECT ?, ?, ?, ?, ?, ?", &all).await.unwrap();
    assert_eq!(
        back[0].values().collect::<Vec<_>>(),
        [Value::Null, 1.into(), 7.into(), Value::Float(0.5), "x".into(), Value::Bytes(vec![1])]
    );
    assert!(back[0].bool(1).unwrap());
    let error = session.query("SELECT ?", &[Value::Ints(vec![])]).await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::Other);
    let error = session.query("SELECT CAST(x'ff' AS TEXT)", &[]).await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::Decode);
}

#[tokio::test]
async fn a_changed_table_never_meets_a_stale_statement() {
    let mut session = open(MEMORY).await;
    session.execute("CREATE TABLE t (a)").await.unwrap();
    session.execute("INSERT INTO t VALUES (1)").await.unwrap();
    assert_eq!(session.query("SELECT * FROM t", &[]).await.unwrap()[0].len(), 1);
    assert_eq!(session.execute("ALTER TABLE t ADD b DEFAULT 2").await.unwrap(), 0);
    assert_eq!(
        session.query("SELECT * FROM t", &[]).await.unwrap()[0].values().collect::<Vec<_>>(),
        [Value::Int(1), Value::Int(2)]
    );
    assert_eq!(session.query("PRAGMA foreign_keys", &[]).await.unwrap()[0].int(0).unwrap(), 1);
}

#[tokio::test]
async fn errors_have_kinds() {
    let mut session = open(MEMORY).await;
    session.execute("CREATE TABLE p (id INTEGER PRIMARY KEY)").await.unwrap();
    let table = "CREATE TABLE t (a INTEGER NOT NULL UNIQUE, b CONSTRAINT positive CHECK (b > 0), c REFERENCES p \
                 ON DELETE RESTRICT) STRICT";
    session
        .execute(&table.replace("b CONSTRAINT", "b INTEGER CONSTRAINT").replace("c REF", "c INTEGER REF"))
        .await
        .unwrap();
    session.execute("CREATE VIEW v AS SELECT b FROM t").await.unwrap();
    session.execute("INSERT INTO p VALUES (1)").await.unwrap();
    session.execute("INSERT INTO t VALUES (1, 1, 1)").await.unwrap();
    for (sql, kind) in [
        ("SELEC 1", DbErrorKind::Syntax),
        ("SELECT 'open", DbErrorKind::Syntax),
        ("SELECT 1; SELECT 2", DbErrorKind::Syntax),
        ("SELECT * FROM nowhere", DbErrorKind::UndefinedObject),
        ("SELECT nix FROM t", DbErrorKind::UndefinedObject),
        ("INSERT INTO t (nix) VALUES (1)", DbErrorKind::UndefinedObject),
        ("DROP INDEX nix", DbErrorKind::UndefinedObject),
        ("CREATE TABLE t (x)", DbErrorKind::DuplicateObject),
        ("ALTER TABLE t ADD a", DbErrorKind::DuplicateObject),
        ("INSERT INTO t VALUES (1, 1, NULL)", DbErrorKind::UniqueViolation),
        ("INSERT INTO t VALUES (NULL, 1, NULL)", DbErrorKind::NotNullViolation),
        ("INSERT INTO t VALUES (2, 0, NULL)", DbErrorKind::CheckViolation),
        ("INSERT INTO t VALUES (2, 1, 9)", DbErrorKind::ForeignKeyViolation),
        ("DELETE FROM p", DbErrorKind::ForeignKeyViolation),
        ("INSERT INTO t VALUES ('x', 1, 1)", DbErrorKind::CheckViolation),
        ("ALTER TABLE t DROP COLUMN b", DbErrorKind::DependentObjects),
    ] {
        let error = session.execute(sql).await.unwrap_err();
        assert_eq!(error.kind, kind, "{sql}: {error}");
    }
    let error = session.execute("INSERT INTO t VALUES (3, 0, NULL)").await.unwrap_err();
    assert_eq!(error.constraint.as_deref(), Some("positive"));
}

#[tokio::test]
async fn transactions_are_tracked_even_where_the_engine_ends_them() {
    let mut session = open(MEMORY).await;
    session.execute("CREATE TABLE t (a UNIQUE ON CONFLICT ROLLBACK)").await.unwrap();
    assert!(session.commit().await.is_err());
    session.rollback().await.unwrap();

    session.begin(TransactionMode::Write).await.unwrap();
    assert!(session.begin(TransactionMode::Write).await.is_err() && session.in_transaction());
    assert_eq!(session.execute("INSERT INTO t VALUES (1), (2)").await.unwrap(), 2);
    assert!(session.execute("INSERT INTO nowhere VALUES (1)").await.is_err());
    assert!(session.in_transaction(), "an ordinary error leaves it open");
    session.commit().await.unwrap();

    session.begin(TransactionMode::Write).await.unwrap();
    session.execute("INSERT INTO t VALUES (3)").await.unwrap();
    assert!(session.execute("INSERT INTO t VALUES (1)").await.is_err());
    assert!(!session.in_transaction(), "ON CONFLICT ROLLBACK has ended it");
    assert!(session.commit().await.is_err());

    session.begin(TransactionMode::ReadOnly).await.unwrap();
    let error = session.execute("INSERT INTO t VALUES (4)").await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::ReadOnly);
    session.rollback().await.unwrap();
    assert_eq!(session.execute("INSERT INTO t VALUES (4)").await.unwrap(), 1);
    assert_eq!(session.query("SELECT count(*) FROM t", &[]).await.unwrap()[0].int(0).unwrap(), 3);
}

#[tokio::test]
async fn files_are_made_only_when_asked_and_locked_by_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}/a b.db", folder.path().display());
    let error = to(&url).connect(&ConnectOptions::default()).await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::CannotConnect);
    assert!(error.message.contains("a b.db"));
    let create = ConnectOptions { create_if_missing: true, ..ConnectOptions::default() };
    let mut writer = to(&url).connect(&create).await.unwrap();
    writer.execute("CREATE TABLE t (a)").await.unwrap();

    let read_only = ConnectOptions { read_only: true, ..ConnectOptions::default() };
    let mut reader = to(&url).connect(&read_only).await.unwrap();
    assert_eq!(reader.execute("INSERT INTO t VALUES (1)").await.unwrap_err().kind, DbErrorKind::ReadOnly);

    writer.begin(TransactionMode::Write).await.unwrap();
    let mut other = open(&url).await;
    other.query("PRAGMA busy_timeout = 50", &[]).await.unwrap();
    let error = other.begin(TransactionMode::Write).await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::LockTimeout);
    assert!(!other.in_transaction());

    let garbage = folder.path().join("garbage.db");
    std::fs::write(&garbage, [b'x'; 4096]).unwrap();
    let error = to(&format!("sqlite://{}", garbage.display())).connect(&ConnectOptions::default()).await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::CannotConnect, "{error}");
}

#[tokio::test]
async fn a_running_statement_can_be_stopped() {
    let mut session = open(MEMORY).await;
    let handle = session.cancel_handle();
    // A cancel of an idle session stops nothing.
    handle.cancel().await.unwrap();
    session.execute("CREATE TABLE t (a)").await.unwrap();
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    let stop = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        handle.cancel().await.unwrap();
    };
    let (result, ()) = tokio::join!(session.query(endless, &[]), stop);
    assert_eq!(result.unwrap_err().kind, DbErrorKind::StatementTimeout);
    session.execute("INSERT INTO t VALUES (1)").await.unwrap();
}

#[tokio::test]
async fn a_copy_holds_the_log_and_keeps_rowids() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let url = DatabaseUrl::parse(&format!("sqlite://{}?mode=rwc", path.display())).unwrap();
    let mut session = open(url.secret_text()).await;
    session.query("PRAGMA journal_mode = WAL", &[]).await.unwrap();
    session.execute("CREATE TABLE t (a)").await.unwrap();
    session.execute("INSERT INTO t (rowid, a) VALUES (7, 'x'), (70, 'y')").await.unwrap();
    // An open writer does not hold the copy up, and what it has not committed is not copied.
    session.begin(TransactionMode::Write).await.unwrap();
    session.execute("INSERT INTO t VALUES ('uncommitted')").await.unwrap();

    let target = folder.path().join("b.db");
    copy_database(&url, &target, &ConnectOptions::default()).await.unwrap();
    let mut copy = open(&format!("sqlite://{}", target.display())).await;
    let rows = copy.query("SELECT rowid, a FROM t ORDER BY rowid", &[]).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.int(0).unwrap()).collect::<Vec<_>>(), [7, 70]);
    assert_eq!(copy.query("PRAGMA integrity_check", &[]).await.unwrap()[0].text(0).unwrap(), "ok");
    session.commit().await.unwrap();

    let error = copy_database(&url, &target, &ConnectOptions::default()).await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::DuplicateObject);
}
