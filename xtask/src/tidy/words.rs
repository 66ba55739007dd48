//! Words that have no business where they stand.

use super::run::Finding;
use super::rust::code_without_tests;
use super::tree::SourceFile;

/// Shared code that asks capabilities, never the engine's name.
const SHARED: [&str; 2] = ["crates/diff/src/", "crates/render/src/"];
/// Files of shared code that may name an engine, each with its reason.
const NAMES_ENGINE: [(&str, &str); 1] = [("crates/render/src/renderer.rs", "picks the dialect's folder, once")];
/// Folders and files for one engine.
const DIALECTS: [&str; 4] = ["postgres", "mysql", "mariadb", "sqlite"];

/// Starts of paths that exist on somebody's machine only.
const MACHINE: [&str; 3] = ["/work/", "/tmp/wt", "/root/"];
/// Files that may hold them: this rule.
const NAMES_MACHINE: [&str; 1] = ["xtask/src/tidy/words.rs"];

pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    check_with(files, &NAMES_ENGINE)
}

fn check_with(files: &[SourceFile], exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let shared = |file: &&SourceFile| file.is_rust() && !file.is_test() && is_shared(&file.path);
    let engines = files.iter().filter(shared).flat_map(|file| engine_names(file, exceptions));
    let paths = files.iter().filter(|file| !NAMES_MACHINE.contains(&file.path.as_str())).flat_map(machine_paths);
    let stale = exceptions
        .iter()
        .filter(|(path, _)| !files.iter().any(|file| file.path == *path && !engine_names(file, &[]).is_empty()));
    let stale = stale.map(|(path, _)| Finding::new(*path, "names no engine: remove the exception"));
    engines.chain(paths).chain(stale).collect()
}

/// Whether a path belongs to shared code and not to the folder or file of one dialect.
fn is_shared(path: &str) -> bool {
    let of_dialect = |part: &str| DIALECTS.contains(&part.strip_suffix(".rs").unwrap_or(part));
    SHARED.iter().any(|folder| path.starts_with(folder)) && !path.split('/').any(of_dialect)
}

fn engine_names(file: &SourceFile, exceptions: &[(&str, &str)]) -> Vec<Finding> {
    if exceptions.iter().any(|(path, _)| *path == file.path) {
        return Vec::new();
    }
    let code = code_without_tests(&file.text);
    let lines = code.lines().enumerate().filter(|(_, line)| line.contains("DialectId::"));
    let what = "shared code names an engine: ask the capabilities instead";
    lines.map(|(at, _)| Finding::at(file, at + 1, what)).collect()
}

fn machine_paths(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        for start in MACHINE {
            // A path that only goes on with it, as in `target/work/x`, is another one.
            let begins = |(at, _): (usize, &str)| {
                !line
                    .get(..at)
                    .unwrap_or_default()
                    .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '}'))
            };
            if line.match_indices(start).any(begins) {
                findings.push(Finding::at(file, at + 1, format!("names a path of somebody's machine, `{start}`")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::samples::file;
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check_with(&[file(path, text)], &[]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_engine_named_in_shared_code_is_found() {
        let text =
            "//! Not DialectId::Postgres.\nif id == DialectId::MySql {}\n\n#[cfg(test)]\nmod tests { DialectId::X }\n";
        assert_eq!(found("crates/diff/src/order.rs", text).len(), 1);
        assert!(found("crates/diff/src/order.rs", text)[0].starts_with("crates/diff/src/order.rs:2: "));
        assert!(found("crates/render/src/mysql/table.rs", text).is_empty());
        assert!(found("crates/render/src/mysql.rs", text).is_empty());
        assert!(found("crates/dialect/src/pick.rs", text).is_empty());
    }

    #[test]
    fn an_exception_holds_while_it_is_needed() {
        let exceptions = [("crates/diff/src/a.rs", "picks one")];
        assert!(check_with(&[file("crates/diff/src/a.rs", "DialectId::MySql")], &exceptions).is_empty());
        assert_eq!(check_with(&[file("crates/diff/src/a.rs", "")], &exceptions).len(), 1);
    }

    #[test]
    fn a_path_of_a_machine_is_found() {
        assert_eq!(
            found("docs/a.md", "one\nsee /work/main/x\n"),
            ["docs/a.md:2: names a path of somebody's machine, `/work/`"]
        );
        assert_eq!(found(".ci/run", "cd \"/root/x\"\n").len(), 1);
        assert!(found("docs/a.md", "target/work/x and $X/work/y\n").is_empty());
    }
}
