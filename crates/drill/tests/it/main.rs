//! A sample of the crash matrix, of the races and of the other drills.
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

/// One drill of each kind.
fn storm(name: &str) {
    let cache = servers::cache();
    drill(&["storm", "--sample", "1", "--only", name, "--cache", cache.to_str().unwrap()]);
}

#[test]
fn a_lock_is_not_taken_from_a_sleeping_holder_until_its_session_is_ended() {
    storm("steal");
}

#[test]
fn a_run_may_take_longer_than_its_lease() {
    storm("long");
}

#[test]
fn nobody_waits_long_behind_a_run_that_waits() {
    storm("convoy");
}

#[test]
fn a_transaction_pooler_is_refused() {
    storm("pooler");
}

#[test]
fn a_password_is_nowhere() {
    storm("canary");
}

#[test]
fn a_full_disk_is_named_and_harms_nothing() {
    storm("full");
}

#[test]
fn a_run_waits_for_replicas() {
    storm("replicas");
}

#[test]
fn a_replica_goes_on_where_its_primary_died() {
    storm("failover");
}
