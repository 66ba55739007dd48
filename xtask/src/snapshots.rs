//! `cargo xtask snapshots`: what the snapshot tests would write differently.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::context::Context;
use crate::{test, tidy};

/// What to do with snapshots that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Write them beside the old ones and list them.
    List,
    /// Look through them one by one.
    Review,
    /// Take them all.
    Accept,
}

pub(crate) fn run(context: &Context, words: &[String]) -> Result<ExitCode> {
    let (mode, rest) = read(words);
    let tested = if rest.is_empty() { packages_with_snapshots(&tidy::packages(context)?) } else { rest };
    if tested.is_empty() {
        println!("no package has snapshot tests");
        return Ok(ExitCode::SUCCESS);
    }
    // Snapshots that differ don't fail the tests here, so that one run collects all of them.
    let update = if mode == Mode::Accept { "always" } else { "new" };
    let environment = [("INSTA_UPDATE", update), ("INSTA_FORCE_PASS", "1")];
    let words: Vec<String> = ["--no-fail-fast".to_owned()].into_iter().chain(tested).collect();
    let code = test::run_with(context, &test::SERVERS, &words, &environment)?;
    let pending = pending(&context.root)?;
    if mode == Mode::Review && !pending.is_empty() && has_cargo_insta(context) {
        let status = context.cargo(&["insta", "review"]).status().context("cannot run cargo insta")?;
        return Ok(if status.success() { code } else { ExitCode::FAILURE });
    }
    print!("{}", advice(&pending, &context.root));
    Ok(code)
}

fn read(words: &[String]) -> (Mode, Vec<String>) {
    match words {
        [flag, rest @ ..] if flag == "--review" => (Mode::Review, rest.to_vec()),
        [flag, rest @ ..] if flag == "--accept" => (Mode::Accept, rest.to_vec()),
        rest => (Mode::List, rest.to_vec()),
    }
}

/// `cargo test` arguments for every package that tests with insta.
fn packages_with_snapshots(packages: &[tidy::Package]) -> Vec<String> {
    let uses = |package: &&tidy::Package| package.dependencies.iter().any(|dependency| dependency.name == "insta");
    packages.iter().filter(uses).flat_map(|package| ["-p".to_owned(), package.name.clone()]).collect()
}

fn has_cargo_insta(context: &Context) -> bool {
    let mut command: Command = context.cargo(&["insta", "--version"]);
    command.output().is_ok_and(|output| output.status.success())
}

/// Snapshots that wait for a decision.
fn pending(root: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![root.join("crates"), root.join("tests"), root.join("xtask")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        if !folder.exists() {
            continue;
        }
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "new" || e == "pending-snap") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn advice(pending: &[PathBuf], root: &Path) -> String {
    if pending.is_empty() {
        return "snapshots: nothing differs\n".to_owned();
    }
    let names: Vec<String> =
        pending.iter().map(|path| format!("  {}\n", path.strip_prefix(root).unwrap_or(path).display())).collect();
    format!(
        "snapshots: {} files differ\n{}Compare `x.snap.new` with `x.snap`. To take all: `cargo xtask snapshots --accept`.\n\
         Snapshots inside the code (`.pending-snap`), and a review one by one with `cargo xtask snapshots --review`, need \
         `cargo install cargo-insta`.\n",
        pending.len(),
        names.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_snapshots_are_found_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("crates/a/src/snapshots");
        std::fs::create_dir_all(&below).unwrap();
        for name in ["b.snap", "b.snap.new", ".c.rs.pending-snap"] {
            std::fs::write(below.join(name), "").unwrap();
        }
        let pending = pending(folder.path()).unwrap();
        assert_eq!(pending.len(), 2);
        let advice = advice(&pending, folder.path());
        assert!(advice.contains("  crates/a/src/snapshots/b.snap.new\n"), "{advice}");
    }

    #[test]
    fn words_choose_a_mode() {
        assert_eq!(read(&["--review".to_owned()]), (Mode::Review, Vec::new()));
        assert_eq!(read(&["-p".to_owned(), "x".to_owned()]).1.len(), 2);
    }
}
