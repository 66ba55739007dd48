//! `diff`: two schemas, with and without a server.

use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{self, TestServer};

use crate::kit::Place;

const BEFORE: &str = "CREATE TABLE a (id int PRIMARY KEY, n int);\nCREATE VIEW v AS SELECT n FROM a;\n";
const AFTER: &str = "CREATE TABLE a (id int PRIMARY KEY, n int, mail varchar(90) DEFAULT 'x');\n\
                     CREATE INDEX a_by_n ON a (n);\nCREATE VIEW v AS SELECT n, mail FROM a;\n";

/// Both schemas as files, and as the documents that the server at `url` makes of them.
fn place(url: &str) -> Place {
    let place = Place::with(&[("before.sql", BEFORE), ("after.sql", AFTER)]);
    for name in ["before", "after"] {
        let file = format!("{name}.sql");
        let said = place.run(&["inspect", "--url", url, "--schema", &file, "--format", "json"]).ends(0);
        place.write(&format!("{name}.json"), said.stdout);
    }
    place
}

fn every_way_says_the_same(place: &Place, url: &str) {
    let diff = |from: &str, to: &str, more: &[&str]| {
        let said = place.run(&[&["diff", "--from", from, "--to", to, "--format", "sql"][..], more].concat()).ends(0);
        unqualified(&said.stdout, url)
    };
    let offline = diff("before.json", "after.json", &[]);
    assert!(offline.contains("mail") && offline.contains("a_by_n"), "{offline}");
    assert_eq!(offline, diff("before.json", "after.json", &["--dev-url", url]), "{url}");
    assert_eq!(offline, diff("before.sql", "after.sql", &["--dev-url", url]), "{url}");
    assert_eq!(offline, diff("before.sql", "after.json", &["--dev-url", url]), "{url}");
    let same = place.run(&["diff", "--from", "after.json", "--to", "after.json", "--exit-code"]).ends(0);
    assert_eq!(same.stdout, "up to date: nothing to do\n");
    let other = place.run(&["diff", "--from", "before.json", "--to", "after.json", "--exit-code"]).ends(2);
    assert!(!other.stdout.contains("adopt"), "two schemas belong to no project: {}", other.stdout);
}

/// Without the name of the database, which is a namespace on MySQL and MariaDB, and which documents do not hold.
fn unqualified(sql: &str, url: &str) -> String {
    let Some((_, database)) = url.rsplit_once('/') else { return sql.to_owned() };
    [format!("USE `{database}`;\n"), format!("`{database}`."), format!("{database}.")]
        .iter()
        .fold(sql.to_owned(), |sql, name| sql.replace(name, ""))
}

#[test]
fn documents_need_no_server() {
    every_way_says_the_same(&place("sqlite::memory:"), "sqlite::memory:");
}

#[tokio::test]
async fn documents_of_servers_need_none_either() {
    let all: Vec<TestServer> = [servers::postgres(), servers::mysql(), servers::mariadb()].concat();
    for server in all {
        let database = TestDatabase::on(&server).await.unwrap();
        let url = database.url().secret_text();
        let place = place(url);
        every_way_says_the_same(&place, url);
        // a database on one side
        let words = ["diff", "--from", url, "--to", "before.sql", "--format", "sql"];
        let said = place.run(&words).ends(0).stdout;
        assert!(said.contains("CREATE TABLE"), "{}: {said}", server.name());
        place.run(&["apply", "--yes", "--url", url, "--schema", "after.json"]).ends(0);
        let words = ["diff", "--from", "before.json", "--to", url, "--format", "sql"];
        assert!(place.run(&words).ends(0).stdout.contains("a_by_n"), "{}", server.name());
    }
}

#[test]
fn what_only_a_server_can_spell_needs_one() {
    let place = place("sqlite::memory:");
    place.write("hand.json", r#"{"trueup": 1, "dialect": "sqlite", "tables": []}"#);
    place.write("other.json", document_of("postgres", 18));
    place.write("newer.json", document_of("sqlite", 4));
    for (from, to) in [
        ("before.json", "after.sql"),
        ("before.json", "hand.json"),
        ("hand.json", "hand.json"),
        ("before.json", "other.json"),
        ("before.json", "newer.json"),
    ] {
        let said = place.fails(1, &["diff", "--from", from, "--to", to]);
        assert!(said.contains("--dev-url"), "{from} {to}: {said}");
    }
    place.write("broken.json", "{\"trueup\": 1, ");
    let said = place.fails(1, &["diff", "--from", "broken.json", "--to", "before.json"]);
    assert!(said.contains("broken.json"), "{said}");
}

/// An empty document in the spelling of this server.
fn document_of(dialect: &str, major: u32) -> String {
    format!(
        r#"{{"trueup": 1, "dialect": "{dialect}", "form": {{"canonical": {{"dialect": "{dialect}", "major": {major}}}}}}}"#
    )
}
