//! Data checks and loss probes: what is asked, and what servers answer.

use insta::assert_snapshot;
use trueup_plan::{CheckQuery, CheckRule, DataCheck, LossProbe, OpId};
use trueup_schema::{DataType, Ident, IndexKey, IndexPart, QualName, SqlExpr, TableOptions};
use trueup_session::Session;
use trueup_testkit::{TestDatabase, servers};

use super::samples::Names;
use super::{Postgres, Renderer};

fn ident(name: &str) -> Ident {
    Ident::new(name).unwrap()
}

fn table() -> QualName {
    QualName::parse("app.t").unwrap()
}

fn query(rule: CheckRule) -> CheckQuery {
    let check = DataCheck { table: table(), key: vec![ident("id")], rule };
    Postgres.check(&OpId("op".to_owned()), &check).unwrap()
}

fn show(rule: CheckRule) -> String {
    let query = query(rule);
    format!("{}\n{}\n{}", query.rule, query.count, query.sample.unwrap_or_else(|| "no sample".to_owned()))
}

fn unique(parts: &[&str], nulls_not_distinct: bool, refuses_nulls: bool, predicate: Option<&str>) -> CheckRule {
    CheckRule::Unique {
        parts: parts.iter().map(|part| IndexPart::column(ident(part))).collect(),
        nulls_not_distinct,
        refuses_nulls,
        predicate: predicate.map(SqlExpr::new),
    }
}

fn references(match_full: bool) -> CheckRule {
    CheckRule::References {
        columns: vec![ident("a"), ident("b")],
        references: QualName::parse("app.r").unwrap(),
        referenced_columns: vec![ident("x"), ident("y")],
        match_full,
    }
}

fn converts(column: &str, from: &str, to: &str, using: Option<&str>) -> CheckRule {
    CheckRule::Converts {
        column: ident(column),
        from: DataType::builtin(from),
        to: DataType::builtin(to),
        using: using.map(SqlExpr::new),
        options: TableOptions::default(),
    }
}

fn unused(column: &str) -> CheckRule {
    CheckRule::ValuesUnused { column: ident(column), values: vec!["it's".to_owned(), "bad".to_owned()] }
}

#[test]
fn questions() {
    assert_snapshot!(show(CheckRule::NotNull { column: ident("a") }), @r#"
    no NULL in a
    SELECT count(*) FROM "app"."t" WHERE "a" IS NULL
    SELECT "id"::text FROM "app"."t" WHERE "a" IS NULL LIMIT 5
    "#);
    assert_snapshot!(show(unique(&["a", "b"], false, false, Some("a > 0"))), @r#"
    no two rows with an equal a, b
    SELECT (SELECT coalesce(sum(d.more), 0)::bigint FROM (SELECT count(*) - 1 AS more FROM "app"."t" WHERE ((a > 0)) AND ("a" IS NOT NULL) AND ("b" IS NOT NULL) GROUP BY "a", "b" HAVING count(*) > 1) AS d)
    SELECT d.k0 FROM (SELECT ("id")::text AS k0, count(*) OVER (PARTITION BY "a", "b") AS n FROM "app"."t" WHERE (a > 0) AND "a" IS NOT NULL AND "b" IS NOT NULL) AS d WHERE d.n > 1 LIMIT 5
    "#);
    assert_snapshot!(show(unique(&["a"], false, true, None)), @r#"
    no two rows with an equal a
    SELECT (SELECT coalesce(sum(d.more), 0)::bigint FROM (SELECT count(*) - 1 AS more FROM "app"."t" WHERE "a" IS NOT NULL GROUP BY "a" HAVING count(*) > 1) AS d) + (SELECT count(*) FROM "app"."t" WHERE "a" IS NULL)
    SELECT d.k0 FROM (SELECT ("id")::text AS k0, count(*) OVER (PARTITION BY "a") AS n FROM "app"."t" WHERE "a" IS NOT NULL) AS d WHERE d.n > 1 UNION ALL SELECT "id"::text FROM "app"."t" WHERE "a" IS NULL LIMIT 5
    "#);
    assert_snapshot!(show(references(false)), @r#"
    every a, b is in app.r
    SELECT count(*) FROM "app"."t" WHERE "app"."t"."a" IS NOT NULL AND "app"."t"."b" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "app"."r" AS r WHERE r."x" = "app"."t"."a" AND r."y" = "app"."t"."b")
    SELECT "id"::text FROM "app"."t" WHERE "app"."t"."a" IS NOT NULL AND "app"."t"."b" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "app"."r" AS r WHERE r."x" = "app"."t"."a" AND r."y" = "app"."t"."b") LIMIT 5
    "#);
    assert_snapshot!(show(CheckRule::Holds { expr: SqlExpr::new("a > 0") }), @r#"
    a > 0 is not false
    SELECT count(*) FROM "app"."t" WHERE (a > 0) IS FALSE
    SELECT "id"::text FROM "app"."t" WHERE (a > 0) IS FALSE LIMIT 5
    "#);
    assert_snapshot!(show(converts("s", "text", "character varying(3)", None)), @r#"
    every s converts to character varying(3)
    SELECT count(*) FROM "app"."t" WHERE length(("s")::text) > 3
    SELECT "id"::text FROM "app"."t" WHERE length(("s")::text) > 3 LIMIT 5
    "#);
    assert_snapshot!(show(converts("s", "text", "integer", Some("s::integer"))), @r#"
    every s converts to integer
    SELECT 0 * count(((s::integer))::integer) FROM "app"."t"
    no sample
    "#);
    assert_snapshot!(show(unused("m")), @r#"
    no 'it''s', 'bad' in m
    SELECT count(*) FROM "app"."t" WHERE jsonb_exists_any(to_jsonb("m"), ARRAY['it''s', 'bad']::text[])
    SELECT "id"::text FROM "app"."t" WHERE jsonb_exists_any(to_jsonb("m"), ARRAY['it''s', 'bad']::text[]) LIMIT 5
    "#);
    assert_snapshot!(show(CheckRule::Empty), @r#"
    that it holds no row
    SELECT count(*) FROM "app"."t" WHERE true
    SELECT "id"::text FROM "app"."t" WHERE true LIMIT 5
    "#);
}

#[test]
fn losses() {
    let show = |probe| {
        let query = Postgres.loss(&OpId("op".to_owned()), &probe).unwrap();
        format!("{}\n{}", query.what, query.count)
    };
    assert_snapshot!(show(LossProbe::Rows { table: table() }), @r#"
    rows of app.t
    SELECT count(*) FROM "app"."t"
    "#);
    assert_snapshot!(show(LossProbe::Values { table: table(), column: ident("a") }), @r#"
    values of app.t.a
    SELECT COUNT("a") FROM "app"."t"
    "#);
    assert_snapshot!(show(LossProbe::Position { sequence: QualName::parse("app.s").unwrap() }), @r#"
    position of app.s
    SELECT last_value FROM "app"."s"
    "#);
}

const ROWS: &str = "INSERT INTO app.t VALUES \
    (1, 1, 1, 'abc', 1.25, 100000, 'ok', '{ok}', '2026-01-01 10:00:00.123456'), \
    (2, 1, 1, 'abcd', 1.2, 5, 'bad', '{ok,bad}', '2026-01-01'), \
    (3, NULL, 2, 'x  ', 'NaN', 5, NULL, NULL, NULL), \
    (4, NULL, 2, '12', 123.4, 5, NULL, NULL, NULL), \
    (5, 7, NULL, '13', NULL, NULL, NULL, NULL, NULL)";

async fn prepare(database: &TestDatabase) -> Box<dyn Session> {
    database
        .session_after(&[
            "CREATE SCHEMA app",
            "CREATE TYPE app.mood AS ENUM ('ok', 'bad', 'it''s')",
            "CREATE TABLE app.r (x int, y int, PRIMARY KEY (x, y))",
            "CREATE TABLE app.t (id int PRIMARY KEY, a int, b int, s text, n numeric, i int, m app.mood, ms app.mood[], at timestamp)",
            "INSERT INTO app.r VALUES (7, 1)",
            ROWS,
        ])
        .await
        .unwrap()
}

/// The count and the keys of the sample.
async fn ask(session: &mut Box<dyn Session>, rule: CheckRule) -> (i64, Vec<String>) {
    let query = query(rule);
    let rows = session.query(&query.count, &[]).await.unwrap();
    let mut keys = Vec::new();
    if let Some(sample) = &query.sample {
        for row in session.query(sample, &[]).await.unwrap() {
            keys.push(row.text(0).unwrap().to_owned());
        }
    }
    keys.sort();
    (rows[0].int(0).unwrap(), keys)
}

#[tokio::test]
async fn answers() {
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let mut session = prepare(&database).await;
        let cases = [
            (CheckRule::NotNull { column: ident("a") }, 2, "3 4"),
            (unique(&["a", "b"], false, false, None), 1, "1 2"),
            (unique(&["a", "b"], true, false, None), 2, "1 2 3 4"),
            (unique(&["a", "b"], false, true, None), 4, "1 2 3 4 5"),
            (unique(&["a"], false, false, Some("id > 1")), 0, ""),
            (references(false), 2, "1 2"),
            (references(true), 5, "1 2 3 4 5"),
            (CheckRule::Holds { expr: SqlExpr::new("a > 1") }, 2, "1 2"),
            (converts("s", "text", "character varying(3)", None), 1, "2"),
            (converts("s", "text", "character(2)", None), 2, "1 2"),
            (converts("i", "integer", "smallint", None), 1, "1"),
            (converts("n", "numeric", "numeric(3,1)", None), 2, "1 4"),
            (converts("n", "numeric", "integer", None), 4, "1 2 3 4"),
            (converts("at", "timestamp without time zone", "timestamp(3) without time zone", None), 1, "1"),
            (converts("at", "timestamp without time zone", "date", None), 1, "1"),
            (converts("s", "text", "text", Some("upper(s)")), 0, ""),
            (unused("m"), 1, "2"),
            (unused("ms"), 1, "2"),
            (CheckRule::Empty, 5, "1 2 3 4 5"),
        ];
        for (rule, count, keys) in cases {
            let name = format!("{rule:?} on {}", server.name());
            let answer = ask(&mut session, rule).await;
            assert_eq!((answer.0, answer.1.join(" ")), (count, keys.to_owned()), "{name}");
        }
        let trial = query(converts("s", "text", "integer", Some("s::integer")));
        let failed = session.query(&trial.count, &[]).await.unwrap_err();
        assert!(failed.to_string().contains("abc"), "{failed}");
        for probe in [LossProbe::Rows { table: table() }, LossProbe::Values { table: table(), column: ident("id") }] {
            let loss = Postgres.loss(&OpId("op".to_owned()), &probe).unwrap();
            assert_eq!(session.query(&loss.count, &[]).await.unwrap()[0].int(0).unwrap(), 5);
        }
        session.close().await.unwrap();
    }
}

/// Names and texts that try to break out stay what they are in questions as well.
#[tokio::test]
async fn hostile_questions() {
    let n = Names::hostile();
    let column = n.ident("a");
    let quoted = QualName::new(Some(ident("pg_temp")), n.ident("t"));
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let name = quoted.quoted(trueup_schema::DialectId::Postgres);
        let of = column.quoted(trueup_schema::DialectId::Postgres);
        let mut session = database
            .session_after(&[&format!("CREATE TABLE {name} ({of} text)"), &format!("INSERT INTO {name} VALUES ('x')")])
            .await
            .unwrap();
        let rules = [
            CheckRule::NotNull { column: column.clone() },
            CheckRule::Unique {
                parts: vec![IndexPart {
                    key: IndexKey::Expr(SqlExpr::new(format!("lower({of}) -- x"))),
                    ..IndexPart::column(column.clone())
                }],
                nulls_not_distinct: false,
                refuses_nulls: true,
                predicate: Some(SqlExpr::new(format!("{of} <> '' -- x"))),
            },
            CheckRule::References {
                columns: vec![column.clone()],
                references: quoted.clone(),
                referenced_columns: vec![column.clone()],
                match_full: true,
            },
            CheckRule::Holds { expr: SqlExpr::new("true -- x") },
            CheckRule::Converts {
                column: column.clone(),
                from: DataType::builtin("text"),
                to: DataType::builtin("character varying(3)"),
                using: None,
                options: TableOptions::default(),
            },
            CheckRule::ValuesUnused { column: column.clone(), values: vec![column.as_str().to_owned()] },
        ];
        for rule in rules {
            let check = DataCheck { table: quoted.clone(), key: vec![column.clone()], rule };
            let query = Postgres.check(&OpId("op".to_owned()), &check).unwrap();
            for sql in [Some(&query.count), query.sample.as_ref()].into_iter().flatten() {
                let rows = session.query(sql, &[]).await.unwrap();
                assert!(rows.first().is_none_or(|row| row.int(0).unwrap() == 0), "{sql}");
            }
        }
        session.close().await.unwrap();
    }
}
