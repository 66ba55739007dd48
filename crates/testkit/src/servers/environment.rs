//! The servers that `cargo xtask test` has started for the tests.

use std::path::PathBuf;

use super::{Engine, ServerName};

/// Environment variable with the PostgreSQL servers: `14=url,15=url`.
pub const POSTGRES_VARIABLE: &str = "TRUEUP_TEST_POSTGRES";
/// Environment variable with the MySQL and MariaDB servers: `mariadb10.11=url,mysql9.7=url`.
pub const MYSQL_VARIABLE: &str = "TRUEUP_TEST_MYSQL";

/// Environment variable with the folder that the programs of servers are kept in, for tests that start servers of their own.
pub const CACHE_VARIABLE: &str = "TRUEUP_TEST_CACHE";

/// The folder for the programs of servers that a test starts for itself; without the variable one below the temporary folder.
#[must_use]
pub fn cache() -> PathBuf {
    std::env::var_os(CACHE_VARIABLE).map_or_else(|| std::env::temp_dir().join("trueup-test-cache"), PathBuf::from)
}

/// A server that a live test may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestServer {
    /// Its engine.
    pub engine: Engine,
    /// Its release line, as in [`ServerName::version`].
    pub version: String,
    /// Its URL, without a database and without a trailing slash.
    pub url: String,
}

impl TestServer {
    /// `postgres15`, for messages and for names of databases.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}{}", self.engine.as_str(), self.version)
    }
}

/// Every PostgreSQL server of this test run, oldest first.
///
/// # Panics
/// Outside `cargo xtask test`, with a message that says so: a live test never passes without a server.
#[must_use]
pub fn postgres() -> Vec<TestServer> {
    expect_servers(POSTGRES_VARIABLE, Engine::Postgres)
}

/// Every MariaDB server of this test run, oldest first.
///
/// # Panics
/// As [`postgres`].
#[must_use]
pub fn mariadb() -> Vec<TestServer> {
    expect_servers(MYSQL_VARIABLE, Engine::MariaDb)
}

/// Every MySQL server of this test run, oldest first.
///
/// # Panics
/// As [`postgres`].
#[must_use]
pub fn mysql() -> Vec<TestServer> {
    expect_servers(MYSQL_VARIABLE, Engine::MySql)
}

#[expect(clippy::panic, reason = "called by tests only, where a panic is the failure")]
#[expect(clippy::disallowed_methods, reason = "the run hands its servers over through the environment")]
fn expect_servers(variable: &str, engine: Engine) -> Vec<TestServer> {
    match parse(&std::env::var(variable).unwrap_or_default(), engine) {
        Ok(servers) if servers.is_empty() => panic!(
            "live test without a {} server: run `cargo xtask test`, which starts them (`{variable}` names none)",
            engine.as_str()
        ),
        Ok(servers) => servers,
        Err(what) => panic!("`{variable}` should read `name=url,name=url`, but holds `{what}`"),
    }
}

/// The servers of one engine in a variable's text; a bare release line means PostgreSQL.
fn parse(text: &str, engine: Engine) -> Result<Vec<TestServer>, String> {
    let mut servers = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (name, url) = part.split_once('=').ok_or_else(|| part.to_owned())?;
        let full =
            if name.starts_with(|c: char| c.is_ascii_digit()) { format!("postgres{name}") } else { name.to_owned() };
        let name: ServerName = full.parse().map_err(|_| part.to_owned())?;
        if name.engine == engine {
            let url = url.trim_end_matches('/').to_owned();
            servers.push(TestServer { engine, version: name.version.to_owned(), url });
        }
    }
    Ok(servers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read_by_engine() {
        let text = "mariadb10.11=mysql://root@127.0.0.1:1,mysql9.7=mysql://root@127.0.0.1:2/";
        let found = parse(text, Engine::MySql).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].url, "mysql://root@127.0.0.1:2");
        assert_eq!(found[0].name(), "mysql9.7");
        assert_eq!(parse("14=a,18=b", Engine::Postgres).unwrap().len(), 2);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(parse("15", Engine::Postgres), Err("15".to_owned()));
        assert_eq!(parse("99=x", Engine::Postgres), Err("99=x".to_owned()));
    }

    #[test]
    fn a_test_without_servers_fails_and_says_what_to_run() {
        let panic = std::panic::catch_unwind(|| expect_servers("TRUEUP_TEST_NOT_SET", Engine::Postgres)).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("cargo xtask test"), "{message}");
    }
}
