//! A sample of random pairs on every server, and every pair that once failed.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]
#![expect(clippy::print_stderr, reason = "how many pairs ended how is worth reading where a test fails")]

mod objects;

use std::path::Path;
use std::sync::Arc;

use trueup_fuzz::{Arena, Field, Generator, MySql, Postgres, Sqlite, Verdict, Wanted, campaign, case, judge};
use trueup_testkit::servers::{self, TestServer};

/// The same pairs in every run: what they find is somebody's change. `cargo xtask fuzz` takes any number of others.
const SEED: u64 = 20_261_168;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Random pairs: nothing fails, and so many in ten end at the wanted schema. The rest is refused for a reason.
fn sample(field: &Field, pairs: u64, in_ten: u64) {
    let wanted = Wanted { pairs, seed: SEED, workers: 2, tries: 60 };
    let tally = runtime().block_on(campaign(field, wanted, Arc::new(|_| {}))).unwrap();
    eprintln!("{field:?}: {}", tally.words());
    let failures: Vec<String> = tally
        .failures
        .iter()
        .map(|failure| format!("{}: {}\n{}", failure.what, failure.detail, failure.case))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(tally.judged() * 10 >= pairs * 9, "too few pairs were valid: {}", tally.words());
    assert!(tally.converged * 10 >= tally.judged() * in_ten, "too many were refused: {}", tally.words());
}

/// Every kept pair of a dialect converges, or is refused.
fn replay(arena: &dyn Arena, dialect: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/found").join(dialect);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let pair = case::read(&std::fs::read_to_string(&file).unwrap());
        let verdict = runtime().block_on(judge(arena, &pair)).unwrap();
        let is_good = matches!(verdict, Verdict::Converged | Verdict::Refused { .. });
        assert!(is_good, "{}: {verdict:?}", file.display());
    }
}

#[test]
fn random_pairs_on_sqlite() {
    sample(&Field { arena: Arc::new(Sqlite), generator: Arc::new(Sqlite) }, 2_000, 9);
}

/// How many pairs the newest server of an engine is given, and how many each older one.
const ON_SERVERS: [u64; 2] = [200, 40];

/// Servers refuse more: types that nothing turns into one another are drawn as often as others.
fn samples<A: Arena + Generator + 'static>(mut servers: Vec<TestServer>, on: impl Fn(TestServer) -> A, in_ten: u64) {
    servers.reverse();
    for (age, server) in servers.into_iter().enumerate() {
        let field = Field { arena: Arc::new(on(server.clone())), generator: Arc::new(on(server)) };
        sample(&field, ON_SERVERS[age.min(1)], in_ten);
    }
}

#[test]
fn random_pairs_on_postgres() {
    samples(servers::postgres(), Postgres::new, 5);
}

#[test]
fn random_pairs_on_mysql() {
    samples(servers::mysql(), MySql::new, 6);
}

#[test]
fn random_pairs_on_mariadb() {
    samples(servers::mariadb(), MySql::new, 6);
}

#[test]
fn found_pairs_on_sqlite() {
    replay(&Sqlite, "sqlite");
}

fn postgres() -> Vec<Postgres> {
    servers::postgres().into_iter().map(Postgres::new).collect()
}

#[test]
fn found_pairs_on_postgres() {
    for server in postgres() {
        replay(&server, "postgres");
    }
}

#[test]
fn found_pairs_on_mysql() {
    for server in servers::mysql().into_iter().map(MySql::new) {
        replay(&server, "mysql");
    }
}

#[test]
fn found_pairs_on_mariadb() {
    for server in servers::mariadb().into_iter().map(MySql::new) {
        replay(&server, "mysql");
        replay(&server, "mariadb");
    }
}
