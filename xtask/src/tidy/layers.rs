//! Which crate may depend on which.

use super::run::Finding;
use super::tree::Package;

/// Every arrow between crates of the workspace; what is not here is not allowed.
const ARROWS: [(&str, &[&str]); 14] = [
    ("schema", &[]),
    ("snapshot", &["schema"]),
    ("plan", &["schema", "snapshot"]),
    ("session", &["schema"]),
    ("dialect", &["schema", "snapshot", "plan"]),
    ("lock", &["schema", "session"]),
    ("diff", &["schema", "snapshot", "plan", "dialect"]),
    ("render", &["schema", "plan", "dialect"]),
    ("introspect", &["schema", "plan", "session", "dialect"]),
    ("execute", &["schema", "snapshot", "plan", "session", "lock"]),
    ("load", &["schema", "snapshot", "plan", "session", "dialect", "introspect"]),
    ("rehearse", &["schema", "snapshot", "plan", "session", "dialect", "diff", "render", "introspect", "execute"]),
    (
        "trueup",
        &[
            "schema",
            "snapshot",
            "plan",
            "session",
            "dialect",
            "lock",
            "diff",
            "render",
            "introspect",
            "execute",
            "load",
            "rehearse",
        ],
    ),
    ("cli", &["trueup"]),
];

/// Crates that are never published: they may depend on anything, and nothing but tests may depend on them.
const DEV: [&str; 4] = ["drill", "fuzz", "testkit", "xtask"];

/// The folder name of a package of the workspace.
fn short(package: &str) -> &str {
    package.strip_prefix("trueup-").unwrap_or(package)
}

pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let members: Vec<&str> = packages.iter().map(|package| short(&package.name)).collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = short(&package.name);
        if DEV.contains(&name) {
            continue;
        }
        let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| *from == name) else {
            findings.push(Finding::new(&package.name, "has no layer: give it a row in the table of arrows"));
            continue;
        };
        for dependency in &package.dependencies {
            let to = short(&dependency.name);
            let is_wrong = match dependency.is_dev() {
                // Tests may use whatever they need, but for what only people run.
                true => matches!(to, "xtask" | "cli"),
                false => members.contains(&to) && !allowed.contains(&to),
            };
            if is_wrong {
                let kind = if dependency.is_dev() { "its tests" } else { "it" };
                findings.push(Finding::new(&package.name, format!("{kind} may not depend on `{}`", dependency.name)));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::samples::package;
    use super::*;

    fn found(packages: &[Package]) -> Vec<String> {
        check(packages).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_arrow_that_is_not_in_the_table_is_found() {
        let packages =
            [package("trueup-schema", &["trueup-plan", "serde"]), package("trueup-plan", &["trueup-schema"])];
        assert_eq!(found(&packages), ["trueup-schema: it may not depend on `trueup-plan`"]);
    }

    #[test]
    fn nothing_but_tests_depends_on_the_testkit() {
        let kit = package("trueup-testkit", &["trueup-session"]);
        let good = package("trueup-lock", &["trueup-testkit:dev"]);
        assert_eq!(found(&[kit.clone(), good]), [""; 0]);
        let bad = package("trueup-lock", &["trueup-testkit"]);
        assert_eq!(found(&[kit, bad]), ["trueup-lock: it may not depend on `trueup-testkit`"]);
    }

    #[test]
    fn a_new_crate_needs_a_layer() {
        assert_eq!(found(&[package("trueup-new", &[])]).len(), 1);
    }

    #[test]
    fn arrows_point_to_earlier_rows_only() {
        for (at, (_, to)) in ARROWS.iter().enumerate() {
            let earlier: Vec<_> = ARROWS[..at].iter().map(|(name, _)| *name).collect();
            assert!(to.iter().all(|name| earlier.contains(name)));
        }
    }
}
