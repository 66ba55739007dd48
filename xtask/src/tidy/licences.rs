//! Only licences that go with ours.

use anyhow::Result;

use super::run::Finding;
use super::tree::output;
use crate::context::Context;

/// Licences that a dependency may have.
const ALLOWED: [&str; 13] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(crate) fn check(context: &Context) -> Result<Vec<Finding>> {
    let words = ["tree", "--workspace", "--edges", "normal,build", "--prefix", "none", "--format", "{p}\t{l}"];
    Ok(refused(&output(&mut context.cargo(&words))?))
}

/// The packages of a printed tree whose licence is not allowed.
fn refused(tree: &str) -> Vec<Finding> {
    let mut lines: Vec<(&str, &str)> = tree.lines().filter_map(|line| line.split_once('\t')).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut findings = Vec::new();
    for (package, licence) in lines {
        let licence = licence.trim_end_matches(" (*)");
        if !is_allowed(licence) {
            let name = package.split_whitespace().next().unwrap_or(package);
            findings.push(Finding::new(name, format!("the licence `{licence}` is not among those allowed")));
        }
    }
    findings
}

/// Whether an SPDX expression can be met with allowed licences: some choice of an `OR` whose every `AND` is allowed.
fn is_allowed(expression: &str) -> bool {
    // The old form `MIT/Apache-2.0` means a choice. `AND` with a choice in brackets binds the choice tighter.
    let expression = expression.replace('/', " OR ");
    if let Some((before, rest)) = expression.split_once('(')
        && let Some((inner, after)) = rest.split_once(')')
    {
        let value = if is_allowed(inner) { "MIT" } else { "refused" };
        return is_allowed(&format!("{before}{value}{after}"));
    }
    expression.split(" OR ").any(|choice| choice.split(" AND ").all(|licence| ALLOWED.contains(&licence.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_that_is_not_allowed_is_found() {
        let findings = refused("a v1.0.0\tMIT\nb v1.0.0\tGPL-3.0-only\nb v1.0.0\tGPL-3.0-only (*)\nc v1.0.0\t\n");
        let names: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(names, ["b", "b", "c"]);
    }

    #[test]
    fn choices_and_conjunctions() {
        assert!(is_allowed("MIT OR GPL-3.0-only"));
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(is_allowed("Apache-2.0/MIT"));
        assert!(!is_allowed("(MIT OR Apache-2.0) AND GPL-3.0-only"));
        assert!(!is_allowed("MIT AND GPL-3.0-only"));
    }
}
