//! Every module says what it is for; the tests of one module, in files beside it, need not.

use super::run::Finding;
use super::tree::SourceFile;

pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    let lacks = |file: &&SourceFile| file.is_rust() && !is_part_of_tests(&file.path) && !begins_with_doc(&file.text);
    files
        .iter()
        .filter(lacks)
        .map(|file| Finding::at(file, 1, "begins without a `//!` line that says what it is"))
        .collect()
}

/// Whether it is `tests.rs`, or below a folder `tests` that stands beside code.
fn is_part_of_tests(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/src/") && path.contains("/tests/")
}

/// Whether a `//!` comment with words comes first, but for attributes of the file.
fn begins_with_doc(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
    first.and_then(|line| line.strip_prefix("//!")).is_some_and(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::tree::samples::file;
    use super::*;

    #[test]
    fn a_module_without_a_doc_is_found() {
        let files = [
            file("a.rs", "//! What it is.\nmod b;\n"),
            file("b.rs", "use c;\n//! Too late.\n"),
            file("c.rs", "//!\n"),
            file("d.rs", ""),
            file("e.md", "# No module\n"),
            file("f/tests.rs", "use super::*;\n"),
            file("f/src/tests/g.rs", "use super::*;\n"),
            file("f/tests/it/g.rs", "use super::*;\n"),
        ];
        let places: Vec<_> = check(&files).into_iter().map(|finding| finding.place).collect();
        assert_eq!(places, ["b.rs", "c.rs", "d.rs", "f/tests/it/g.rs"]);
    }
}
