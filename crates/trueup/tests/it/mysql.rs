//! What only MySQL and MariaDB have, on every server of the run.

use trueup::execute::RunStatus;
use trueup::plan::{Consent, Ownership, PlanStatus};
use trueup::{ApplyRequest, Declared, Options, Pipeline, RehearseRequest, Side, Silence};
use trueup_testkit::servers::{self, MYSQL_VARIABLE, TestServer};
use trueup_testkit::{TestDatabase, servers::Engine};

/// None only where the run has said that it covers neither.
#[expect(clippy::disallowed_methods, reason = "the run hands its servers over through the environment")]
fn listed() -> Vec<TestServer> {
    let names = std::env::var(MYSQL_VARIABLE).unwrap_or_default();
    let of = |engine: &str, servers: fn() -> Vec<TestServer>| {
        if names.split(',').any(|name| name.starts_with(engine)) { servers() } else { Vec::new() }
    };
    [of("mariadb", servers::mariadb), of("mysql", servers::mysql)].concat()
}

fn pipeline(database: &TestDatabase) -> Pipeline {
    let mut options = Options::new().unwrap();
    options.plan.ownership = Ownership::All;
    options.plan.no_renames = true;
    Pipeline::new(database.url().clone(), None, options).unwrap()
}

async fn apply(pipeline: &Pipeline, sql: &str, consent: Consent) -> trueup::execute::Applied {
    let declared = Declared::sql("s.sql", sql);
    let applied = pipeline.apply(&declared, consent, ApplyRequest::default(), &Silence).await;
    assert!(applied.is_ok(), "{}: {sql}: {applied:?}", pipeline.place());
    applied.unwrap()
}

/// Gets to `sql`, after which nothing may be left to do.
async fn reach(pipeline: &Pipeline, name: &str, sql: &str) {
    let applied = apply(pipeline, sql, Consent::AllLosses).await;
    let is_there = matches!(applied.status, RunStatus::Synced | RunStatus::UpToDate);
    assert!(is_there, "{name}: {sql}: {:?} {:?} {:?}", applied.status, applied.refusals, applied.residual);
    let planned = pipeline.plan(&Declared::sql("s.sql", sql)).await.unwrap();
    assert_eq!(planned.status(), PlanStatus::UpToDate, "{name}: {sql}: {:?}", planned.plan.operations);
}

/// Pairs of declarations of things that MariaDB alone has; each way is gone.
const MARIADB: [(&str, &str); 18] = [
    (
        "CREATE TABLE t (id int PRIMARY KEY, n int);",
        "CREATE TABLE t (id int PRIMARY KEY, n int) WITH SYSTEM VERSIONING;",
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY, n int) WITH SYSTEM VERSIONING;",
        "CREATE TABLE t (id int PRIMARY KEY, n bigint NOT NULL DEFAULT 1, m int WITHOUT SYSTEM VERSIONING, KEY (m)) WITH SYSTEM VERSIONING;",
    ),
    (
        "CREATE TABLE t (id int PRIMARY KEY);",
        "CREATE TABLE t (id int PRIMARY KEY, a timestamp(6) GENERATED ALWAYS AS ROW START, b timestamp(6) GENERATED ALWAYS AS ROW END, \
         PERIOD FOR SYSTEM_TIME (a, b)) WITH SYSTEM VERSIONING;",
    ),
    (
        "CREATE TABLE t (x int) WITH SYSTEM VERSIONING;",
        "CREATE TABLE t (x int) WITH SYSTEM VERSIONING PARTITION BY SYSTEM_TIME (PARTITION h HISTORY, PARTITION c CURRENT);",
    ),
    (
        "CREATE TABLE t (id int);",
        "CREATE TABLE t (id int, s date NOT NULL, e date NOT NULL, PERIOD FOR p (s, e), UNIQUE KEY u (id, p WITHOUT OVERLAPS));",
    ),
    (
        "CREATE TABLE t (s date NOT NULL, e date NOT NULL, PERIOD FOR p (s, e));",
        "CREATE TABLE t (s date NOT NULL, e date NOT NULL, f date NOT NULL, PERIOD FOR p (s, f));",
    ),
    ("CREATE SEQUENCE q;", "CREATE SEQUENCE q INCREMENT BY 5 MAXVALUE 99 NOCACHE CYCLE;"),
    ("CREATE TABLE t (id int);", "CREATE SEQUENCE q; CREATE TABLE t (id bigint DEFAULT NEXTVAL(q) PRIMARY KEY);"),
    (
        "CREATE TABLE t (a int CHECK (a > 0), b int);",
        "CREATE TABLE t (a bigint CHECK (a > 1), b int CHECK (b < a), CONSTRAINT c CHECK (a <> b));",
    ),
    (
        "CREATE TABLE t (j longtext, k json);",
        "CREATE TABLE t (j json, k json NOT NULL CHECK (json_valid(k) AND json_length(k) < 9));",
    ),
    (
        "CREATE TABLE t (i int, u char(36));",
        "CREATE TABLE t (i int, a inet6, b inet4, u uuid, v uuid NOT NULL DEFAULT uuid());",
    ),
    (
        "CREATE TABLE t (a int, b varchar(999), c text);",
        "CREATE TABLE t (a int INVISIBLE, b varchar(999) COMPRESSED, c text COMPRESSED=zlib);",
    ),
    ("CREATE TABLE t (a int, KEY k (a));", "CREATE TABLE t (a int, KEY k (a) IGNORED);"),
    (
        "CREATE TABLE t (a varchar(9)) COLLATE utf8mb4_general_ci;",
        "CREATE TABLE t (a varchar(9) COLLATE uca1400_as_ci) CHARSET utf8mb4 COLLATE uca1400_ai_ci;",
    ),
    ("CREATE TABLE t (a int) ENGINE=Aria TRANSACTIONAL=1;", "CREATE TABLE t (a bigint) ENGINE=Aria TRANSACTIONAL=0;"),
    ("CREATE TABLE t (a int);", "CREATE TABLE t (a int) PAGE_COMPRESSED=1;"),
    (
        "CREATE OR REPLACE PROCEDURE p(a int) SELECT a; CREATE OR REPLACE VIEW v AS SELECT 1 AS a;",
        "CREATE OR REPLACE PROCEDURE p(a int, b int) SELECT a; CREATE OR REPLACE SQL SECURITY INVOKER VIEW v AS SELECT 2 AS a, 3 AS b;",
    ),
    (
        "CREATE TABLE t (a int); create trigger g before insert on t for each row set new.a = 1;",
        "CREATE TABLE t (a int); create trigger g before insert on t for each row set new.a = 2; \
         CREATE TRIGGER h BEFORE INSERT ON t FOR EACH ROW PRECEDES g SET NEW.a = 3;",
    ),
];

#[tokio::test]
async fn kinds_of_mariadb() {
    for server in listed().into_iter().filter(|server| server.engine == Engine::MariaDb) {
        let name = server.name();
        let database = TestDatabase::on(&server).await.unwrap();
        let pipeline = pipeline(&database);
        for (one, other) in MARIADB {
            for sql in [one, other, one] {
                reach(&pipeline, &name, sql).await;
            }
        }
        if server.version == "11.8" {
            let of = |distance: &str| {
                format!("CREATE TABLE t (v vector(5) NOT NULL, VECTOR KEY x (v) M=8 DISTANCE={distance});")
            };
            for sql in [of("cosine"), of("'EUCLIDEAN'"), "CREATE TABLE t (v vector(6));".to_owned()] {
                reach(&pipeline, &name, &sql).await;
            }
        }
        let package = "SET sql_mode = ORACLE;\nDELIMITER $$\nCREATE PACKAGE k AS FUNCTION f(a INT) RETURN INT; END$$\nDELIMITER ;";
        let planned = pipeline.plan(&Declared::sql("s.sql", package)).await.unwrap();
        assert!(
            planned.plan.refusals.iter().any(|refusal| refusal.code == "unmodelled"),
            "{:?}",
            planned.plan.refusals
        );
    }
}

#[tokio::test]
async fn history_is_lost_only_with_consent() {
    for server in listed().into_iter().filter(|server| server.engine == Engine::MariaDb) {
        let database = TestDatabase::on(&server).await.unwrap();
        let pipeline = pipeline(&database);
        reach(&pipeline, &server.name(), "CREATE TABLE t (id int PRIMARY KEY, n int) WITH SYSTEM VERSIONING;").await;
        let plain = "CREATE TABLE t (id int PRIMARY KEY, n int);";
        let refused = apply(&pipeline, plain, Consent::None).await;
        assert_eq!(refused.status, RunStatus::Refused);
        reach(&pipeline, &server.name(), plain).await;
    }
}

#[tokio::test]
async fn rows_that_an_alter_would_stumble_over_refuse_it_beforehand() {
    for server in listed() {
        let database = TestDatabase::on(&server).await.unwrap();
        let pipeline = pipeline(&database);
        reach(&pipeline, &server.name(), "CREATE TABLE t (id int PRIMARY KEY, v varchar(9));").await;
        database.session().await.unwrap().execute("INSERT INTO t VALUES (0, 'abc')").await.unwrap();
        for column in ["g int AS (id / v) STORED", "g varchar(2) AS (v) STORED", "g int AS (1 DIV id) STORED"] {
            let sql = format!("CREATE TABLE t (id int PRIMARY KEY, v varchar(9), {column});");
            let applied = apply(&pipeline, &sql, Consent::AllLosses).await;
            assert_eq!(applied.status, RunStatus::Refused, "{}: {column}", server.name());
        }
        let fits = "CREATE TABLE t (id int PRIMARY KEY, v varchar(9), g int AS (id + 1) STORED);";
        reach(&pipeline, &server.name(), fits).await;
    }
}

#[tokio::test]
async fn quotes_are_read_as_the_file_and_the_server_say() {
    for server in listed() {
        let database = TestDatabase::on(&server).await.unwrap();
        let pipeline = pipeline(&database);
        let sql = "CREATE TABLE t (a varchar(9) DEFAULT \"x\");\nSET @saved = @@sql_mode;\n\
                   SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES';\n\
                   CREATE TABLE \"u\" (\"a\" varchar(9) DEFAULT 'C:\\');\n\
                   CREATE PROCEDURE p() SELECT 'a\\' AS \"a\", \"u\".\"a\" FROM \"u\";\n\
                   SET sql_mode = @saved;\nCREATE TABLE v (a varchar(9) DEFAULT 'it\\'s');";
        reach(&pipeline, &server.name(), sql).await;
        let elsewhere = "SET sql_mode = 'ANSI_QUOTES';\nCREATE TABLE \"mysql\".\"t\" (a int);";
        let said = format!("{:?}", pipeline.plan(&Declared::sql("s.sql", elsewhere)).await);
        assert!(said.contains("`mysql` is not declared"), "{said}");
        let hidden = "SET sql_mode = REPLACE(@@sql_mode, 'X', 'ANSI_QUOTES');\nCREATE TABLE t (a int);";
        let said = format!("{:?}", pipeline.plan(&Declared::sql("s.sql", hidden)).await);
        assert!(said.contains("quotes mean something else"), "{said}");
    }
}

const SHOP: &str = "CREATE TABLE users (id int PRIMARY KEY AUTO_INCREMENT, mail varchar(90) NOT NULL DEFAULT 'a''b', UNIQUE KEY m (mail));
    CREATE TABLE posts (id int PRIMARY KEY, author int, title varchar(90) COMMENT 'shown', CONSTRAINT f FOREIGN KEY (author) REFERENCES users (id));
    CREATE VIEW recent AS SELECT p.id, u.mail FROM posts p JOIN users u ON u.id = p.author;
    CREATE FUNCTION twice(a int) RETURNS int DETERMINISTIC RETURN a * 2;
    CREATE TRIGGER t BEFORE INSERT ON posts FOR EACH ROW SET NEW.title = concat(NEW.title, '!');
    CREATE EVENT e ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 00:00:00' DO DELETE FROM posts WHERE id < 0;";

#[tokio::test]
async fn inspected_sql_makes_the_same_schema_under_another_name() {
    for server in listed() {
        let (one, other) = (TestDatabase::on(&server).await.unwrap(), TestDatabase::on(&server).await.unwrap());
        reach(&pipeline(&one), &server.name(), SHOP).await;
        let sql = pipeline(&one).inspect().await.unwrap().sql().unwrap();
        let says_the_database = |line: &str| !line.starts_with("--") && line.contains(one.name());
        assert!(!sql.lines().any(says_the_database), "{}: {sql}", server.name());
        reach(&pipeline(&other), &server.name(), &sql).await;
        let sides = [&one, &other].map(|database| Side::Database(database.url().clone()));
        let planned = pipeline(&one).compare(&sides[0], &sides[1]).await.unwrap();
        assert_eq!(planned.status(), PlanStatus::UpToDate, "{}: {:?}", server.name(), planned.plan.operations);
    }
}

#[tokio::test]
async fn a_rehearsal_leaves_no_database_behind() {
    for server in listed() {
        let database = TestDatabase::on(&server).await.unwrap();
        let pipeline = pipeline(&database);
        reach(&pipeline, &server.name(), SHOP).await;
        let after = SHOP.replace("title varchar(90)", "title varchar(120), body text");
        let report = pipeline.rehearse(&Declared::sql("s.sql", after), RehearseRequest::default()).await;
        assert!(report.torn_down && report.converged, "{}: {report:?}", server.name());
        assert!(report.infidelity.is_empty(), "{}: {report:?}", server.name());
        let branch = report.branch.unwrap();
        let sql = "SELECT CAST(count(*) AS SIGNED) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?";
        let rows = database.session().await.unwrap().query(sql, &[branch.as_str().into()]).await.unwrap();
        assert_eq!(rows[0].int(0).unwrap(), 0);
    }
}

#[tokio::test]
async fn what_is_declared_and_not_modelled_is_refused_unless_it_is_there() {
    const TABLES: [&str; 3] = [
        "CREATE TABLE t (a int PRIMARY KEY) CONNECTION = 'elsewhere'",
        "CREATE TABLE t (a int COLUMN_FORMAT FIXED PRIMARY KEY, b int STORAGE DISK)",
        "CREATE TABLE t (a int PRIMARY KEY) TABLESPACE = innodb_system",
    ];
    for server in listed() {
        let known = if server.engine == Engine::MySql { &TABLES[..] } else { &TABLES[..1] };
        for table in known {
            let database = TestDatabase::on(&server).await.unwrap();
            let pipeline = pipeline(&database);
            let plan = async |sql: &str| pipeline.plan(&Declared::sql("s.sql", sql)).await.unwrap();
            let refused = plan(table).await;
            assert_eq!(refused.status(), PlanStatus::Refused, "{}: {table}", pipeline.place());
            let [refusal] = refused.plan.refusals.as_slice() else { panic!("{:?}", refused.plan.refusals) };
            assert_eq!(refusal.code, "unmodelled");
            assert!(refusal.why.contains("the server says"), "{}", refusal.why);
            // What is there like that may stay, and so may a plan for others.
            database.session_after(&[table]).await.unwrap().close().await.unwrap();
            let kept = plan(table).await;
            assert_eq!(kept.status(), PlanStatus::UpToDate, "{}: {table}: {:?}", pipeline.place(), kept.plan.refusals);
            let beside = plan(&format!("{table}; CREATE TABLE u (a int);")).await;
            assert_eq!(beside.status(), PlanStatus::Pending, "{}: {:?}", pipeline.place(), beside.plan.refusals);
            let without = plan("CREATE TABLE t (a int PRIMARY KEY, b int, c int)").await;
            let codes: Vec<&str> = without.plan.refusals.iter().map(|refusal| refusal.code.as_str()).collect();
            assert_eq!(codes, ["not-understood"], "{}", pipeline.place());
        }
    }
}
