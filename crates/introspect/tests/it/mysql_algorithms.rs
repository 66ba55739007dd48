//! The algorithm and lock that are predicted for an ALTER are the cheapest that the server grants.

use trueup_dialect::mysql::{Algorithm, Engine, Lock, Prediction};
use trueup_dialect::{Dialect, Tables, mariadb};
use trueup_introspect::{NamespaceFilter, Request, introspect};
use trueup_plan::{Change, ColumnPosition, Flavor, Object, TableIndex};
use trueup_schema::{Constraint, DialectId, Ident, ObjectRef, PartId, QualName, Schema, Table};
use trueup_session::Session;
use trueup_testkit::TestDatabase;
use trueup_testkit::servers;

const TABLES: [&str; 2] = [
    "CREATE TABLE p (id int PRIMARY KEY)",
    "CREATE TABLE t (id int NOT NULL, a int, b int NOT NULL DEFAULT 5, v varchar(20), w varchar(100), e enum('a','b'), d decimal(5,2), \
     dt datetime, txt text, x int, r int, nn int NOT NULL, l varchar(10) CHARACTER SET latin1, PRIMARY KEY (id), KEY ki (x), KEY kr (r), \
     CONSTRAINT ck CHECK (a > 0), CONSTRAINT fk FOREIGN KEY (r) REFERENCES p (id)) CHARACTER SET utf8mb4",
];

/// What is altered, the same as SQL.
const CLAUSES: &[(&str, &str)] = &[
    ("add", "ADD COLUMN n int"),
    ("add-first", "ADD COLUMN n int FIRST"),
    ("add", "ADD COLUMN n datetime DEFAULT CURRENT_TIMESTAMP"),
    ("add", "ADD COLUMN n char(36) DEFAULT (uuid())"),
    ("add", "ADD COLUMN n int AS (a + 1) VIRTUAL"),
    ("add", "ADD COLUMN n int AS (a + 1) STORED"),
    ("drop dt", "DROP COLUMN dt"),
    ("rename dt", "RENAME COLUMN dt TO n"),
    ("rename-index", "RENAME INDEX ki TO n"),
    ("default b", "ALTER COLUMN b SET DEFAULT 7"),
    ("not-null a", "MODIFY a int NOT NULL"),
    ("null nn", "MODIFY nn int NULL"),
    ("type x", "MODIFY x bigint"),
    ("type v", "MODIFY v varchar(40)"),
    ("type v", "MODIFY v varchar(64)"),
    ("type w", "MODIFY w varchar(50)"),
    ("type e", "MODIFY e enum('a','b','c')"),
    ("type e", "MODIFY e enum('c','a','b')"),
    ("type d", "MODIFY d decimal(7,2)"),
    ("type txt", "MODIFY txt mediumtext"),
    ("type l", "MODIFY l varchar(10) CHARACTER SET utf8mb4"),
    ("type v", "MODIFY v varchar(20) COLLATE utf8mb4_bin"),
    ("attributes dt", "MODIFY dt datetime ON UPDATE CURRENT_TIMESTAMP"),
    ("attributes d", "MODIFY d decimal(5,2) INVISIBLE"),
    ("comment a", "MODIFY a int COMMENT 'c'"),
    ("table-comment", "COMMENT 'c'"),
    ("options", "DEFAULT CHARACTER SET latin1"),
    ("options", "ROW_FORMAT=COMPACT"),
    ("move dt", "MODIFY dt datetime FIRST"),
    ("index n", "ADD INDEX n (a)"),
    ("index n", "ADD UNIQUE INDEX n (a)"),
    ("index n", "ADD FULLTEXT INDEX n (txt)"),
    ("drop-index ki", "DROP INDEX ki"),
    ("check n", "ADD CONSTRAINT n CHECK (a > 1)"),
    ("check n", "ADD CONSTRAINT n FOREIGN KEY (x) REFERENCES p (id)"),
    ("drop-check ck", "DROP CONSTRAINT ck"),
    ("drop-check fk", "DROP FOREIGN KEY fk"),
    ("drop-primary", "DROP PRIMARY KEY"),
    ("swap-primary", "DROP PRIMARY KEY, ADD PRIMARY KEY (nn)"),
    ("add+index", "ADD COLUMN n int, ADD INDEX n2 (a)"),
    ("drop+index", "DROP COLUMN dt, ADD INDEX n2 (a)"),
    ("default+index", "ALTER COLUMN b SET DEFAULT 7, ADD INDEX n2 (a)"),
    ("add+type", "ADD COLUMN n int, MODIFY x bigint"),
];

/// Tables that hold what makes some changes dearer.
const SHAPES: [&str; 4] = [
    "CREATE TABLE t (id int NOT NULL, a int, u int, nn int NOT NULL, gs int AS (a + 1) STORED, PRIMARY KEY (id))",
    "CREATE TABLE t (id int NOT NULL, a int, u int, nn int NOT NULL, g int AS (a + 1), PRIMARY KEY (id))",
    "CREATE TABLE t (id int NOT NULL, a int, u int, nn int NOT NULL, g int AS (a + 1), k int AS (a + 2), PRIMARY KEY (id), KEY (k))",
    "CREATE TABLE t (id int NOT NULL, a int, u int, nn int NOT NULL, x text, PRIMARY KEY (id), FULLTEXT (x))",
];

/// The same for what only MySQL has, and what only MySQL cannot do beside other things.
const MYSQL_SHAPES: [&str; 3] = [
    "CREATE TABLE t (id int NOT NULL, a int, u int, nn int NOT NULL, g int AS (a + 1), h int AS (a + 2), PRIMARY KEY (id))",
    "CREATE TABLE t (id int NOT NULL, a int, u int, nn int NOT NULL, g int AS (a + 1), PRIMARY KEY (id), KEY f ((u + 1)))",
    "CREATE TABLE t (id int NOT NULL, a int, u int, nn int NOT NULL, g int, PRIMARY KEY (id), KEY f ((u + 1)))",
];

/// Indexes over expressions that go.
const MYSQL_FUNCTIONAL: [(&str, &[(&str, &str)]); 4] = [
    (
        "CREATE TABLE t (id int PRIMARY KEY, a int, nn int NOT NULL, UNIQUE f ((a + 1)))",
        &[("drop-index f", "DROP INDEX f")],
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, a int, nn int NOT NULL, KEY f ((a + 1)))",
        &[("drop-index f", "DROP INDEX f")],
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, a int, nn int NOT NULL, KEY g ((a + 3)), UNIQUE f ((a + 1)))",
        &[("drop-index f", "DROP INDEX f"), ("drop-index g", "DROP INDEX g")],
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, a int, nn int NOT NULL, h int AS (a + 8), UNIQUE f ((a + 1), nn))",
        &[("drop-index f", "DROP INDEX f"), ("drop h", "DROP COLUMN h")],
    ),
];

/// What only MariaDB takes.
const MARIADB_CLAUSES: &[(&str, &str)] = &[
    ("add", "ADD COLUMN n int DEFAULT (a + 1)"),
    ("add", "ADD COLUMN n int DEFAULT (1 + 2)"),
    ("index n", "ADD UNIQUE INDEX n (txt)"),
];

/// Their changes.
const MYSQL_SHAPED: &[(&str, &str)] = &[
    ("add", "ADD COLUMN n int"),
    ("add", "ADD COLUMN n int AS (a + 9) VIRTUAL"),
    ("drop g", "DROP COLUMN g"),
    ("index n", "ADD INDEX n ((a + 2))"),
    ("index n", "ADD UNIQUE INDEX n (id, (a + 2))"),
    ("null nn", "MODIFY nn int NULL"),
    ("type a", "MODIFY a bigint"),
];

/// The changes that depend on them.
const SHAPED: &[(&str, &str)] = &[
    ("add", "ADD COLUMN n int"),
    ("add", "ADD COLUMN n int AS (a + 9) VIRTUAL"),
    ("drop u", "DROP COLUMN u"),
    ("move u", "MODIFY u int FIRST"),
    ("null nn", "MODIFY nn int NULL"),
    ("options", "ROW_FORMAT=COMPACT"),
    ("swap-primary", "DROP PRIMARY KEY, ADD PRIMARY KEY (nn)"),
];

/// Tables without a primary key, whose rows are stored by a unique index or by none, and what moves that; tables whose rows change with those
/// of others.
const ODD: [(&str, &[(&str, &str)]); 8] = [
    (
        "CREATE TABLE t (id int NOT NULL, a int, nn int NOT NULL, UNIQUE u (nn))",
        &[
            ("drop-index u", "DROP INDEX u"),
            ("index n", "ADD UNIQUE INDEX n (id)"),
            ("null nn", "MODIFY nn int NULL"),
            ("drop nn", "DROP COLUMN nn"),
        ],
    ),
    (
        "CREATE TABLE t (id int NOT NULL, a int, nn int NOT NULL, UNIQUE v (a))",
        &[
            ("drop-index v", "DROP INDEX v"),
            ("index n", "ADD UNIQUE INDEX n (nn)"),
            ("not-null a", "MODIFY a int NOT NULL"),
        ],
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, a int, nn int NOT NULL, r int, FOREIGN KEY (r) REFERENCES p (id) ON DELETE CASCADE)",
        &[("type a", "MODIFY a bigint"), ("add", "ADD COLUMN n int")],
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, a int, nn int NOT NULL, r int, FOREIGN KEY (r) REFERENCES p (id) ON UPDATE SET NULL)",
        &[("type a", "MODIFY a bigint")],
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, a int, nn int NOT NULL, r int, FOREIGN KEY (r) REFERENCES p (id) ON DELETE RESTRICT)",
        &[("type a", "MODIFY a bigint")],
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, a text COLLATE utf8mb4_general_ci, nn int NOT NULL, KEY k (a(10)))",
        &[("type a", "MODIFY a text COLLATE utf8mb4_unicode_ci")],
    ),
    (
        "CREATE TABLE t (id varchar(9) COLLATE utf8mb4_general_ci PRIMARY KEY, a int, nn int NOT NULL)",
        &[("type id", "MODIFY id varchar(9) COLLATE utf8mb4_unicode_ci NOT NULL")],
    ),
    (
        "CREATE TABLE t (id varchar(9) COLLATE utf8mb4_general_ci NOT NULL, a varchar(9) COLLATE utf8mb4_general_ci, nn int NOT NULL, \
         UNIQUE (id), KEY k (a(3)))",
        &[
            ("type id", "MODIFY id varchar(9) COLLATE utf8mb4_unicode_ci NOT NULL"),
            ("type a", "MODIFY a varchar(9) COLLATE utf8mb4_unicode_ci"),
        ],
    ),
];

/// Columns that begin to count, beside keys that tell rows apart meanwhile and without.
const COUNTING: [(&str, &[(&str, &str)]); 5] = [
    (
        "CREATE TABLE t (id int NOT NULL, a int NOT NULL, nn int NOT NULL, PRIMARY KEY (id), KEY (a))",
        &[("count a", "MODIFY a int NOT NULL AUTO_INCREMENT"), ("count id", "MODIFY id int NOT NULL AUTO_INCREMENT")],
    ),
    (
        "CREATE TABLE t (id int NOT NULL, a int, nn int NOT NULL, PRIMARY KEY (id), UNIQUE (nn))",
        &[
            ("count nn", "MODIFY nn int NOT NULL AUTO_INCREMENT"),
            ("count id", "MODIFY id int NOT NULL AUTO_INCREMENT"),
            ("count+type nn", "MODIFY id int NOT NULL AUTO_INCREMENT, MODIFY nn bigint NOT NULL"),
        ],
    ),
    (
        "CREATE TABLE t (id int NOT NULL, a int NOT NULL, nn int NOT NULL, UNIQUE (nn), KEY (a))",
        &[("count a", "MODIFY a int NOT NULL AUTO_INCREMENT")],
    ),
    (
        "CREATE TABLE t (id int NOT NULL, a int NOT NULL, nn int NOT NULL, KEY (a))",
        &[("count a", "MODIFY a int NOT NULL AUTO_INCREMENT")],
    ),
    (
        "CREATE TABLE t (id int NOT NULL, a int, nn int NOT NULL, UNIQUE (a), PRIMARY KEY (id, nn))",
        &[("count id", "MODIFY id int NOT NULL AUTO_INCREMENT")],
    ),
];

/// Tables with partitions and without, and what changes those.
const PARTITIONED: [(&str, &[(&str, &str)]); 3] = [
    (
        "CREATE TABLE t (id int NOT NULL, a int NOT NULL, nn int NOT NULL, PRIMARY KEY (id, a)) PARTITION BY RANGE (a) \
         (PARTITION p0 VALUES LESS THAN (9), PARTITION p1 VALUES LESS THAN (20))",
        &[
            ("options", "ADD PARTITION (PARTITION p2 VALUES LESS THAN (30))"),
            (
                "options",
                "REORGANIZE PARTITION p1 INTO (PARTITION pa VALUES LESS THAN (15), PARTITION p1 VALUES LESS THAN (20))",
            ),
            ("options", "REORGANIZE PARTITION p0, p1 INTO (PARTITION p1 VALUES LESS THAN (20))"),
            ("options", "PARTITION BY HASH (id) PARTITIONS 3"),
            ("options", "REMOVE PARTITIONING"),
        ],
    ),
    (
        "CREATE TABLE t (id int NOT NULL, a int NOT NULL, nn int NOT NULL, PRIMARY KEY (id, a)) \
         PARTITION BY LIST (a) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION p0 VALUES IN (1,5), PARTITION p1 VALUES IN (7))",
        &[
            ("options", "ADD PARTITION (PARTITION p2 VALUES IN (30))"),
            ("options", "REORGANIZE PARTITION p0, p1 INTO (PARTITION p1 VALUES IN (1,5,7))"),
        ],
    ),
    (
        "CREATE TABLE t (id int NOT NULL, a int NOT NULL, nn int NOT NULL, PRIMARY KEY (id, a))",
        &[
            ("options", "PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (9))"),
            ("options", "PARTITION BY KEY (id)"),
        ],
    ),
];

fn ident(name: &str) -> Ident {
    Ident::new(name).unwrap()
}

async fn table(session: &mut dyn Session, database: &Ident) -> Table {
    let namespaces = NamespaceFilter::Only(vec![database.clone()]);
    let request = Request { namespaces, control_namespace: None, owners: false, spelled: false, facts: false };
    let schema: Schema = introspect(session, &request).await.unwrap().schema;
    schema.tables[&QualName::new(Some(database.clone()), ident("t"))].clone()
}

/// The changes between two tables, of the kind that the first word says.
fn changes(what: &str, before: &Table, after: &Table) -> Vec<Change> {
    let table = after.name.clone();
    let (kind, name) = what.split_once(' ').unwrap_or((what, "n"));
    let part = |name: &str| PartId { table: before.name.clone(), name: ident(name) };
    let sides = || (before.column(&ident(name)).unwrap().clone(), after.column(&ident(name)).unwrap().clone());
    let constraint = |table: &Table, name: &str| table.constraint(&ident(name)).unwrap().clone();
    let primary =
        |table: &Table| -> Constraint { table.constraints.iter().find(|it| it.name.is_none()).unwrap().clone() };
    let flavor = Flavor::Plain;
    let index = |table: &Table, name: &str| {
        let index = table.index(&ident(name)).unwrap().clone();
        Object::Index(TableIndex { table: table.name.clone(), index })
    };
    let one = match kind {
        "add" | "add-first" => {
            let position = if kind == "add" { ColumnPosition::Last } else { ColumnPosition::First };
            Change::AddColumn { table, column: after.column(&ident(name)).unwrap().clone(), position }
        }
        "drop" => Change::DropColumn { table, column: before.column(&ident(name)).unwrap().clone() },
        "rename" => Change::Rename { from: ObjectRef::Column(part(name)), to: ObjectRef::Column(part("n")), flavor },
        "rename-index" => {
            Change::Rename { from: ObjectRef::Index(part("ki")), to: ObjectRef::Index(part("n")), flavor }
        }
        "default" => {
            let (before, after) = sides();
            Change::SetDefault { table, before, after }
        }
        "not-null" => {
            let (before, after) = sides();
            Change::SetNotNull { table, before, after }
        }
        "null" => {
            let (before, after) = sides();
            Change::DropNotNull { table, before, after }
        }
        "type" => {
            let (before, after) = sides();
            Change::AlterColumnType { table, before, after, using: None }
        }
        "attributes" => {
            let (before, after) = sides();
            Change::SetColumnAttributes { table, before, after }
        }
        "comment" => {
            Change::SetComment { on: ObjectRef::Column(part(name)), flavor, before: None, after: Some("c".to_owned()) }
        }
        "table-comment" => {
            Change::SetComment { on: ObjectRef::Table(table), flavor, before: None, after: Some("c".to_owned()) }
        }
        "options" => Change::AlterTable { before: before.clone(), after: after.clone() },
        "move" => Change::MoveColumn {
            table,
            column: after.column(&ident(name)).unwrap().clone(),
            position: ColumnPosition::First,
        },
        "index" => Change::Create { object: index(after, name) },
        "count" => {
            let (before, after) = sides();
            Change::SetIdentity { table, before, after }
        }
        "count+type" => return [changes("count id", before, after), changes("type nn", before, after)].concat(),
        "drop-index" => Change::Drop { object: index(before, name) },
        "check" => Change::AddConstraint { table, constraint: constraint(after, name) },
        "drop-check" => Change::DropConstraint { table, constraint: constraint(before, name) },
        "drop-primary" => Change::DropConstraint { table, constraint: primary(before) },
        "swap-primary" => {
            let drop = Change::DropConstraint { table: table.clone(), constraint: primary(before) };
            return vec![drop, Change::AddConstraint { table, constraint: primary(after) }];
        }
        "add+index" => return [changes("add", before, after), changes("index n2", before, after)].concat(),
        "drop+index" => return [changes("drop dt", before, after), changes("index n2", before, after)].concat(),
        "default+index" => return [changes("default b", before, after), changes("index n2", before, after)].concat(),
        "add+type" => return [changes("add", before, after), changes("type x", before, after)].concat(),
        other => panic!("{other}"),
    };
    vec![one]
}

/// `ALTER` with the assertion; MySQL takes no lock beside an instant change.
fn asserted(clause: &str, algorithm: Algorithm, lock: Lock, id: DialectId) -> String {
    let lock = if id == DialectId::MySql && algorithm == Algorithm::Instant {
        String::new()
    } else {
        format!(", LOCK={}", lock.sql())
    };
    let said = format!("ALGORITHM={}{lock}", algorithm.sql());
    if stands_apart(clause) {
        format!("ALTER TABLE t {said}, {clause}")
    } else if clause.starts_with("PARTITION BY") || clause.starts_with("REMOVE PARTITIONING") {
        format!("ALTER TABLE t {said} {clause}")
    } else {
        format!("ALTER TABLE t {clause}, {said}")
    }
}

/// Whether the clause has a grammar of its own, in which MariaDB takes no algorithm.
fn stands_apart(clause: &str) -> bool {
    clause.starts_with("ADD PARTITION") || clause.starts_with("REORGANIZE PARTITION")
}

/// What is cheaper by one step, in either respect.
fn cheaper(taken: Prediction, id: DialectId) -> Vec<(Algorithm, Lock)> {
    let mut found = Vec::new();
    match taken.lock {
        Lock::None => {}
        Lock::Shared => found.push((taken.algorithm, Lock::None)),
        Lock::Exclusive => found.push((taken.algorithm, Lock::Shared)),
    }
    match taken.algorithm {
        Algorithm::Instant => {}
        Algorithm::NoCopy => found.push((Algorithm::Instant, Lock::Exclusive)),
        Algorithm::InPlace if id == DialectId::MySql => found.push((Algorithm::Instant, Lock::Exclusive)),
        Algorithm::InPlace => found.push((Algorithm::NoCopy, Lock::Exclusive)),
        Algorithm::Copy => found.push((Algorithm::InPlace, Lock::Exclusive)),
    }
    found
}

/// What is wrong with the predictions for `clauses` on the table that `create` makes.
async fn mistakes(session: &mut dyn Session, own: &Ident, create: &str, clauses: &[(&str, &str)]) -> Vec<String> {
    let id = session.server().dialect;
    let version = session.server().version;
    let settings = std::collections::BTreeMap::new();
    let engine =
        if id == DialectId::MySql { Engine::mysql(version, &settings) } else { mariadb::engine(version, &settings) };
    let fresh = ["DROP TABLE IF EXISTS t", create, "INSERT INTO t (id, a, nn) VALUES (1, 5, 2)"];
    let mut wrong = Vec::new();
    // MySQL refuses to add a column with such a default at all.
    for (what, clause) in clauses.iter().filter(|(_, clause)| id == DialectId::MariaDb || !clause.contains("uuid")) {
        run(session, &fresh[..2]).await;
        let before = table(session, own).await;
        run(session, &[&format!("ALTER TABLE t {clause}")]).await;
        let after = table(session, own).await;
        run(session, &fresh).await;
        let changes = changes(what, &before, &after);
        let changes: Vec<&Change> = changes.iter().collect();
        let tables = Tables { before: Some(&before), after: Some(&after) };
        let Some(taken) = engine.algorithm(&changes, tables) else {
            wrong.push(format!("{clause}: nothing is predicted"));
            continue;
        };
        if id == DialectId::MariaDb && stands_apart(clause) {
            let expects = engine.expects(&changes, tables, false);
            wrong.extend((!expects.is_empty()).then(|| format!("{clause}: {expects:?} cannot be written")));
            continue;
        }
        for (algorithm, lock) in cheaper(taken, id) {
            if session.execute(&asserted(clause, algorithm, lock, id)).await.is_ok() {
                wrong.push(format!("{clause}: {taken:?}, but {algorithm:?} {lock:?} is granted"));
                run(session, &fresh).await;
            }
        }
        if let Err(error) = session.execute(&asserted(clause, taken.algorithm, taken.lock, id)).await {
            wrong.push(format!("{clause}: {taken:?} is refused: {error}"));
        }
    }
    wrong
}

async fn run(session: &mut dyn Session, statements: &[&str]) {
    for sql in statements {
        session.execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

#[tokio::test]
async fn predictions_are_the_cheapest_that_is_granted() {
    for server in servers::mysql().into_iter().chain(servers::mariadb()) {
        let database = TestDatabase::on(&server).await.unwrap();
        let own = ident(database.name());
        let mut session = database.session_after(&TABLES[..1]).await.unwrap();
        let mut wrong = mistakes(&mut *session, &own, TABLES[1], CLAUSES).await;
        for shape in SHAPES {
            let found = mistakes(&mut *session, &own, shape, SHAPED).await;
            wrong.extend(found.into_iter().map(|what| format!("{what}\n    on {shape}")));
        }
        for (shape, clauses) in ODD.into_iter().chain(COUNTING).chain(PARTITIONED) {
            let found = mistakes(&mut *session, &own, shape, clauses).await;
            wrong.extend(found.into_iter().map(|what| format!("{what}\n    on {shape}")));
        }
        let mysql = session.server().dialect == DialectId::MySql;
        if !mysql {
            wrong.extend(mistakes(&mut *session, &own, TABLES[1], MARIADB_CLAUSES).await);
        }
        let shaped = MYSQL_SHAPES.map(|shape| (shape, MYSQL_SHAPED));
        for (shape, clauses) in shaped.into_iter().chain(MYSQL_FUNCTIONAL).filter(|_| mysql) {
            let found = mistakes(&mut *session, &ident(database.name()), shape, clauses).await;
            wrong.extend(found.into_iter().map(|what| format!("{what}\n    on {shape}")));
        }
        assert!(wrong.is_empty(), "{}:\n{}", server.name(), wrong.join("\n"));
    }
}
