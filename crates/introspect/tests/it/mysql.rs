//! The catalogs of MySQL and MariaDB.

use trueup_introspect::{Introspected, NamespaceFilter, Request, introspect};
use trueup_schema::{ConstraintKind, Ident, QualName, Schema, Table};
use trueup_session::TransactionMode;
use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{self, TestServer};

use crate::counting::Counting;

/// The most questions that one reading may ask, those about single objects left aside.
const MOST: usize = 8;

fn both() -> Vec<TestServer> {
    servers::mysql().into_iter().chain(servers::mariadb()).collect()
}

/// What is read after `script`, under one name for the database, and in how many questions.
async fn read(database: &TestDatabase, script: &[&str]) -> (Introspected, usize) {
    let session = database.session_after(script).await.unwrap_or_else(|error| panic!("{}: {error}", database.label()));
    let mut session = Counting { inner: session, statements: 0 };
    let own = Ident::new(database.name()).unwrap();
    let namespaces = NamespaceFilter::Only(vec![own.clone()]);
    let request = Request { namespaces, control_namespace: None, owners: false, spelled: false, facts: true };
    trueup_session::Session::begin(&mut session, TransactionMode::ReadOnly).await.unwrap();
    let mut found = introspect(&mut session, &request).await.unwrap();
    found.schema.rename_namespace(&own, &Ident::new("n").unwrap()).unwrap();
    (found, session.statements)
}

/// What is read of the tables of a database, how they are spelled out included, and in how many questions.
async fn spelled(database: &TestDatabase) -> (Schema, usize) {
    let mut session = Counting { inner: database.session().await.unwrap(), statements: 0 };
    let namespaces = NamespaceFilter::Only(vec![Ident::new(database.name()).unwrap()]);
    let request = Request { namespaces, control_namespace: None, owners: false, spelled: true, facts: true };
    let found = introspect(&mut session, &request).await.unwrap();
    assert!(found.schema.tables.values().all(|table| table.spelled));
    (found.schema, session.statements)
}

fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

fn json(schema: &Schema) -> String {
    serde_json::to_string_pretty(schema).unwrap()
}

/// Reads `script` from two databases: what is read must be the same and name neither.
async fn twice(server: &TestServer, script: &[&str]) -> Introspected {
    let (one, two) = (TestDatabase::on(server).await.unwrap(), TestDatabase::on(server).await.unwrap());
    let (first, second) = (read(&one, script).await.0, read(&two, script).await.0);
    let text = json(&first.schema);
    assert_eq!(text, json(&second.schema), "{}", server.name());
    assert!(!text.contains(one.name()), "{}", server.name());
    first
}

fn column(table: &Table, name: &str) -> String {
    let column = table.column(&Ident::new(name).unwrap()).unwrap();
    let mut words = vec![column.data_type.to_string()];
    words.extend(column.not_null.then(|| "NOT NULL".to_owned()));
    words.extend(column.auto_increment.then(|| "AUTO".to_owned()));
    words.extend(column.default.as_ref().map(|text| format!("DEFAULT {text}")));
    words.extend(
        column.generated.as_ref().map(|it| format!("AS {} {}", it.expr, if it.stored { "STORED" } else { "VIRTUAL" })),
    );
    words.extend(column.collation.as_ref().map(|name| name.to_string()));
    words.extend(
        column
            .attributes
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "charset" | "spelled"))
            .map(|(key, value)| format!("{key}={value}")),
    );
    words.extend(column.comment.as_ref().map(|text| format!("COMMENT {text}")));
    words.join(" ")
}

/// What both flavours take.
const SHARED: &[&str] = &[
    "CREATE TABLE p (id int unsigned PRIMARY KEY, k varchar(20) NOT NULL, UNIQUE (k)) COMMENT 'it''s \\\\ \"q\"' \
     CHARACTER SET latin1",
    "CREATE TABLE t (id bigint unsigned NOT NULL AUTO_INCREMENT, z int(5) unsigned zerofill NOT NULL DEFAULT 7, b bool DEFAULT true, \
     e enum('a','it''s','b\\\\c','n\\n','ä','x,;(') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'it''s', \
     s set('x','y''z') DEFAULT 'x,y''z', v varchar(20) DEFAULT 'it''s \\\\ \"q\"' COMMENT 'a ''b'' \\\\', \
     l varchar(10) CHARACTER SET latin1 COLLATE latin1_bin, bt bit(3) DEFAULT b'101', \
     dt datetime(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), ts timestamp NULL, d decimal(10,2) DEFAULT 1.5, \
     x int DEFAULT (1+2), u char(36) DEFAULT (uuid()), j json, g varchar(50) AS (concat(v,'it''s \\\\ ä')) VIRTUAL, \
     g2 int AS (nn+z) STORED COMMENT 'gen', inv int INVISIBLE, nn int NOT NULL, pt point NOT NULL, k1 text, pk int unsigned, \
     PRIMARY KEY (id), UNIQUE KEY uk (k1(3), nn DESC), KEY ix (v(5)), KEY cm (b) COMMENT 'idx''s', SPATIAL KEY sp (pt), \
     FULLTEXT KEY ft (v), CONSTRAINT ck CHECK (nn > 0 AND v LIKE 'a\\\\%'), CHECK (nn < 100), \
     CONSTRAINT fk1 FOREIGN KEY (pk) REFERENCES p (id) ON DELETE CASCADE ON UPDATE SET NULL, \
     FOREIGN KEY (pk) REFERENCES p (id) ON DELETE RESTRICT) ROW_FORMAT=DYNAMIC CHARACTER SET utf8mb4",
    "CREATE TABLE parts (id int, d date) PARTITION BY RANGE (year(d)) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 \
     (PARTITION p0 VALUES LESS THAN (2000) COMMENT 'x''y', PARTITION p1 VALUES LESS THAN MAXVALUE)",
    "CREATE TABLE _trueup_history (id int)",
    "CREATE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW v1 (a, b) AS SELECT t.id, _latin1'abc' FROM t JOIN p ON p.id = t.pk \
     WHERE t.v LIKE 'a%' WITH LOCAL CHECK OPTION",
    "CREATE VIEW v2 AS SELECT a FROM v1",
    "CREATE TRIGGER tr1 BEFORE INSERT ON p FOR EACH ROW SET NEW.k = concat(NEW.k, 'ä''😀', _latin1'x')",
    "CREATE TRIGGER tr2 BEFORE INSERT ON p FOR EACH ROW PRECEDES tr1 SET NEW.k = 5",
    "CREATE FUNCTION fn(a int, b varchar(10) CHARSET latin1) RETURNS varchar(20) DETERMINISTIC COMMENT 'c''m' RETURN concat(a, b)",
    "CREATE PROCEDURE pr(IN a int, OUT b bigint) BEGIN SELECT count(*) INTO b FROM p; END",
    "CREATE EVENT ev ON SCHEDULE EVERY 1 DAY COMMENT 'x' DO DELETE FROM p",
    "CREATE EVENT ev2 ON SCHEDULE AT '2030-01-01 00:00:00' ON COMPLETION PRESERVE DISABLE DO DELETE FROM p WHERE k = 'a'",
];

fn check_shared(found: &Introspected) -> &Table {
    let schema = &found.schema;
    let table = &schema.tables[&name("n.t")];
    assert_eq!(schema.tables.len(), 3, "control tables are no part of it");
    assert_eq!(schema.tables[&name("n.p")].common.comment.as_deref(), Some("it's \\ \"q\""));
    assert_eq!(column(table, "e"), "enum('a','it''s','b\\\\c','n\\n','ä','x,;(') NOT NULL DEFAULT 'it''s' utf8mb4_bin");
    assert!(column(table, "v").contains(" COMMENT a 'b' \\"));
    assert_eq!(column(table, "bt"), "bit(3) DEFAULT b'101'");
    assert_eq!(column(table, "ts"), "timestamp");
    assert_eq!(column(table, "j"), "json");
    assert!(column(table, "g").contains("it\\'s \\\\ ä')"), "{}", column(table, "g"));
    assert!(column(table, "inv").ends_with(" invisible=true"));
    let unique = table.index(&Ident::new("uk").unwrap()).unwrap();
    assert!(unique.unique && unique.parts[0].prefix == Some(3) && unique.parts[1].descending);
    assert_eq!(table.index(&Ident::new("cm").unwrap()).unwrap().comment.as_deref(), Some("idx's"));
    assert!(table.primary_key().is_some());
    assert_eq!(table.foreign_keys().count(), 2);
    let parts = schema.tables[&name("n.parts")].partitioning.as_ref().unwrap();
    assert_eq!(parts.by.as_str(), "RANGE (year(`d`)) SUBPARTITION BY HASH (`id`) SUBPARTITIONS 2");
    assert_eq!(parts.partitions.len(), 2);
    let view = &schema.views[&name("n.v1")];
    assert!(view.query.as_str().contains("_latin1'abc'"), "{}", view.query);
    assert_eq!(view.columns.len(), 2);
    let options: Vec<String> = view.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(options, ["algorithm=merge", "sql_security=invoker", "check_option=local"]);
    let follows: Vec<&str> = schema
        .triggers
        .values()
        .map(|it| it.definition.as_str())
        .filter(|text| text.contains("FOLLOWS `tr2`"))
        .collect();
    assert_eq!(follows.len(), 1);
    assert!(follows[0].contains("'ä''😀', _latin1'x'"), "{}", follows[0]);
    assert_eq!((schema.routines.len(), schema.objects.len()), (2, 2));
    assert!(found.unmanaged.is_empty(), "{:?}", found.unmanaged);
    table
}

#[tokio::test]
async fn mysql_reads_the_same_from_two_databases() {
    let own = [
        "CREATE TABLE m (a int, v varchar(20), vb varbinary(4) DEFAULT x'00ff', em varchar(9) DEFAULT '😀', KEY fx ((concat(v,'it''s')), (a+1) DESC), \
         KEY ivx (a) INVISIBLE, CONSTRAINT cne CHECK (a < 5) NOT ENFORCED, g point NOT NULL SRID 4326, t text, \
         FULLTEXT ng (t) WITH PARSER ngram, bb blob DEFAULT ('x\\'y'))",
    ];
    for server in servers::mysql() {
        let script: Vec<&str> = SHARED.iter().chain(&own).copied().collect();
        let found = twice(&server, &script).await;
        let schema = &found.schema;
        let table = &schema.tables[&name("n.m")];
        assert_eq!(column(table, "vb"), "varbinary(4) DEFAULT 0x00FF");
        assert_eq!(column(table, "em"), "varchar(9) DEFAULT 0xF09F9880 utf8mb4_0900_ai_ci");
        assert_eq!(column(table, "bb"), "blob DEFAULT (_utf8mb4'x\\'y')");
        assert_eq!(column(table, "g"), "point NOT NULL srid=4326");
        assert_eq!(table.index(&Ident::new("ng").unwrap()).unwrap().parameters["parser"], "ngram");
        assert_eq!(table.index(&Ident::new("ivx").unwrap()).unwrap().parameters["invisible"], "true");
        assert!(!table.constraints[0].enforced);
        assert_eq!(schema.tables.len(), 4);
        let mut rest = found.clone();
        rest.schema.tables.remove(&name("n.m"));
        let table = check_shared(&rest);
        assert_eq!(column(table, "d"), "decimal(10,2) DEFAULT '1.50'");
        assert_eq!(column(table, "x"), "int DEFAULT ((1 + 2))");
        assert_eq!(column(table, "u"), "char(36) DEFAULT (uuid()) utf8mb4_0900_ai_ci");
        assert_eq!(column(table, "dt"), "datetime(3) DEFAULT CURRENT_TIMESTAMP(3) on_update=CURRENT_TIMESTAMP(3)");
    }
}

#[tokio::test]
async fn mariadb_reads_the_same_from_two_databases() {
    let own = [
        "CREATE TABLE m (a int CHECK (a > 0), CONSTRAINT b CHECK (a < 9), cc varchar(100) COMPRESSED, uu uuid DEFAULT uuid(), \
         i4 inet4, i6 inet6, KEY ivx (a) IGNORED, t text DEFAULT 'lit''s', FULLTEXT (t), j json NOT NULL CHECK (json_length(j) > 1))",
        "CREATE TABLE sv (id int, rs timestamp(6) GENERATED ALWAYS AS ROW START INVISIBLE, \
         re timestamp(6) GENERATED ALWAYS AS ROW END INVISIBLE, b int WITHOUT SYSTEM VERSIONING, PERIOD FOR SYSTEM_TIME(rs, re)) \
         WITH SYSTEM VERSIONING",
        "CREATE TABLE ap (id int, s date, e date, PERIOD FOR p(s, e), UNIQUE u (id, p WITHOUT OVERLAPS))",
        "CREATE SEQUENCE sq START WITH 5 INCREMENT BY 2 MAXVALUE 100 CYCLE CACHE 10",
        "CREATE SEQUENCE sq2",
        "CREATE TABLE sd (id int DEFAULT nextval(sq))",
    ];
    for server in servers::mariadb() {
        let script: Vec<&str> = SHARED.iter().chain(&own).copied().collect();
        let mut found = twice(&server, &script).await;
        let tables = &mut found.schema.tables;
        let mut take = |text: &str| tables.remove(&name(text)).unwrap();
        let (m, sv, ap, sd) = (take("n.m"), take("n.sv"), take("n.ap"), take("n.sd"));
        assert!(column(&m, "cc").contains(" compressed="));
        assert_eq!(column(&m, "uu"), "uuid DEFAULT uuid()");
        assert_eq!(column(&m, "j"), "longtext NOT NULL utf8mb4_bin", "its own check is not the hidden one");
        let checks: Vec<String> = m
            .constraints
            .iter()
            .map(|it| match &it.kind {
                ConstraintKind::Check { expr, column, .. } => {
                    format!("{}: {expr}", if column.is_some() { "column" } else { "table" })
                }
                other @ (ConstraintKind::PrimaryKey(_)
                | ConstraintKind::Unique(_)
                | ConstraintKind::ForeignKey(_)
                | ConstraintKind::Exclude { .. }) => format!("{other:?}"),
            })
            .collect();
        assert!(
            checks.contains(&"column: `a` > 0".to_owned()) && checks.contains(&"table: `a` < 9".to_owned()),
            "{checks:?}"
        );
        let versioning = |table: &Table| table.options.versioning.as_ref().unwrap().to_string();
        assert_eq!(versioning(&sv), "PERIOD FOR SYSTEM_TIME (`rs`, `re`), WITH SYSTEM VERSIONING");
        assert_eq!(column(&sv, "rs"), "timestamp(6) NOT NULL invisible=true row=start");
        assert_eq!(column(&sv, "b"), "int(11) without_versioning=true");
        assert_eq!(versioning(&ap), "PERIOD FOR `p` (`s`, `e`)");
        assert!(ap.constraints.is_empty(), "{:?}", ap.constraints);
        assert_eq!((ap.indexes[0].parts.len(), ap.indexes[0].parameters["without_overlaps"].as_str()), (1, "p"));
        assert_eq!(column(&sd, "id"), "int(11) DEFAULT nextval(`sq`)");
        assert_eq!(sd.columns[0].depends_on.len(), 1);
        let sequence = &found.schema.sequences[&name("n.sq")].options;
        assert_eq!((sequence.start, sequence.max, sequence.cycle), (Some(5), Some(100), true));
        assert_eq!(found.schema.sequences[&name("n.sq2")].options, trueup_schema::SequenceOptions::default());
        let table = check_shared(&found);
        assert_eq!(column(table, "d"), "decimal(10,2) DEFAULT 1.50");
        assert_eq!(column(table, "x"), "int(11) DEFAULT (1 + 2)");
        assert_eq!(column(table, "dt"), "datetime(3) DEFAULT current_timestamp(3) on_update=current_timestamp(3)");
    }
}

#[tokio::test]
async fn questions_do_not_grow_on_mysql_and_mariadb() {
    for server in both() {
        let database = TestDatabase::on(&server).await.unwrap();
        let many: Vec<String> = (0..40)
            .map(|number| {
                format!(
                    "CREATE TABLE t{number} (id int PRIMARY KEY, a varchar(9) DEFAULT 'x', KEY (a), CHECK (id > 0))"
                )
            })
            .chain(["INSERT INTO t1 (id) VALUES (1)".to_owned()])
            .chain((0..30).map(|number| format!("CREATE VIEW v{number} AS SELECT a FROM t{number}")))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (full, some) = read(&database, &many).await;
        assert_eq!(full.schema.tables.len(), 40);
        // Definitions come fifty at once.
        assert!(some <= MOST + 1, "{}: {some}", server.name());
        assert_eq!(full.schema.views.len(), 30);
        assert!(full.schema.tables.values().all(|table| !table.spelled));
        let (_, some) = spelled(&database).await;
        assert!(some <= MOST + 2, "{}: {some}", server.name());
        assert_eq!(full.facts.sizes.values().filter(|size| size.empty).count(), 39);
    }
}

#[tokio::test]
async fn what_only_a_definition_tells_is_read_from_it() {
    for server in both() {
        let database = TestDatabase::on(&server).await.unwrap();
        let script = [
            "CREATE TABLE t (id int, a int, v varchar(9) CHARACTER SET utf8mb4, w varchar(9), l varchar(9) CHARACTER SET latin1, \
             PRIMARY KEY (id) USING BTREE, KEY p (a), KEY b (a, id) USING BTREE) CHARACTER SET utf8mb4",
            "CREATE TABLE m (a int, KEY p (a), KEY h (a) USING HASH, KEY b (a) USING BTREE) ENGINE=MEMORY",
        ];
        database.session_after(&script).await.unwrap().close().await.unwrap();
        let (schema, _) = spelled(&database).await;
        let table = |name: &str| schema.tables.values().find(|table| table.name.name.as_str() == name).unwrap();
        // One server tells a character set that is written out from the table's.
        let columns = if server.name().starts_with("mysql") { "column l\ncolumn v\n" } else { "" };
        assert_eq!(
            table("t").spelling().to_string(),
            format!("{columns}primary key spelled btree\nindex b spelled btree\n"),
            "{}",
            server.name()
        );
        // The method of an index that names none is the engine's.
        assert_eq!(table("m").spelling().to_string(), "index h spelled hash\n", "{}", server.name());
        let methods: Vec<_> = table("m").indexes.iter().map(|index| index.method.as_deref()).collect();
        assert_eq!(methods, [Some("btree"), None, None], "{}", server.name());
    }
}

#[tokio::test]
async fn libraries_and_views_of_documents_are_listed() {
    for server in servers::mysql() {
        let database = TestDatabase::on(&server).await.unwrap();
        if database.session().await.unwrap().server().version < [9, 4, 0] {
            continue;
        }
        let script = [
            "CREATE LIBRARY lb LANGUAGE JAVASCRIPT AS 'export function f(n) { return n }'",
            "CREATE TABLE t (id int PRIMARY KEY, a int)",
            "CREATE JSON RELATIONAL DUALITY VIEW dv AS SELECT JSON_DUALITY_OBJECT('_id': id, 'a': a) FROM t",
            "CREATE VIEW v AS SELECT id AS duality FROM t",
            "CREATE TABLE loaded (id int, z int NOT SECONDARY) SECONDARY_ENGINE = rapid",
        ];
        let found = read(&database, &script).await.0;
        let listed: Vec<_> = found.unmanaged.iter().map(|it| it.kind.as_str()).collect();
        assert_eq!(listed, ["JSON duality view", "library"], "{}", server.name());
        assert!(found.schema.views.contains_key(&name("n.v")));
        let options = &found.schema.tables[&name("n.loaded")].options.parameters;
        assert_eq!(options.get("secondary_engine").map(String::as_str), Some("rapid"));
        assert!(!options.contains_key("secondary_load"));
    }
}
