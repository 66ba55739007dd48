//! Crates that never touch a database must not be able to.

use anyhow::Result;

use super::run::Finding;
use super::tree::output;
use crate::context::Context;

/// The pure crates.
const PURE: [&str; 6] =
    ["trueup-schema", "trueup-snapshot", "trueup-plan", "trueup-dialect", "trueup-diff", "trueup-render"];

/// Runtimes, sockets and drivers. A name that ends in `*` stands for all that begin so.
const IMPURE: [&str; 20] = [
    "tokio",
    "tokio-*",
    "async-std",
    "smol",
    "mio",
    "socket2",
    "hyper",
    "sqlx",
    "sqlx-*",
    "trueup-session",
    "trueup-testkit",
    "postgres",
    "postgres-*",
    "mysql",
    "mysql_async",
    "mysql-*",
    "rusqlite",
    "libsqlite3-sys",
    "rustls",
    "native-tls",
];

pub(crate) fn check(context: &Context) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for package in PURE {
        let words = ["tree", "--package", package, "--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
        findings.extend(impure(package, &output(&mut context.cargo(&words))?));
    }
    Ok(findings)
}

/// What is impure in the printed dependency tree of `package`.
fn impure(package: &str, tree: &str) -> Vec<Finding> {
    let mut names: Vec<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    names.sort_unstable();
    names.dedup();
    let is_impure = |name: &&str| {
        IMPURE.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        })
    };
    let found = names.into_iter().filter(is_impure);
    found.map(|name| Finding::new(package, format!("is pure, yet depends on `{name}`, directly or not"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_far_below_is_found() {
        let tree =
            "trueup-plan v0.1.0 (/somewhere)\nserde v1.0.0\nsqlx-core v0.9.0\ntokio v1.54.1 (*)\ntokio v1.54.1\n";
        let names: Vec<String> = impure("trueup-plan", tree).into_iter().map(|finding| finding.what).collect();
        assert_eq!(names.len(), 2);
        assert!(names[0].contains("`sqlx-core`") && names[1].contains("`tokio`"));
    }

    #[test]
    fn names_are_compared_whole() {
        assert!(impure("trueup-plan", "mysqlish v1.0.0\nminimal v1.0.0\n").is_empty());
    }
}
