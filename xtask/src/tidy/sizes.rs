//! Files and functions that fit into a head.

use super::run::Finding;
use super::rust::{code, code_without_tests};
use super::tree::SourceFile;

/// No file is longer.
const FILE: usize = 800;
/// Half of the files should be no longer.
const MEDIAN: usize = 200;
/// No function is longer, from its first line to its last.
const FUNCTION: usize = 60;

/// Functions that may be longer: file, name.
const LONG_FUNCTIONS: [(&str, &str); 8] = [
    // one arm for each change or predicate, without a wildcard
    ("crates/dialect/src/mariadb/algorithm.rs", "one"),
    ("crates/dialect/src/mysql/algorithm.rs", "one"),
    ("crates/dialect/src/mysql/conversions.rs", "pair"),
    ("crates/diff/src/closure/existing.rs", "about"),
    ("crates/diff/src/effects.rs", "sides"),
    ("crates/diff/src/graph/nodes.rs", "facts"),
    ("crates/diff/src/steps/rank.rs", "rank"),
    ("crates/plan/src/holds.rs", "holds"),
];

pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    check_with(files, &LONG_FUNCTIONS)
}

fn check_with(files: &[SourceFile], long_functions: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = check_exceptions(files, long_functions);
    for file in sources(files) {
        let lines = file.text.lines().count();
        if lines > FILE {
            findings.push(Finding::new(&file.path, format!("{lines} lines, more than {FILE}: split it")));
        }
        if file.path.ends_with("/lib.rs") || file.path.ends_with("/mod.rs") {
            findings.extend(only_modules(file));
        }
        for function in functions(&code_without_tests(&file.text)) {
            if function.lines > FUNCTION && !is_exception(file, &function, long_functions) {
                let what = format!("`{}` has {} lines, more than {FUNCTION}", function.name, function.lines);
                findings.push(Finding::at(file, function.line, what));
            }
        }
    }
    findings
}

/// A sentence about the median length of the files.
pub(crate) fn median(files: &[SourceFile]) -> String {
    let mut lengths: Vec<usize> = sources(files).map(|file| file.text.lines().count()).collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    let verdict = if median > MEDIAN { format!(", more than {MEDIAN}: too long") } else { String::new() };
    format!("median length {median} lines{verdict}")
}

fn sources(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files.iter().filter(|file| file.is_rust() && !file.is_test())
}

fn is_exception(file: &SourceFile, function: &Function, exceptions: &[(&str, &str)]) -> bool {
    exceptions.iter().any(|(path, name)| *path == file.path && *name == function.name)
}

/// Exceptions that nothing needs.
fn check_exceptions(files: &[SourceFile], exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let is_needed = |(path, name): &&(&str, &str)| {
        sources(files)
            .filter(|file| file.path == *path)
            .flat_map(|file| functions(&code_without_tests(&file.text)))
            .any(|function| function.name == *name && function.lines > FUNCTION)
    };
    let stale = exceptions.iter().filter(|exception| !is_needed(exception));
    stale.map(|(path, name)| Finding::new(*path, format!("`{name}` is not too long: remove the exception"))).collect()
}

/// `lib.rs` and `mod.rs` hold docs, `mod` and `use`: the first thing that is something else.
fn only_modules(file: &SourceFile) -> Option<Finding> {
    let code = code(&file.text);
    let mut line = 1;
    for item in code.split_inclusive(';') {
        let start = line + item.chars().take_while(|c| c.is_whitespace()).filter(|c| *c == '\n').count();
        line += item.matches('\n').count();
        let bare = without_attributes(item);
        let bare = bare.strip_prefix("pub").map_or(bare, |rest| match rest.trim_start().strip_prefix('(') {
            Some(scope) => scope.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        });
        let is_module = ["mod ", "use "].iter().any(|word| bare.trim_start().starts_with(word)) && item.ends_with(';');
        let is_inline = bare.trim_start().starts_with("mod ") && bare.contains('{');
        if !bare.trim().is_empty() && (!is_module || is_inline) {
            return Some(Finding::at(file, start, "holds more than docs, `mod` and `use`: move it to a module"));
        }
    }
    None
}

/// The item without the attributes in front of it.
fn without_attributes(item: &str) -> &str {
    let mut rest = item.trim_start();
    while let Some(after) = rest.strip_prefix("#[").or_else(|| rest.strip_prefix("#![")) {
        let mut depth = 1;
        let end = after.find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            depth == 0
        });
        rest = end.and_then(|at| after.get(at + 1..)).unwrap_or_default().trim_start();
    }
    rest
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    line: usize,
    lines: usize,
}

/// The functions in blanked code, nested ones too.
fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let is_word = !code.get(..at).unwrap_or_default().ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = code.get(at + 3..).unwrap_or_default();
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !is_word || name.is_empty() {
            continue;
        }
        if let Some(length) = body_end(rest) {
            let line = code.get(..at).unwrap_or_default().matches('\n').count() + 1;
            let lines = rest.get(..length).unwrap_or_default().matches('\n').count() + 1;
            found.push(Function { name, line, lines });
        }
    }
    found
}

/// Where the body that follows ends; none for a function without one.
fn body_end(text: &str) -> Option<usize> {
    let mut brackets = 0;
    let mut braces = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if brackets == 0 && braces == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces -= 1;
                if braces == 0 && brackets == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tree::samples::file;
    use super::*;

    fn found(file: SourceFile) -> Vec<String> {
        check_with(&[file], &[]).iter().map(ToString::to_string).collect()
    }

    fn function(lines: usize) -> String {
        format!("/// Doc.\nfn long(x: [u8; 3]) -> u8\n{{\n{}}}\n", "    call();\n".repeat(lines - 3))
    }

    #[test]
    fn a_long_file_is_found() {
        let text = "// line\n".repeat(FILE + 1);
        assert_eq!(found(file("crates/a/src/b.rs", &text)), ["crates/a/src/b.rs: 801 lines, more than 800: split it"]);
        assert!(found(file("crates/a/tests/b.rs", &text)).is_empty());
    }

    #[test]
    fn a_long_function_is_found() {
        assert!(found(file("a.rs", &function(FUNCTION))).is_empty());
        assert_eq!(found(file("a.rs", &function(FUNCTION + 1))), ["a.rs:2: `long` has 61 lines, more than 60"]);
        let test = format!("\n#[cfg(test)]\nmod tests {{\n{}}}\n", function(FUNCTION + 1));
        assert!(found(file("a.rs", &test)).is_empty());
    }

    #[test]
    fn an_exception_that_nobody_needs_is_found() {
        let exceptions = [("a.rs", "long")];
        assert!(check_exceptions(&[file("a.rs", &function(FUNCTION + 1))], &exceptions).is_empty());
        assert_eq!(check_exceptions(&[file("a.rs", &function(5))], &exceptions).len(), 1);
    }

    #[test]
    fn code_in_a_module_list_is_found() {
        let good = "//! Doc.\n#![expect(lint, reason = \"[x]\")]\n\nmod a;\n#[cfg(feature = \"b\")]\npub(crate) mod b;\npub use a::{A, B};\n";
        assert!(found(file("crates/a/src/lib.rs", good)).is_empty());
        let bad = format!("{good}\npub const X: u8 = 1;\nfn f() {{}}\n#[cfg(test)]\nmod tests {{ use super::*; }}\n");
        let findings = found(file("crates/a/src/lib.rs", &bad));
        assert!(findings[0].starts_with("crates/a/src/lib.rs:9: "), "{findings:?}");
        assert_eq!(found(file("crates/a/src/lib.rs", "mod a;\nmod b { use c; }\n")).len(), 1);
    }

    #[test]
    fn declarations_without_a_body_are_no_functions() {
        assert_eq!(
            functions("trait T { fn a(&self); fn b(&self) { x } }\nlet f: fn (u8) = g;"),
            [Function { name: "b".to_owned(), line: 1, lines: 1 }]
        );
    }
}
