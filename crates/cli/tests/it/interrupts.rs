//! Ctrl-C in the middle of a run.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use trueup_testkit::{TestDatabase, servers};

use crate::kit::{Place, Said};

/// Starts an apply that cannot get on, waits a moment, and interrupts it.
fn interrupt(place: &Place, url: &str, signal: &str) -> Said {
    let mut command = place.command(&["apply", "--yes", "--url", url, "--schema", "s.sql"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(child.try_wait().unwrap().is_none(), "it did not wait");
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = said.into_bytes();
    Said::of(output)
}

#[tokio::test]
async fn sqlite_is_as_it_was() {
    let place = Place::with(&[("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);\n")]);
    let database = TestDatabase::sqlite().unwrap();
    let mut other = database.session_after(&["CREATE TABLE z (id INTEGER)", "BEGIN IMMEDIATE"]).await.unwrap();
    for signal in ["-INT", "-TERM"] {
        let said = interrupt(&place, database.url().secret_text(), signal).ends(1);
        assert!(said.stderr.contains("error: interrupted: "), "{}", said.stderr);
    }
    other.execute("COMMIT").await.unwrap();
    other.close().await.unwrap();
    let url = database.url().secret_text();
    let said = place.run(&["status", "--url", url]).ends(0);
    assert!(said.stdout.contains("no apply has run"), "{}", said.stdout);
    place.run(&["apply", "--yes", "--url", url, "--schema", "s.sql"]).ends(0);
}

#[tokio::test]
async fn postgres_rolls_back_and_goes_on() {
    for server in servers::postgres() {
        let place = Place::with(&[("s.sql", "CREATE TABLE a (id int PRIMARY KEY);\n")]);
        let database = TestDatabase::on(&server).await.unwrap();
        let url = database.url().secret_text();
        place.run(&["apply", "--yes", "--url", url, "--schema", "s.sql"]).ends(0);
        place.write("s.sql", "CREATE TABLE a (id int PRIMARY KEY, more text);\nCREATE TABLE b (id int PRIMARY KEY);\n");
        let mut other = database.session_after(&["BEGIN", "LOCK TABLE public.a IN ACCESS SHARE MODE"]).await.unwrap();
        let said = interrupt(&place, url, "-INT").ends(1);
        assert!(said.stderr.contains("error: interrupted: "), "{}", said.stderr);
        other.execute("ROLLBACK").await.unwrap();
        let apply = place.run(&["apply", "--yes", "--url", url, "--schema", "s.sql"]).ends(0);
        assert!(apply.stdout.contains("the database looks as declared"), "{}: {}", server.name(), apply.stdout);
        let rows = other
            .query("SELECT count(*) FROM public.b WHERE (SELECT count(more) FROM public.a) = 0", &[])
            .await
            .unwrap();
        assert_eq!(rows[0].int(0).unwrap(), 0);
        other.close().await.unwrap();
    }
}
