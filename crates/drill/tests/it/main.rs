//! A sample of the crash matrix and of the races.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::process::Command;

use trueup_testkit::servers;

/// The newest server of each engine, and SQLite.
fn places() -> Vec<String> {
    let newest = [servers::postgres().pop(), servers::mariadb().pop(), servers::mysql().pop()];
    let servers = newest
        .into_iter()
        .flatten()
        .flat_map(|server| ["--server".to_owned(), format!("{}={}", server.name(), server.url)]);
    servers.chain(["sqlite".to_owned()]).collect()
}

fn drill(words: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_trueup-drill")).args(words).args(places()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn killed_runs_are_settled_by_the_next() {
    drill(&["crash", "--sample", "6"]);
}

#[test]
fn racing_runners_do_everything_once() {
    drill(&["race", "--sample", "1"]);
}
