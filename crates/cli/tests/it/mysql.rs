//! The verbs on MySQL and MariaDB.

use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{self, MYSQL_VARIABLE, TestServer};

use crate::kit::Place;

/// None only where the run has said that it covers neither.
#[expect(clippy::disallowed_methods, reason = "the run hands its servers over through the environment")]
fn listed() -> Vec<TestServer> {
    let names = std::env::var(MYSQL_VARIABLE).unwrap_or_default();
    let of = |engine: &str, servers: fn() -> Vec<TestServer>| {
        if names.split(',').any(|name| name.starts_with(engine)) { servers() } else { Vec::new() }
    };
    [of("mariadb", servers::mariadb), of("mysql", servers::mysql)].concat()
}

#[tokio::test]
async fn declared_applied_and_changed() {
    for server in listed() {
        let database = TestDatabase::on(&server).await.unwrap();
        let url = database.url().secret_text();
        let place = Place::with(&[(
            "s.sql",
            "CREATE TABLE a (id bigint AUTO_INCREMENT PRIMARY KEY, mail varchar(90) NOT NULL UNIQUE);\n\
             CREATE VIEW v AS SELECT mail FROM a;\n",
        )]);
        let run = |words: &[&str]| place.run(&[words, &["--url", url, "--schema", "s.sql"]].concat());
        run(&["plan"]).ends(0);
        let said = run(&["apply", "--yes"]).ends(0);
        assert!(said.stdout.ends_with("the database looks as declared\n"), "{}: {}", server.name(), said.stdout);
        assert_eq!(run(&["plan", "--exit-code"]).ends(0).stdout, "up to date: nothing to do\n");
        place.write(
            "s.sql",
            "-- trueup: rename column a.mail to email\n\
             CREATE TABLE a (id bigint AUTO_INCREMENT PRIMARY KEY, email varchar(90) NOT NULL UNIQUE, n int DEFAULT 1);\n\
             CREATE VIEW v AS SELECT email FROM a;\n",
        );
        run(&["rehearse"]).ends(0);
        run(&["apply", "--yes"]).ends(0);
        let said = place.run(&["drift", "--url", url]).ends(0);
        assert!(said.stdout.starts_with("no drift"), "{}: {}", server.name(), said.stdout);
        place.run(&["status", "--url", url]).ends(0);
        for format in ["sql", "json", "toml"] {
            let said = place.run(&["inspect", "--url", url, "--format", format]).ends(0);
            assert!(said.stdout.contains("email"), "{}: {}", server.name(), said.stdout);
        }
        database.session().await.unwrap().execute("ALTER TABLE a ADD x int").await.unwrap();
        place.run(&["drift", "--url", url]).ends(2);
    }
}
