//! Tables written anew keep everything that nobody wanted changed.

use trueup_plan::Hints;

use crate::harness::{converge, database, plan, rename_column, rename_table, run, using, values, violations};

#[tokio::test]
async fn children_rows_counters_triggers_and_views_stay() {
    let shared = [
        "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INT REFERENCES parent ON DELETE CASCADE, stray REFERENCES parent)",
        "CREATE TABLE log (what TEXT)",
        "CREATE VIEW names AS SELECT name FROM parent",
        "CREATE TRIGGER own AFTER INSERT ON parent BEGIN INSERT INTO log VALUES (new.name); END",
        "CREATE TRIGGER far AFTER INSERT ON child BEGIN UPDATE parent SET name = 'x' WHERE id = new.parent; END",
    ];
    let before = "CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, -- the key\n name TEXT)";
    let after =
        "CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, -- the key\n name TEXT NOT NULL COLLATE NOCASE)";
    let index = "CREATE INDEX by_name ON parent (name COLLATE NOCASE) WHERE name <> ''";
    let mut live = database(&[&[before, index][..], &shared[..]].concat()).await;
    for statement in [
        "INSERT INTO parent VALUES (1, 'a'), (2, 'b'), (30, 'c')",
        "DELETE FROM parent WHERE id = 30",
        "PRAGMA foreign_keys = OFF",
        "INSERT INTO child VALUES (1, 1, 99), (2, 2, NULL)",
        "PRAGMA foreign_keys = ON",
        "DELETE FROM log",
    ] {
        live.execute(statement).await.unwrap();
    }
    let mut desired = database(&[&[after, index][..], &shared[..]].concat()).await;
    converge(live.as_mut(), desired.as_mut(), Hints::default()).await;
    assert_eq!(values(live.as_mut(), "SELECT count(*) FROM child").await, [["2"]]);
    assert_eq!(values(live.as_mut(), "SELECT count(*) FROM log").await, [["0"]]);
    live.execute("INSERT INTO parent (name) VALUES ('new')").await.unwrap();
    assert_eq!(values(live.as_mut(), "SELECT id FROM parent WHERE name = 'NEW'").await, [["31"]]);
    assert_eq!(values(live.as_mut(), "SELECT what FROM log").await, [["new"]]);
    assert_eq!(values(live.as_mut(), "PRAGMA foreign_keys").await, [["1"]]);
    assert_eq!(values(live.as_mut(), "SELECT count(*) FROM temp.sqlite_schema").await, [["0"]]);
}

#[tokio::test]
async fn row_numbers_are_carried() {
    let mut live = database(&[
        "CREATE TABLE t (rowid TEXT, a TEXT)",
        "INSERT INTO t (_rowid_, rowid, a) VALUES (10, 'x', '1'), (20, 'y', '2')",
    ])
    .await;
    let mut desired = database(&["CREATE TABLE t (rowid TEXT, a TEXT, CHECK (a <> ''))"]).await;
    converge(live.as_mut(), desired.as_mut(), Hints::default()).await;
    assert_eq!(values(live.as_mut(), "SELECT _rowid_ FROM t").await, [["10"], ["20"]]);
}

#[tokio::test]
async fn generated_and_renamed_columns_come_along() {
    let mut live = database(&[
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT, c AS (b * 2) STORED)",
        "CREATE TABLE u (b REFERENCES t (a))",
        "CREATE VIEW v AS SELECT a, b FROM t",
        "INSERT INTO t (a, b) VALUES (1, 5)",
    ])
    .await;
    let mut desired = database(&[
        "CREATE TABLE t (a INTEGER PRIMARY KEY, amount INT NOT NULL, c AS (amount * 3) STORED)",
        "CREATE TABLE u (b REFERENCES t (a))",
        "CREATE VIEW v AS SELECT a, amount FROM t",
    ])
    .await;
    converge(live.as_mut(), desired.as_mut(), rename_column("t", "b", "amount")).await;
    assert_eq!(values(live.as_mut(), "SELECT amount, c FROM t").await, [["5", "15"]]);
    assert_eq!(values(live.as_mut(), "SELECT amount FROM v").await, [["5"]]);
}

#[tokio::test]
async fn a_table_is_renamed_in_place() {
    let mut live = database(&[
        "CREATE TABLE t (a INTEGER PRIMARY KEY)",
        "CREATE TABLE u (p REFERENCES t)",
        "CREATE VIEW v AS SELECT a FROM t",
        "CREATE TRIGGER r AFTER INSERT ON u BEGIN DELETE FROM t WHERE a = new.p; END",
        "INSERT INTO t VALUES (7)",
    ])
    .await;
    let mut desired = database(&[
        "CREATE TABLE T2 (a INTEGER PRIMARY KEY)",
        "CREATE TABLE u (p REFERENCES T2)",
        "CREATE VIEW v AS SELECT a FROM t2",
        "CREATE TRIGGER r AFTER INSERT ON u BEGIN DELETE FROM t2 WHERE a = new.p; END",
    ])
    .await;
    let script = converge(live.as_mut(), desired.as_mut(), rename_table("t", "T2")).await;
    assert!(!script.to_sql().contains("CREATE"), "{}", script.to_sql());
    assert_eq!(values(live.as_mut(), "SELECT a FROM v").await, [["7"]]);
}

#[tokio::test]
async fn values_that_would_not_fit_are_counted() {
    for (values, bad) in [
        ("('1'), ('22'), (NULL), ('-5')", 0),
        ("('007')", 1),
        ("('abc'), ('1')", 1),
        ("('1.5'), ('1e2'), (' 3')", 2),
        ("(x'00'), ('12345678901234567890')", 2),
    ] {
        let mut live = database(&["CREATE TABLE t (a TEXT)", &format!("INSERT INTO t VALUES {values}")]).await;
        let mut desired = database(&["CREATE TABLE t (a INTEGER) STRICT"]).await;
        let (_, script) = plan(live.as_mut(), desired.as_mut(), Hints::default()).await;
        let found: i64 = violations(live.as_mut(), &script).await.iter().map(|(_, count)| *count).max().unwrap_or(0);
        assert_eq!(found, bad, "{values}: {:#?}", script.checks);
        assert_eq!(run(live.as_mut(), &script).await.is_ok(), bad == 0 || values == "('007')", "{values}");
    }
}

#[tokio::test]
async fn a_person_says_how_values_convert() {
    let mut live = database(&["CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES ('$5'), ('$007')"]).await;
    let mut desired = database(&["CREATE TABLE t (a INTEGER)"]).await;
    converge(live.as_mut(), desired.as_mut(), using("t", "a", "CAST(substr(a, 2) AS INTEGER)")).await;
    assert_eq!(values(live.as_mut(), "SELECT a FROM t").await, [["5"], ["7"]]);
}

#[tokio::test]
async fn references_that_break_stop_the_run() {
    let mut live = database(&[
        "CREATE TABLE p (code TEXT PRIMARY KEY)",
        "CREATE TABLE c (code REFERENCES p)",
        "INSERT INTO p VALUES ('a ')",
        "INSERT INTO c VALUES ('a ')",
    ])
    .await;
    let mut desired = database(&[
        "CREATE TABLE p (code VARCHAR PRIMARY KEY, CHECK (code <> ''))",
        "CREATE TABLE c (code REFERENCES p)",
    ])
    .await;
    let before = values(live.as_mut(), "SELECT sql FROM sqlite_schema").await;
    let (_, script) = plan(live.as_mut(), desired.as_mut(), using("p", "code", "trim(code)")).await;
    let error = run(live.as_mut(), &script).await.unwrap_err();
    assert!(error.message.contains("reference rows that are not there"), "{error}");
    assert_eq!(values(live.as_mut(), "SELECT sql FROM sqlite_schema").await, before);
    assert_eq!(values(live.as_mut(), "PRAGMA legacy_alter_table").await, [["0"]]);
}

#[tokio::test]
async fn an_untouched_clause_keeps_its_bytes() {
    let before = "CREATE TABLE t (a   INT /* first */ DEFAULT (  1 ), b TEXT, CHECK ( a>0 /* why */ ))";
    let after =
        "CREATE TABLE t (a   INT /* first */ DEFAULT (  1 ), b TEXT NOT NULL DEFAULT 'x', CHECK ( a>0 /* why */ ))";
    let mut live = database(&[before]).await;
    let mut desired = database(&[after]).await;
    converge(live.as_mut(), desired.as_mut(), Hints::default()).await;
    let sql = values(live.as_mut(), "SELECT sql FROM sqlite_schema").await.remove(0).remove(0);
    assert!(sql.contains("a   INT /* first */ DEFAULT (  1 )") && sql.contains("CHECK ( a>0 /* why */ )"), "{sql}");
}

#[tokio::test]
async fn a_reference_that_no_key_answers_is_not_asked_about() {
    // the key compares otherwise than its column does, so that SQLite does not take it for the key of the reference
    let child = "CREATE TABLE c (k TEXT REFERENCES p (k))";
    for key in ["k TEXT, UNIQUE (k COLLATE NOCASE)", "k TEXT COLLATE NOCASE, UNIQUE (k COLLATE RTRIM)"] {
        let mut live = database(&[&format!("CREATE TABLE p ({key})"), child, "INSERT INTO p VALUES ('a')"]).await;
        let mut desired = database(&[&format!("CREATE TABLE p ({key}, CHECK (k <> ''))"), child]).await;
        converge(live.as_mut(), desired.as_mut(), Hints::default()).await;
    }
}

#[tokio::test]
async fn a_reference_to_a_key_with_a_collation_is_looked_at() {
    let tables = |check: &str| format!("CREATE TABLE p (k TEXT COLLATE NOCASE PRIMARY KEY{check})");
    let child = "CREATE TABLE c (k TEXT REFERENCES p (k))";
    let rows = ["INSERT INTO p VALUES ('a ')", "INSERT INTO c VALUES ('A ')"];
    let mut live = database(&[&tables(""), child, rows[0], rows[1]]).await;
    let mut desired = database(&[&tables(", CHECK (k <> '')"), child]).await;
    let (_, script) = plan(live.as_mut(), desired.as_mut(), using("p", "k", "trim(k)")).await;
    let is_asked = script.to_sql().contains("pragma_foreign_key_check");
    assert!(is_asked, "{}", script.to_sql());
    converge(live.as_mut(), desired.as_mut(), Hints::default()).await;
}

#[tokio::test]
async fn a_trigger_on_a_computed_column_is_not_set_off() {
    let trigger = "CREATE TRIGGER g UPDATE OF b ON t BEGIN SELECT 1; END";
    let mut live = database(&["CREATE TABLE t (a INT, b INT)", trigger]).await;
    let mut desired = database(&["CREATE TABLE t (a INT, b INT AS (a + 1) STORED)", trigger]).await;
    converge(live.as_mut(), desired.as_mut(), Hints::default()).await;
}
