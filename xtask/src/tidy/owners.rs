//! Libraries that one crate hides from all others.

use super::run::Finding;
use super::tree::Package;

/// Library, its owner, and crates that use it besides for now.
///
/// TRANSITION: `fnv` beside `schema` goes as soon as those crates call the schema crate's own function.
const OWNERS: [(&str, &str, &[&str]); 7] = [
    ("sea-query", "trueup-render", &[]),
    ("petgraph", "trueup-diff", &[]),
    ("sqlx", "trueup-session", &[]),
    ("clap", "trueup-cli", &[]),
    ("clap_complete", "trueup-cli", &[]),
    ("fnv", "trueup-schema", &["trueup-load", "trueup-diff"]),
    ("sqlite3-parser", "trueup-dialect", &[]),
];

pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (library, owner, exceptions) in OWNERS {
        let uses = |package: &Package| package.dependencies.iter().any(|d| d.name == library && !d.is_dev());
        let users: Vec<&str> = packages.iter().filter(|p| uses(p)).map(|p| p.name.as_str()).collect();
        for user in &users {
            if *user != owner && !exceptions.contains(user) {
                findings.push(Finding::new(*user, format!("may not use `{library}`, which belongs to `{owner}`")));
            }
        }
        for exception in exceptions.iter().filter(|name| packages.iter().any(|p| p.name == **name)) {
            if !users.contains(exception) {
                findings.push(Finding::new(*exception, format!("no longer uses `{library}`: remove the exception")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::samples::package;
    use super::*;

    #[test]
    fn a_second_user_is_found() {
        let packages = [package("trueup-render", &["sea-query"]), package("trueup-plan", &["sea-query"])];
        let findings = check(&packages);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].to_string(), "trueup-plan: may not use `sea-query`, which belongs to `trueup-render`");
    }

    #[test]
    fn tests_may_use_it() {
        assert!(check(&[package("trueup-execute", &["sqlx:dev"])]).is_empty());
    }

    #[test]
    fn an_exception_that_nobody_needs_is_found() {
        assert!(check(&[package("trueup-load", &[])])[0].what.contains("remove the exception"));
        assert!(check(&[package("trueup-load", &["fnv"])]).is_empty());
    }
}
