//! Where the servers are: name and URL of each.

use trueup_testkit::servers::{self, MYSQL_VARIABLE, TestServer};

fn listed(servers: Vec<TestServer>) -> Vec<(TestServer, String)> {
    servers.into_iter().map(|server| (server.clone(), server.url)).collect()
}

pub(crate) fn postgres() -> Vec<(TestServer, String)> {
    listed(servers::postgres())
}

/// MariaDB and MySQL alike; none only where the run has said that it covers neither.
#[expect(clippy::disallowed_methods, reason = "the run hands its servers over through the environment")]
pub(crate) fn mysql() -> Vec<(TestServer, String)> {
    let Ok(names) = std::env::var(MYSQL_VARIABLE) else { return listed(servers::mysql()) };
    if names.is_empty() {
        eprintln!("`{MYSQL_VARIABLE}` is empty: this run covers neither MariaDB nor MySQL");
    }
    let has = |engine: &str| names.split(',').any(|name| name.starts_with(engine));
    let mariadb = if has("mariadb") { listed(servers::mariadb()) } else { Vec::new() };
    let mysql = if has("mysql") { listed(servers::mysql()) } else { Vec::new() };
    [mariadb, mysql].concat()
}
