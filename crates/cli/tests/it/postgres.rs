//! What only a server can refuse.

use trueup_testkit::{TestDatabase, servers};

use crate::kit::{CANARY, Place, Said};

fn run(place: &Place, words: &[&str], url: &str) -> Said {
    place.run(&[words, &["--url", url, "--schema", "s.sql"]].concat())
}

/// What a database holds that a run could have left behind.
async fn relations(database: &TestDatabase) -> Vec<String> {
    let mut session = database.session().await.unwrap();
    let sql = "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
               WHERE n.nspname NOT LIKE 'pg!_%' ESCAPE '!' AND n.nspname <> 'information_schema' ORDER BY 1";
    let rows = session.query(sql, &[]).await.unwrap();
    session.close().await.unwrap();
    rows.iter().map(|row| row.text(0).unwrap().to_owned()).collect()
}

#[tokio::test]
async fn declared_applied_and_changed() {
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let url = database.url().secret_text();
        let place = Place::with(&[(
            "s.sql",
            "CREATE TABLE a (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, mail text NOT NULL UNIQUE);\n\
             CREATE VIEW v AS SELECT mail FROM a;\n",
        )]);
        run(&place, &["plan"], url).ends(0);
        assert_eq!(relations(&database).await, Vec::<String>::new(), "a plan leaves no trace");
        let said = run(&place, &["apply", "--yes"], url).ends(0);
        assert!(said.stdout.ends_with("the database looks as declared\n"), "{}", said.stdout);
        let said = run(&place, &["plan", "--exit-code"], url).ends(0);
        assert_eq!(said.stdout, "up to date: nothing to do\n");
        place.write(
            "s.sql",
            "-- trueup: rename column a.mail to email\n\
             CREATE TABLE a (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text NOT NULL UNIQUE, n int DEFAULT 1);\n\
             CREATE VIEW v AS SELECT email FROM a;\n",
        );
        run(&place, &["rehearse"], url).ends(0);
        run(&place, &["apply", "--yes"], url).ends(0);
        let said = place.run(&["drift", "--url", url]).ends(0);
        assert!(said.stdout.starts_with("no drift"), "{}", said.stdout);
    }
}

#[tokio::test]
async fn a_role_without_rights() {
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let role = database.name().replace("trueup_test", "trueup_role");
        let make = format!("CREATE ROLE {role} LOGIN PASSWORD '{CANARY}'");
        let close = "REVOKE ALL ON SCHEMA public FROM PUBLIC".to_owned();
        let create = format!("REVOKE CREATE, TEMPORARY ON DATABASE {} FROM PUBLIC", database.name());
        let mut session = database.session_after(&[&make, &close, &create]).await.unwrap();
        let url = database.url().secret_text().replacen("postgres@", &format!("{role}:{CANARY}@"), 1);
        let place = Place::with(&[("s.sql", "CREATE TABLE a (id int PRIMARY KEY);\n")]);
        for words in
            [&["plan"][..], &["apply", "--yes"], &["apply", "--yes", "--dev-url", database.url().secret_text()]]
        {
            let said = run(&place, words, &url);
            if words.contains(&"--yes") {
                assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{words:?}: {}", said.stderr);
                assert!(said.stderr.starts_with("error: "), "{}", said.stderr);
            }
        }
        assert_eq!(relations(&database).await, Vec::<String>::new(), "nothing may be left behind");
        session.execute(&format!("DROP OWNED BY {role}")).await.unwrap();
        session.execute(&format!("DROP ROLE {role}")).await.unwrap();
        session.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_database_that_does_not_exist() {
    let server = servers::postgres().pop().unwrap();
    let place = Place::with(&[("s.sql", "CREATE TABLE a (id int);\n")]);
    let said = place.fails(1, &["plan", "--url", &format!("{}/no_such_database", server.url), "--schema", "s.sql"]);
    assert!(said.contains("database \"no_such_database\" does not exist"), "{said}");
}

#[tokio::test]
async fn a_server_that_only_reads() {
    let server = servers::postgres().pop().unwrap();
    let database = TestDatabase::on(&server).await.unwrap();
    let sql = format!("ALTER DATABASE {} SET default_transaction_read_only = on", database.name());
    database.session_after(&[&sql]).await.unwrap().close().await.unwrap();
    let place = Place::with(&[("s.sql", "CREATE TABLE a (id int);\n")]);
    let said = run(&place, &["apply", "--yes"], database.url().secret_text()).ends(1);
    assert!(said.stderr.contains("read-only transaction"), "{}", said.stderr);
    assert_eq!(relations(&database).await, Vec::<String>::new());
}

#[tokio::test]
async fn names_that_are_too_long() {
    let server = servers::postgres().pop().unwrap();
    let database = TestDatabase::on(&server).await.unwrap();
    let url = database.url().secret_text();
    let long = "n".repeat(64);
    let two = format!("CREATE TABLE {long}x (id int);\nCREATE TABLE {long}y (id int);\n");
    let place = Place::with(&[("s.sql", &two)]);
    let said = run(&place, &["apply", "--yes"], url).ends(1);
    assert!(said.stderr.starts_with("error: s.sql:2: ") || said.stderr.contains("63 bytes"), "{}", said.stderr);
    let document = format!(
        "{{\"trueup\": 1, \"dialect\": \"postgres\", \"tables\": [{{\"name\": \"public.{long}\", \"columns\": \
         [{{\"name\": \"id\", \"type\": \"integer\"}}]}}]}}"
    );
    place.write("s.json", document);
    let said = place.run(&["apply", "--yes", "--url", url, "--schema", "s.json"]);
    assert_ne!(said.code, 0, "{}", said.stdout);
    assert_eq!(relations(&database).await, Vec::<String>::new());
}

#[tokio::test]
async fn sql_that_would_reach_out() {
    let server = servers::postgres().pop().unwrap();
    let database = TestDatabase::on(&server).await.unwrap();
    let url = database.url().secret_text();
    for (code, sql, expected) in [
        (2, "ALTER SYSTEM SET work_mem = '1GB';", "s.sql:1: ALTER SYSTEM changes the server"),
        (2, "COPY (SELECT 1) TO PROGRAM 'true';", "s.sql:1: COPY may only read"),
        (2, "DO $$ BEGIN NULL; END $$;", "s.sql:1: DO runs arbitrary code"),
        (1, "\n\nCREATE TABLE a (id int) WITH (nonsense = 1);", "error: s.sql:3: CREATE TABLE a (id int) WITH"),
    ] {
        let place = Place::with(&[("s.sql", sql)]);
        let said = place.run(&["plan", "--url", url, "--schema", "s.sql"]).ends(code);
        let said = said.stdout + &said.stderr;
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(relations(&database).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_replica_that_does_not_answer_is_known_before_anything_is_done() {
    for server in servers::postgres() {
        let database = TestDatabase::on(&server).await.unwrap();
        let place = Place::with(&[("s.sql", "CREATE TABLE public.t (a int PRIMARY KEY);")]);
        let replica = format!("postgres://u:{CANARY}@127.0.0.1:1/{}", database.name());
        let apply = ["apply", "--yes", "--url", database.url().secret_text(), "--schema", "s.sql", "--replica"];
        let said = place.run(&[&apply[..], &[&replica]].concat()).ends(1);
        assert!(said.stderr.contains("cannot be asked; nothing was done"), "{}", said.stderr);
        assert!(!said.stderr.contains(CANARY), "{}", said.stderr);
        assert_eq!(relations(&database).await, Vec::<String>::new());
        // One that shows everything at once: the server itself.
        place.run(&[&apply[..], &[database.url().secret_text()]].concat()).ends(0);
    }
}
