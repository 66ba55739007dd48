//! PostgreSQL: every server that the environment lists.

use std::time::Duration;

use trueup_schema::DialectId;
use trueup_session::{ConnectOptions, DbErrorKind, Session, TransactionMode, Value};

use super::{open, servers, to};

/// A namespace of the test's own, dropped and made anew.
async fn with_namespace(url: &str, name: &str) -> Box<dyn Session> {
    let mut session = open(url).await;
    session.execute(&format!("DROP SCHEMA IF EXISTS {name} CASCADE")).await.unwrap();
    session.execute(&format!("CREATE SCHEMA {name}")).await.unwrap();
    session
}

async fn drop_namespace(mut session: Box<dyn Session>, name: &str) {
    session.execute(&format!("DROP SCHEMA {name} CASCADE")).await.unwrap();
    session.close().await.unwrap();
}

#[tokio::test]
async fn the_server_introduces_itself_and_settings_are_pinned() {
    for (name, url) in servers::postgres() {
        let mut session = open(&url).await;
        let server = session.server().clone();
        assert_eq!((server.dialect, server.version[0].to_string()), (DialectId::Postgres, name.version));
        assert_eq!(server.default_namespace.as_deref(), Some("public"));
        assert_eq!(server.database, "postgres");
        let rows = session.query("SELECT pg_backend_pid(), current_setting('application_name')", &[]).await.unwrap();
        assert_eq!(u64::try_from(rows[0].int(0).unwrap()).unwrap(), session.backend().id);
        assert_eq!(rows[0].text(1).unwrap(), "trueup");
        assert!(session.backend().started.starts_with("20"));
        for (setting, value) in [
            ("search_path", "\"\""),
            ("client_encoding", "UTF8"),
            ("TimeZone", "UTC"),
            ("DateStyle", "ISO, MDY"),
            ("extra_float_digits", "3"),
            ("jit", "off"),
            ("idle_session_timeout", "0"),
            ("default_transaction_isolation", "read committed"),
        ] {
            let rows = session.query("SELECT current_setting($1)", &[setting.into()]).await.unwrap();
            let shown = rows[0].text(0).unwrap();
            assert!(shown == value || (value == "\"\"" && shown.is_empty()), "{setting} is {shown}");
        }
        session.close().await.unwrap();
    }
}

#[tokio::test]
async fn catalog_types_are_read() {
    for (_, url) in servers::postgres() {
        let mut session = open(&url).await;
        let sql = "SELECT true, 1::int2, -2::int4, 3::int8, 4294967295::oid, 'r'::\"char\", '9'::xid, 1.5::float4, \
                   2.5::float8, 'a'::text, 'b'::varchar(3), 'c'::name, 'd'::char(2), '\\x00ff'::bytea, NULL::text, \
                   '{a,NULL}'::text[], '{b}'::name[], '{1,NULL}'::int2[], '{2}'::int4[], '{3}'::int8[], '{4}'::oid[], \
                   '1 2'::int2vector, '3 4'::oidvector, '{x,y}'::\"char\"[], '{}'::text[], '{\"k\": 1}'::jsonb, '[1]'::json, \
                   '00000000-0000-0000-0000-00000000000a'::uuid, pg_sleep(0)";
        let expected = [
            Value::Bool(true),
            Value::Int(1),
            Value::Int(-2),
            Value::Int(3),
            Value::Int(4_294_967_295),
            "r".into(),
            Value::Int(9),
            Value::Float(1.5),
            Value::Float(2.5),
            "a".into(),
            "b".into(),
            "c".into(),
            "d ".into(),
            Value::Bytes(vec![0, 255]),
            Value::Null,
            Value::Texts(vec![Some("a".into()), None]),
            Value::Texts(vec![Some("b".into())]),
            Value::Ints(vec![Some(1), None]),
            Value::Ints(vec![Some(2)]),
            Value::Ints(vec![Some(3)]),
            Value::Ints(vec![Some(4)]),
            Value::Ints(vec![Some(1), Some(2)]),
            Value::Ints(vec![Some(3), Some(4)]),
            Value::Texts(vec![Some("x".into()), Some("y".into())]),
            Value::Texts(vec![]),
            "{\"k\": 1}".into(),
            "[1]".into(),
            "00000000-0000-0000-0000-00000000000a".into(),
            Value::Null,
        ];
        let rows = session.query(sql, &[]).await.unwrap();
        assert_eq!(rows[0].values().collect::<Vec<_>>(), expected);
        for (sql, type_name) in
            [("SELECT 1.5::numeric", "NUMERIC"), ("SELECT 'int4'::regtype", "regtype"), ("SELECT now()", "TIMESTAMPTZ")]
        {
            let error = session.query(sql, &[]).await.unwrap_err();
            assert!(error.kind == DbErrorKind::Decode && error.message.contains(type_name), "{error}");
        }
        // The catalog's own columns, domains of information_schema among them.
        let sql = "SELECT c.oid, c.relname, c.relkind, c.reloptions, i.indkey, i.indclass, k.conkey, c.relfrozenxid \
                   FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid \
                   LEFT JOIN pg_constraint AS k ON k.conindid = c.oid WHERE c.relname = $1";
        let rows = session.query(sql, &["pg_class_oid_index".into()]).await.unwrap();
        assert_eq!((rows[0].text(2).unwrap(), rows[0].ints(4).unwrap()), ("i", vec![1]));
        let sql = "SELECT table_name, ordinal_position, is_nullable, data_type FROM information_schema.columns LIMIT 1";
        assert_eq!(session.query(sql, &[]).await.unwrap()[0].len(), 4);
    }
}

#[tokio::test]
async fn parameters_of_every_kind_arrive() {
    for (_, url) in servers::postgres() {
        let mut session = with_namespace(&url, "session_parameters").await;
        session.execute("CREATE TYPE session_parameters.mood AS ENUM ('sad', 'glad')").await.unwrap();
        session.execute("CREATE TABLE session_parameters.t (a int, b text, m session_parameters.mood)").await.unwrap();
        let sql = "INSERT INTO session_parameters.t VALUES ($1, $2, $3::text::session_parameters.mood)";
        session.query(sql, &[Value::Null, Value::Null, "glad".into()]).await.unwrap();
        let rows = session.query("SELECT a, b, m, ARRAY[m] FROM session_parameters.t", &[]).await.unwrap();
        assert_eq!(
            rows[0].values().collect::<Vec<_>>(),
            [Value::Null, Value::Null, "glad".into(), Value::Texts(vec![Some("glad".into())])]
        );
        let all = [
            true.into(),
            7.into(),
            Value::Float(0.5),
            "x".into(),
            Value::Bytes(vec![1]),
            Value::Texts(vec![None, Some("y".into())]),
            Value::Ints(vec![Some(1), None]),
        ];
        let rows = session.query("SELECT $1, $2, $3, $4, $5, $6, $7", &all).await.unwrap();
        assert_eq!(rows[0].values().collect::<Vec<_>>(), all);
        // A changed table never meets a stale plan.
        session.query("SELECT * FROM session_parameters.t", &[]).await.unwrap();
        session.execute("ALTER TABLE session_parameters.t ADD x int DEFAULT 3, ALTER a TYPE bigint").await.unwrap();
        assert_eq!(session.query("SELECT * FROM session_parameters.t", &[]).await.unwrap()[0].len(), 4);
        drop_namespace(session, "session_parameters").await;
    }
}

#[tokio::test]
async fn errors_have_kinds_positions_and_constraints() {
    for (_, url) in servers::postgres() {
        let mut session = with_namespace(&url, "session_errors").await;
        session.execute("CREATE TABLE session_errors.p (id int PRIMARY KEY)").await.unwrap();
        session
            .execute(
                "CREATE TABLE session_errors.t (a int NOT NULL CONSTRAINT own UNIQUE, b int CONSTRAINT positive CHECK (b > 0), \
                 c int REFERENCES session_errors.p)",
            )
            .await
            .unwrap();
        session.execute("INSERT INTO session_errors.t VALUES (1, 1, NULL)").await.unwrap();
        for (sql, kind) in [
            ("SELEC 1", DbErrorKind::Syntax),
            ("SELECT 1; SELECT 2", DbErrorKind::Syntax),
            ("SELECT * FROM nowhere", DbErrorKind::UndefinedObject),
            ("CREATE TABLE session_errors.t (x int)", DbErrorKind::DuplicateObject),
            ("CREATE SCHEMA session_errors", DbErrorKind::DuplicateObject),
            ("INSERT INTO session_errors.t VALUES (1, 1, NULL)", DbErrorKind::UniqueViolation),
            ("INSERT INTO session_errors.t VALUES (NULL)", DbErrorKind::NotNullViolation),
            ("INSERT INTO session_errors.t VALUES (2, 0)", DbErrorKind::CheckViolation),
            ("INSERT INTO session_errors.t VALUES (2, 1, 9)", DbErrorKind::ForeignKeyViolation),
            ("DROP TABLE session_errors.p", DbErrorKind::DependentObjects),
        ] {
            let error = session.execute(sql).await.unwrap_err();
            assert_eq!(error.kind, kind, "{sql}: {error}");
        }
        let error = session.execute("INSERT INTO session_errors.t VALUES (2, 0)").await.unwrap_err();
        assert_eq!((error.constraint.as_deref(), error.sqlstate.as_deref()), (Some("positive"), Some("23514")));
        assert!(error.message.contains("; Failing row contains (2, 0, null)"), "{error}");
        let error = session.query("SELECT 1 +", &[]).await.unwrap_err();
        assert_eq!(error.position, Some(11));
        drop_namespace(session, "session_errors").await;
    }
}

#[tokio::test]
async fn transactions_are_tracked_and_an_aborted_one_is_not_committed() {
    for (_, url) in servers::postgres() {
        let mut session = with_namespace(&url, "session_transactions").await;
        session.begin(TransactionMode::Write).await.unwrap();
        assert!(session.begin(TransactionMode::Write).await.is_err());
        session.execute("CREATE TABLE session_transactions.t (a int)").await.unwrap();
        assert_eq!(session.execute("INSERT INTO session_transactions.t VALUES (1), (2)").await.unwrap(), 2);
        session.commit().await.unwrap();

        session.begin(TransactionMode::Write).await.unwrap();
        session.execute("INSERT INTO session_transactions.t VALUES (3)").await.unwrap();
        assert!(session.execute("SELECT 1 / 0").await.is_err());
        assert!(session.in_transaction() && session.commit().await.is_err() && session.in_transaction());
        session.rollback().await.unwrap();

        // A savepoint that was gone back to heals it.
        session.begin(TransactionMode::Write).await.unwrap();
        session.execute("SAVEPOINT here").await.unwrap();
        assert!(session.execute("SELECT 1 / 0").await.is_err());
        session.execute("ROLLBACK TO SAVEPOINT here").await.unwrap();
        session.execute("INSERT INTO session_transactions.t VALUES (4)").await.unwrap();
        session.commit().await.unwrap();
        let rows = session.query("SELECT array_agg(a ORDER BY a) FROM session_transactions.t", &[]).await.unwrap();
        assert_eq!(rows[0].ints(0).unwrap(), [1, 2, 4]);

        session.begin(TransactionMode::ReadOnly).await.unwrap();
        let mut other = open(&url).await;
        other.execute("INSERT INTO session_transactions.t VALUES (5)").await.unwrap();
        let count = "SELECT count(*) FROM session_transactions.t";
        let before = session.query(count, &[]).await.unwrap();
        other.execute("INSERT INTO session_transactions.t VALUES (6)").await.unwrap();
        assert_eq!(session.query(count, &[]).await.unwrap(), before);
        let error = session.execute("DELETE FROM session_transactions.t").await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::ReadOnly);
        session.rollback().await.unwrap();

        session.execute("CREATE INDEX CONCURRENTLY own ON session_transactions.t (a)").await.unwrap();
        let options = ConnectOptions { read_only: true, branch: true, ..ConnectOptions::default() };
        let mut reader = to(&url).connect(&options).await.unwrap();
        assert!(reader.is_branch());
        let error = reader.execute("DELETE FROM session_transactions.t").await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::ReadOnly);
        drop_namespace(session, "session_transactions").await;
    }
}

#[tokio::test]
async fn a_statement_can_be_stopped_and_a_killed_session_says_so() {
    for (_, url) in servers::postgres() {
        let mut session = open(&url).await;
        let handle = session.cancel_handle();
        let stop = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            handle.cancel().await.unwrap();
        };
        let (result, ()) = tokio::join!(session.execute("SELECT pg_sleep(30)"), stop);
        assert_eq!(result.unwrap_err().kind, DbErrorKind::StatementTimeout);

        session.begin(TransactionMode::Write).await.unwrap();
        let mut other = open(&url).await;
        let id = i64::try_from(session.backend().id).unwrap();
        other.query("SELECT pg_terminate_backend($1::int4)", &[id.into()]).await.unwrap();
        let error = session.commit().await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::ConnectionLost, "{error}");
        assert!(!session.in_transaction());
    }
}

#[tokio::test]
async fn where_nothing_answers_the_message_says_where_and_no_secret() {
    let quick = ConnectOptions { timeout: Duration::from_secs(3), ..ConnectOptions::default() };
    let error = to("postgres://anna:canary@127.0.0.1:1/shop").connect(&quick).await.unwrap_err();
    assert_eq!(error.kind, DbErrorKind::CannotConnect);
    assert!(error.message.contains("`shop` at 127.0.0.1:1") && !error.message.contains("canary"), "{error}");
    for (_, url) in servers::postgres() {
        let nowhere = to(&url).with_database("session_nowhere");
        let error = nowhere.connect(&quick).await.unwrap_err();
        assert_eq!(error.kind, DbErrorKind::CannotConnect, "{error}");
        assert!(error.message.contains("session_nowhere"));

        let mut session = open(&url).await;
        session.execute("DROP ROLE IF EXISTS session_nobody").await.unwrap();
        session.execute("CREATE ROLE session_nobody NOLOGIN").await.unwrap();
        let port = to(&url).url().port().unwrap();
        let error = to(&format!("postgres://session_nobody:canary@127.0.0.1:{port}/postgres"))
            .connect(&quick)
            .await
            .unwrap_err();
        assert_eq!(error.kind, DbErrorKind::AuthenticationFailed, "{error}");
        assert!(!format!("{error:?}").contains("canary"));
        session.execute("DROP ROLE session_nobody").await.unwrap();
    }
}
