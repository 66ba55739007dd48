//! MySQL and MariaDB: every server that the environment lists.

use std::time::Duration;

use trueup_schema::DialectId;
use trueup_session::{ConnectOptions, DbErrorKind, Session, TransactionMode, Value};
use trueup_testkit::servers::Engine;

use super::{open, servers, to};

/// A session in a database of the test's own, dropped and made anew.
async fn with_database(url: &str, name: &str) -> Box<dyn Session> {
    let mut session = open(url).await;
    session.execute(&format!("DROP DATABASE IF EXISTS {name}")).await.unwrap();
    session.execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    session.close().await.unwrap();
    to(url).with_database(name).connect(&ConnectOptions::default()).await.unwrap()
}

async fn drop_database(mut session: Box<dyn Session>, name: &str) {
    session.execute(&format!("DROP DATABASE {name}")).await.unwrap();
    session.close().await.unwrap();
}

#[tokio::test]
async fn the_server_introduces_itself_and_settings_are_pinned() {
    for (name, url) in servers::mysql() {
        let session = open(&url).await;
        assert_eq!((session.server().default_namespace.as_deref(), session.server().database.as_str()), (None, ""));
        session.close().await.unwrap();
        let session = with_database(&url, "session_hello").await;
        let server = session.server().clone();
        let dialect = if name.engine == Engine::MariaDb { DialectId::MariaDb } else { DialectId::MySql };
        assert_eq!((server.dialect, server.default_namespace.as_deref()), (dialect, Some("session_hello")));
        assert_eq!(name.version, format!("{}.{}", server.version[0], server.version[1]));
        assert!(server.sql_mode.is_some_and(|mode| mode.contains("NO_ENGINE_SUBSTITUTION")));
        assert!(session.backend().id > 0 && session.backend().started.starts_with("20"), "{:?}", session.backend());
        let mut other = open(&url).await;
        assert_eq!(other.backend().started, session.backend().started);
        let sql =
            "SELECT @@sql_mode, @@time_zone, @@character_set_connection, 'a' || 'b', @@transaction_isolation, '\\\\'";
        let sql = if dialect == DialectId::MariaDb {
            sql.replace("@@transaction_isolation", "@@tx_isolation")
        } else {
            sql.to_owned()
        };
        let rows = other.query(&sql, &[]).await.unwrap();
        assert!(rows[0].text(0).unwrap().contains("STRICT_ALL_TABLES") && !rows[0].text(0).unwrap().contains("PIPES"));
        assert_eq!(
            (rows[0].text(1).unwrap(), rows[0].text(2).unwrap(), rows[0].int(3).unwrap()),
            ("+00:00", "utf8mb4", 0)
        );
        assert_eq!((rows[0].text(4).unwrap(), rows[0].text(5).unwrap()), ("REPEATABLE-READ", "\\"));
        drop_database(session, "session_hello").await;
    }
}

#[tokio::test]
async fn questions_with_one_answer_each_go_together() {
    for (_, url) in servers::mysql() {
        let mut session = with_database(&url, "session_each").await;
        for sql in ["CREATE TABLE a (i int)", "CREATE TABLE `b;c` (i int)", "CREATE VIEW v AS SELECT 1 AS one"] {
            session.execute(sql).await.unwrap();
        }
        let show = |list: &[&str]| list.iter().map(|what| format!("SHOW CREATE {what}")).collect::<Vec<_>>();
        let rows = session.query_each(&show(&["TABLE a", "VIEW v", "TABLE a"])).await.unwrap();
        let names: Vec<&str> = rows.iter().map(|row| row.text(0).unwrap()).collect();
        assert_eq!(names, ["a", "v", "a"]);
        // A name that could be the end of a statement.
        let rows = session.query_each(&show(&["TABLE `b;c`", "TABLE a"])).await.unwrap();
        assert_eq!(rows[0].text(0).unwrap(), "b;c");
        let error = session.query_each(&show(&["TABLE a", "TABLE nowhere", "VIEW v"])).await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::UndefinedObject, "{error}");
        // Whatever failed, the session goes on.
        assert_eq!(session.query_each(&["SELECT 7".to_owned()]).await.unwrap()[0].int(0).unwrap(), 7);
        let error = session.query_each(&["SHOW TABLES".to_owned()]).await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::Decode, "{error}");
        assert!(session.query_each(&[]).await.unwrap().is_empty());
        drop_database(session, "session_each").await;
    }
}

#[tokio::test]
async fn values_come_back_by_their_type() {
    for (name, url) in servers::mysql() {
        let mut session = with_database(&url, "session_values").await;
        session
            .execute(
                "CREATE TABLE t (a TINYINT, b BIGINT UNSIGNED, c DECIMAL(5,2), d DOUBLE, e FLOAT, f VARCHAR(9), g LONGTEXT, \
                 h VARBINARY(9), i BLOB, j DATETIME, k TIMESTAMP(6) NULL, l DATE, m TIME, n JSON, o ENUM('x','y'), p BIT(9), \
                 q YEAR, r TINYINT(1), s SET('x','y'), t CHAR(3) CHARACTER SET latin1, u TINYINT(1) UNSIGNED)",
            )
            .await
            .unwrap();
        let insert = "INSERT INTO t VALUES (-1, 18446744073709551615, 1.50, 1.5, 2.5, 'ä', 'long', x'00ff', x'01', \
                      '2026-11-30 01:02:03', '2026-11-30 01:02:03.5', '2026-11-30', '-26:03:04', '{\"k\": 1}', 'y', b'100000001', \
                      2026, 1, 'x,y', 'ü', 200)";
        assert_eq!(session.execute(insert).await.unwrap(), 1);
        session.execute("INSERT INTO t (a, b) VALUES (NULL, 9)").await.unwrap();
        let error = session.query("SELECT b FROM t", &[]).await.unwrap_err();
        assert!(error.kind == DbErrorKind::Decode && error.message.contains("18446744073709551615"), "{error}");
        let columns = "a, CAST(c AS CHAR), c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u";
        let rows = session.query(&format!("SELECT {columns} FROM t WHERE a = ?"), &[Value::Int(-1)]).await.unwrap();
        let expected = [
            Value::Int(-1),
            "1.50".into(),
            "1.50".into(),
            Value::Float(1.5),
            Value::Float(2.5),
            "ä".into(),
            "long".into(),
            Value::Bytes(vec![0, 255]),
            Value::Bytes(vec![1]),
            "2026-11-30 01:02:03".into(),
            "2026-11-30 01:02:03.500000".into(),
            "2026-11-30".into(),
            "-26:03:04".into(),
            "{\"k\": 1}".into(),
            "y".into(),
            Value::Int(257),
            Value::Int(2026),
            Value::Int(1),
            "x,y".into(),
            "ü".into(),
            Value::Int(200),
        ];
        assert_eq!(rows[0].values().collect::<Vec<_>>(), expected, "{name:?}");
        let rows = session.query(&format!("SELECT {columns} FROM t WHERE a IS NULL"), &[]).await.unwrap();
        assert!(rows[0].values().all(|value| value == Value::Null));
        let all = [Value::Null, true.into(), 7.into(), Value::Float(0.5), "x".into(), Value::Bytes(vec![1, 255])];
        let rows = session.query("SELECT ?, ?, ?, ?, ?, ?", &all).await.unwrap();
        assert_eq!(
            rows[0].values().collect::<Vec<_>>(),
            [Value::Null, 1.into(), 7.into(), Value::Float(0.5), "x".into(), Value::Bytes(vec![1, 255])]
        );
        assert!(session.query("SELECT ?", &[Value::Ints(vec![])]).await.is_err());
        for sql in ["SHOW CREATE TABLE t", "SHOW VARIABLES LIKE 'sql_mode'", "SHOW WARNINGS"] {
            session.query(sql, &[]).await.unwrap();
        }
        let sql = "SELECT COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, COLUMN_DEFAULT, IS_NULLABLE, EXTRA \
                   FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? ORDER BY ORDINAL_POSITION";
        let rows = session.query(sql, &["session_values".into()]).await.unwrap();
        assert_eq!((rows.len(), rows[0].text(0).unwrap(), rows[0].text(2).unwrap()), (21, "a", "tinyint"));
        drop_database(session, "session_values").await;
    }
}

#[tokio::test]
async fn several_statements_at_once_never_run() {
    for (_, url) in servers::mysql() {
        let mut session = with_database(&url, "session_single").await;
        session.execute("CREATE TABLE t (a INT)").await.unwrap();
        for sql in [
            "DROP TABLE t; SELECT 1",
            "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)",
            "LOCK TABLES t READ; DROP TABLE t",
        ] {
            assert_eq!(session.execute(sql).await.unwrap_err().kind, DbErrorKind::Syntax, "{sql}");
            assert_eq!(session.query(sql, &[]).await.unwrap_err().kind, DbErrorKind::Syntax, "{sql}");
        }
        assert_eq!(session.query("SELECT COUNT(*) FROM t", &[]).await.unwrap()[0].int(0).unwrap(), 0);
        // A body with semicolons is one statement, prepared or not.
        session
            .execute("CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW BEGIN SET @x = 1; SET @y = 2; END")
            .await
            .unwrap();
        session.execute("CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END").await.unwrap();
        session.execute("INSERT INTO t VALUES (1);").await.unwrap();
        session.execute("LOCK TABLES t READ").await.unwrap();
        session.execute("UNLOCK TABLES").await.unwrap();
        drop_database(session, "session_single").await;
    }
}

#[tokio::test]
async fn errors_have_kinds_and_constraints() {
    for (name, url) in servers::mysql() {
        let mut session = with_database(&url, "session_errors").await;
        session.execute("CREATE TABLE p (id INT PRIMARY KEY)").await.unwrap();
        session
            .execute(
                "CREATE TABLE t (a INT NOT NULL, b INT, c INT, d VARCHAR(2), CONSTRAINT own UNIQUE (a), \
                 CONSTRAINT positive CHECK (b > 0), CONSTRAINT parent FOREIGN KEY (c) REFERENCES p (id))",
            )
            .await
            .unwrap();
        session.execute("INSERT INTO t VALUES (1, 1, NULL, NULL)").await.unwrap();
        for (sql, kind, constraint) in [
            ("SELEC 1", DbErrorKind::Syntax, None),
            ("SELECT * FROM nowhere", DbErrorKind::UndefinedObject, None),
            ("SELECT nix FROM t", DbErrorKind::UndefinedObject, None),
            ("ALTER TABLE t DROP COLUMN nix", DbErrorKind::UndefinedObject, None),
            ("DROP TABLE nowhere", DbErrorKind::UndefinedObject, None),
            ("USE session_nowhere", DbErrorKind::UndefinedObject, None),
            ("CREATE TABLE t (x INT)", DbErrorKind::DuplicateObject, None),
            ("ALTER TABLE t ADD a INT", DbErrorKind::DuplicateObject, None),
            ("CREATE INDEX own ON t (b)", DbErrorKind::DuplicateObject, None),
            ("INSERT INTO t (a) VALUES (1)", DbErrorKind::UniqueViolation, Some("own")),
            ("INSERT INTO t (a) VALUES (NULL)", DbErrorKind::NotNullViolation, None),
            ("INSERT INTO t (b) VALUES (1)", DbErrorKind::NotNullViolation, None),
            ("INSERT INTO t (a, b) VALUES (2, 0)", DbErrorKind::CheckViolation, Some("positive")),
            ("INSERT INTO t (a, c) VALUES (2, 9)", DbErrorKind::ForeignKeyViolation, Some("parent")),
            ("ALTER TABLE t DROP KEY parent", DbErrorKind::DependentObjects, None),
        ] {
            let error = session.execute(sql).await.unwrap_err();
            assert_eq!((error.kind, error.constraint.as_deref()), (kind, constraint), "{name:?}: {sql}: {error:?}");
        }
        let error = session.execute("INSERT INTO t (a, d) VALUES (3, 'long')").await.unwrap_err();
        assert_eq!(error.sqlstate.as_deref(), Some("22001"), "strict: {error}");
        drop_database(session, "session_errors").await;
    }
}

#[tokio::test]
async fn transactions_are_tracked_through_implicit_commits() {
    for (_, url) in servers::mysql() {
        let mut session = with_database(&url, "session_transactions").await;
        session.execute("CREATE TABLE t (a INT)").await.unwrap();
        session.begin(TransactionMode::Write).await.unwrap();
        assert!(session.begin(TransactionMode::Write).await.is_err());
        session.execute("INSERT INTO t VALUES (1)").await.unwrap();
        session.rollback().await.unwrap();
        session.begin(TransactionMode::Write).await.unwrap();
        session.execute("INSERT INTO t VALUES (2)").await.unwrap();
        session.execute("ALTER TABLE t ADD b INT").await.unwrap();
        assert!(!session.in_transaction());
        assert!(session.commit().await.is_err());

        session.begin(TransactionMode::ReadOnly).await.unwrap();
        let mut other =
            to(&url).with_database("session_transactions").connect(&ConnectOptions::default()).await.unwrap();
        other.execute("INSERT INTO t VALUES (3, 3)").await.unwrap();
        assert_eq!(session.query("SELECT a FROM t", &[]).await.unwrap().len(), 1);
        let error = session.execute("DELETE FROM t").await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::ReadOnly);
        session.commit().await.unwrap();
        assert_eq!(session.query("SELECT a FROM t", &[]).await.unwrap().len(), 2);

        let options = ConnectOptions { read_only: true, ..ConnectOptions::default() };
        let mut reader = to(&url).with_database("session_transactions").connect(&options).await.unwrap();
        assert_eq!(reader.execute("DELETE FROM t").await.unwrap_err().kind, DbErrorKind::ReadOnly);
        reader.close().await.unwrap();
        drop_database(session, "session_transactions").await;
    }
}

#[tokio::test]
async fn a_statement_can_be_stopped_and_a_killed_session_says_so() {
    for (_, url) in servers::mysql() {
        let mut session = open(&url).await;
        let handle = session.cancel_handle();
        let stop = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            handle.cancel().await.unwrap();
        };
        let slow = "SELECT COUNT(*) FROM information_schema.COLLATIONS a, information_schema.COLLATIONS b, \
                    information_schema.COLLATIONS c, information_schema.COLLATIONS d, information_schema.COLLATIONS e";
        let (result, ()) = tokio::join!(session.query(slow, &[]), stop);
        assert_eq!(result.unwrap_err().kind, DbErrorKind::StatementTimeout);

        session.begin(TransactionMode::Write).await.unwrap();
        let mut other = open(&url).await;
        other.execute(&format!("KILL {}", session.backend().id)).await.unwrap();
        let error = session.commit().await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::ConnectionLost, "{error:?}");
        assert!(!session.in_transaction());
        // Nothing is left to stop.
        session.cancel_handle().cancel().await.unwrap();
    }
}

#[tokio::test]
async fn where_nothing_answers_the_message_says_where_and_no_secret() {
    let quick = ConnectOptions { timeout: Duration::from_secs(3), ..ConnectOptions::default() };
    for (_, url) in servers::mysql() {
        let error = to(&url).with_database("session_nowhere").connect(&quick).await.unwrap_err();
        assert!(error.kind == DbErrorKind::CannotConnect && error.message.contains("session_nowhere"), "{error:?}");
        let port = to(&url).url().port().unwrap();
        let error = to(&format!("mysql://session_nobody:canary@127.0.0.1:{port}/x")).connect(&quick).await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::AuthenticationFailed, "{error}");
        assert!(!format!("{error:?}").contains("canary"));
    }
}
