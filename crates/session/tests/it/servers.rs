//! Where the servers are.

/// Name and URL of every server that the variable lists: `14=postgres://…,18=postgres://…`.
#[expect(clippy::disallowed_methods, reason = "tests learn from the environment where the servers are")]
fn listed(variable: &str) -> Vec<(String, String)> {
    let Ok(list) = std::env::var(variable) else {
        panic!("{variable} is not set: it lists servers for tests, such as 14=scheme://user@host:port,15=…");
    };
    let servers: Vec<_> = list
        .split(',')
        .filter_map(|entry| entry.trim().split_once('='))
        .map(|(name, url)| (name.to_owned(), url.to_owned()))
        .collect();
    assert!(!servers.is_empty(), "{variable} lists no server");
    servers
}

pub(crate) fn postgres() -> Vec<(String, String)> {
    listed("TRUEUP_TEST_POSTGRES")
}

pub(crate) fn mysql() -> Vec<(String, String)> {
    listed("TRUEUP_TEST_MYSQL")
}
