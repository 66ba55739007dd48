//! Reading SQLite databases in memory.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

use trueup_dialect::sqlite::Sqlite;
use trueup_introspect::{Introspected, NamespaceFilter, Request, introspect};
use trueup_schema::{ConstraintKind, Deferrable, FkAction, Ident, ObjectRef, PartId, QualName, Table, TableKind};
use trueup_session::{ConnectOptions, Session, connector};
use trueup_snapshot::Snapshot;

async fn open(sql: &[&str]) -> Box<dyn Session> {
    let connector = connector("sqlite::memory:".parse().unwrap()).unwrap();
    let mut session = connector.connect(&ConnectOptions::default()).await.unwrap();
    for statement in sql {
        session.execute(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    session
}

async fn read(sql: &[&str]) -> Introspected {
    let request = Request {
        namespaces: NamespaceFilter::All,
        control_namespace: None,
        owners: false,
        spelled: false,
        facts: true,
    };
    introspect(open(sql).await.as_mut(), &request).await.unwrap()
}

fn snapshot(read: &Introspected) -> Snapshot {
    Snapshot::of(&read.schema, &Sqlite::new(read.facts.server.version)).unwrap()
}

async fn same(one: &[&str], other: &[&str]) -> bool {
    snapshot(&read(one).await).root() == snapshot(&read(other).await).root()
}

fn name(text: &str) -> QualName {
    QualName::new(None, ident(text))
}

fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

fn table<'a>(read: &'a Introspected, text: &str) -> &'a Table {
    read.schema.tables.get(&name(text)).unwrap()
}

#[tokio::test]
async fn what_pragmas_hide_is_read() {
    let read = read(&[
        "CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT COLLATE NOCASE UNIQUE ON CONFLICT REPLACE)",
        "CREATE TABLE child (
            -- a comment, with a comma (and parentheses
            a INT NOT NULL ON CONFLICT IGNORE DEFAULT (1 + 2),
            [odd \", name] VARCHAR ( 20 ) DEFAULT \"abc\",
            parent REFERENCES parent ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
            twice AS (a * 2) STORED CHECK (twice IN (2,4)),
            CONSTRAINT pk PRIMARY KEY (parent, a DESC) ON CONFLICT FAIL
            CONSTRAINT positive CHECK (a > 0)
        ) WITHOUT ROWID",
    ])
    .await;
    let parent = table(&read, "parent");
    assert!(parent.columns[0].auto_increment);
    assert_eq!(parent.columns[1].collation, Some(name("NOCASE")));
    assert_eq!(parent.constraints[1].on_conflict.as_deref(), Some("REPLACE"));

    let child = table(&read, "child");
    assert!(child.options.without_rowid);
    let names: Vec<&str> = child.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a", "odd \", name", "parent", "twice"]);
    assert_eq!(child.columns[0].not_null_clause.as_deref(), Some("IGNORE"));
    assert_eq!(child.columns[0].default.as_ref().unwrap().as_str(), "(1 + 2)");
    assert!(child.columns[3].generated.as_ref().unwrap().stored);
    let ConstraintKind::ForeignKey(key) = &child.constraints[0].kind else { panic!("{:?}", child.constraints) };
    assert_eq!((key.on_delete, key.referenced_columns.len()), (FkAction::Cascade, 0));
    assert_eq!(child.constraints[0].deferrable, Deferrable::InitiallyDeferred);
    let key = child.primary_key().unwrap();
    assert_eq!(key.columns[0].column_name().unwrap().as_str(), "parent");
    assert!(key.columns[1].descending);
    assert_eq!(child.constraints.last().unwrap().name, Some(ident("positive")));
    assert!(read.unmanaged.is_empty());
}

#[tokio::test]
async fn shadow_tables_are_no_objects() {
    let read = read(&[
        "CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT)",
        "CREATE VIRTUAL TABLE search USING fts5(body, content='docs', tokenize = \"unicode61\")",
        "CREATE VIRTUAL TABLE box USING rtree(id, x1, x2)",
        "CREATE TRIGGER fill AFTER INSERT ON docs BEGIN INSERT INTO search(rowid, body) VALUES (new.id, new.body); END",
        "INSERT INTO docs VALUES (1, 'x')",
    ])
    .await;
    assert_eq!(read.schema.tables.len(), 3);
    assert!(read.facts.taken.contains(&name("search_data")) && read.facts.taken.contains(&name("box_node")));
    assert!(matches!(table(&read, "search").kind, TableKind::Virtual { .. }));
    assert!(!read.facts.is_empty(&name("docs")));
    let on: Vec<&ObjectRef> = table(&read, "search").common.depends_on.iter().map(|it| &it.on).collect();
    assert_eq!(on, [&ObjectRef::Table(name("docs"))]);
    let trigger = read.schema.triggers.values().next().unwrap();
    let column = ObjectRef::Column(PartId { table: name("docs"), name: ident("body") });
    assert!(trigger.depends_on.iter().any(|it| it.on == column));
}

#[tokio::test]
async fn control_tables_are_invisible() {
    let read = read(&[
        "CREATE TABLE _trueup_history (id INTEGER PRIMARY KEY AUTOINCREMENT, a UNIQUE)",
        "CREATE INDEX _trueup_x ON _trueup_history (a)",
    ])
    .await;
    assert!(read.schema.is_empty() && read.facts.taken.is_empty() && read.unmanaged.is_empty());
}

#[tokio::test]
async fn a_broken_view_hides_nothing() {
    let read = read(&["CREATE VIEW broken AS SELECT * FROM nowhere", "CREATE TABLE t (a)"]).await;
    assert_eq!((read.schema.tables.len(), read.schema.views.len()), (1, 1));
}

#[tokio::test]
async fn thousands_of_tables_are_asked_at_once() {
    let many: Vec<String> = (0..1200).map(|n| format!("CREATE TABLE t{n} (a)")).collect();
    let mut sql: Vec<&str> = many.iter().map(String::as_str).collect();
    sql.push("INSERT INTO t7 VALUES (1)");
    let read = read(&sql).await;
    assert_eq!(read.facts.sizes.values().filter(|size| size.empty).count(), 1199);
    assert!(!read.facts.is_empty(&name("t7")));
}

#[tokio::test]
async fn places_and_spellings_of_the_same_rule_are_one() {
    let inline = [
        "CREATE TABLE Products (Id INTEGER PRIMARY KEY ASC, Name text COLLATE binary UNIQUE, Price REAL DEFAULT ('0') CHECK (Price>0))",
        "create index by_name on Products(Name asc, Price collate BINARY) where Price is not null",
        "CREATE TRIGGER tr AFTER UPDATE OF Price ON Products BEGIN SELECT 1; END",
    ];
    let apart = [
        "CREATE TABLE Products (Name TEXT, [Price] real DEFAULT '0', Id INTEGER,
            CHECK (\"PRICE\" > 0 /* really */), UNIQUE (name), PRIMARY KEY (id))",
        "CREATE INDEX by_name ON PRODUCTS (\"Name\", price) WHERE PRICE IS NOT NULL",
        "CREATE TRIGGER [tr] AFTER UPDATE OF price ON \"Products\" BEGIN select 1; END",
    ];
    assert!(same(&inline, &apart).await);
}

#[tokio::test]
async fn what_means_something_else_differs() {
    for (one, other) in [
        ("CREATE TABLE t (a)", "CREATE TABLE t (a) STRICT".replace("(a)", "(a ANY)").as_str()),
        ("CREATE TABLE t (a COLLATE NOCASE)", "CREATE TABLE t (a)"),
        ("CREATE TABLE t (a DEFAULT 'x')", "CREATE TABLE t (a DEFAULT \"x\")"),
        ("CREATE TABLE t (a DEFAULT NULL)", "CREATE TABLE t (a)"),
        ("CREATE TABLE t (a CHECK (a > 'B'))", "CREATE TABLE t (a CHECK (a > 'b'))"),
        ("CREATE TABLE t (a CHECK ((a > 1)))", "CREATE TABLE t (a CHECK (a > 1))"),
        ("CREATE TABLE t (a INTEGER PRIMARY KEY DESC)", "CREATE TABLE t (a INTEGER, PRIMARY KEY (a DESC))"),
        ("CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT)", "CREATE TABLE t (a INTEGER PRIMARY KEY)"),
        ("CREATE TABLE t (a, b, PRIMARY KEY (a, b))", "CREATE TABLE t (a, b, PRIMARY KEY (b, a))"),
        ("CREATE TABLE t (a NOT NULL)", "CREATE TABLE t (a CONSTRAINT n NOT NULL)"),
        ("CREATE TABLE t (a UNIQUE)", "CREATE TABLE t (a UNIQUE ON CONFLICT IGNORE)"),
        ("CREATE TABLE t (a, b AS (a) VIRTUAL)", "CREATE TABLE t (a, b AS (a) STORED)"),
        ("CREATE TABLE t (a REFERENCES t)", "CREATE TABLE t (a REFERENCES t (a))"),
        ("CREATE VIEW v AS SELECT 1 AS A", "CREATE VIEW v AS SELECT 1 AS a"),
    ] {
        assert!(!same(&[one], &[other]).await, "{one} and {other}");
        assert!(same(&[one], &[one]).await, "{one}");
    }
}
