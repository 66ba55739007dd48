//! The manual says what happens: every command in it is run, every output compared.
//!
//! In README.md and below docs/, a block ` ```console ` is run line by line: after `$ ` stands a command for `sh`, below it what
//! it says on both outputs. A block ` ```sql schema.sql ` (or any language with a file's name) writes that file. One document is
//! one folder, from top to bottom. `UPDATE_DOCS=1` writes what was said into the documents.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use trueup_testkit::{TestDatabase, servers};

use crate::kit::{CANARY, Place, TRUEUP};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every document, README first.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found.insert(0, root().join("README.md"));
    found
}

/// Runs a document and returns it as it should read.
fn rerun(text: &str, place: &Place, url: Option<&str>) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if info == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                writeln!(out, "$ {command}").unwrap();
                out.push_str(&shell(command, place, url));
            }
        } else {
            if let Some((_, file)) = info.split_once(' ') {
                place.write(file, block.join("\n") + "\n");
            }
            block.iter().for_each(|line| writeln!(out, "{line}").unwrap());
        }
        out.push_str("```\n");
    }
    out
}

/// What `command` says on both outputs, in order; a last line tells an exit code other than 0.
fn shell(command: &str, place: &Place, url: Option<&str>) -> String {
    let bin = Path::new(TRUEUP).parent().unwrap();
    let path = std::env::join_paths([bin.to_owned()].into_iter().chain(std::env::split_paths(&path()))).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(place.path()).env("PATH", path);
    place.at_home(&mut shell);
    shell.env_remove("DATABASE_URL").env_remove("TRUEUP_DEV_URL").env_remove("NO_COLOR").env("COLUMNS", "100");
    if let Some(url) = url {
        shell.env("DATABASE_URL", url);
    }
    let output = shell.output().unwrap();
    let mut said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains(CANARY) && !said.contains("panicked"), "{command}: {said}");
    if !said.is_empty() && !said.ends_with('\n') {
        said.push('\n');
    }
    said
}

#[expect(clippy::disallowed_methods, reason = "commands of the manual are found where those of this test are")]
fn path() -> String {
    std::env::var("PATH").unwrap()
}

fn updates() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// The text with what differs from run to run taken out: times, hashes, versions, places.
fn stable(text: &str) -> String {
    text.lines()
        .map(|line| line.split(' ').map(stable_word).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

fn stable_word(word: &str) -> String {
    let bytes = word.as_bytes();
    if word.len() > 19 && bytes[4] == b'-' && bytes[10] == b'T' {
        return "TIME".to_owned();
    }
    if word.contains("trueup_branch_")
        || word.starts_with("127.0.0.1:")
        || word.contains("trueup_test_")
        || word.starts_with("(PostgreSQL")
    {
        return "PLACE".to_owned();
    }
    let is_number = !word.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    if is_number {
        return if word.len() > 2 { "NUMBER".to_owned() } else { word.to_owned() };
    }
    // hexadecimal runs of a hash
    let mut out = String::new();
    let mut run = String::new();
    for c in word.chars().chain(['\n']) {
        if c.is_ascii_hexdigit() && !c.is_ascii_uppercase() {
            run.push(c);
            continue;
        }
        let is_hash = run.len() >= 8 && run.contains(|c: char| c.is_ascii_digit());
        out.push_str(if is_hash { "HASH" } else { &run });
        run.clear();
        if c != '\n' {
            out.push(c);
        }
    }
    out
}

/// Durations are the numbers before `ms` and `s`.
fn without_durations(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let kept = words.iter().enumerate().map(|(at, word)| {
        let is_unit = words.get(at + 1).is_some_and(|next| next.starts_with("ms"));
        if is_unit { "SOME" } else { word }
    });
    kept.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn every_command_of_the_manual_says_what_it_says_there() {
    let mut wrong = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        if !text.contains("```console") {
            continue;
        }
        let place = Place::new();
        copy_examples(&place);
        let database = match document.file_stem().unwrap().to_str().unwrap() {
            _ if !text.contains("$DATABASE_URL") => None,
            "mysql" => Some(TestDatabase::on(&servers::mysql().pop().unwrap()).await.unwrap()),
            _ => Some(TestDatabase::on(&servers::postgres().pop().unwrap()).await.unwrap()),
        };
        let url = database.as_ref().map(|database| database.url().secret_text());
        let mut actual = rerun(&text, &place, url);
        if let Some(name) = database.as_ref().and_then(|database| database.url().database()) {
            actual = actual.replace(name, "app");
        }
        if stable(&without_durations(&actual)) == stable(&without_durations(&text)) {
            continue;
        }
        if updates() {
            fs::write(&document, actual).unwrap();
        } else {
            wrong.push(format!("{}\n{}", document.display(), first_difference(&text, &actual)));
        }
    }
    assert!(wrong.is_empty(), "run with UPDATE_DOCS=1 and look at the difference\n{}", wrong.join("\n"));
}

fn first_difference(expected: &str, actual: &str) -> String {
    let pairs = expected.lines().zip(actual.lines());
    let different = pairs
        .into_iter()
        .enumerate()
        .find(|(_, (expected, actual))| stable(&without_durations(expected)) != stable(&without_durations(actual)));
    different.map_or_else(
        || "one is longer".to_owned(),
        |(at, (expected, actual))| format!("line {}\n  there: {expected}\n  said:  {actual}", at + 1),
    )
}

/// The examples, where the documents look for them.
fn copy_examples(place: &Place) {
    let mut folders = vec![root().join("docs/examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                place.write(&name, fs::read(&path).unwrap());
            }
        }
    }
}

/// Links of the documents lead to files that exist.
#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    let more = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    for document in documents().into_iter().chain(more) {
        let text = fs::read_to_string(&document).unwrap();
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap().split('#').next().unwrap();
            let is_file = !target.is_empty() && !target.contains("://");
            if is_file && !document.parent().unwrap().join(target).exists() {
                wrong.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
