//! A person at a terminal, and readers who do not read to the end.

use std::process::{Command, Stdio};

use crate::kit::{Place, Said, TRUEUP, with_ok};

/// Runs the command line in a terminal of its own, with `typed` as the person's answer.
fn in_terminal(place: &Place, words: &str, typed: &str) -> Said {
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{TRUEUP} {words}"), "/dev/null"]).current_dir(place.path());
    place.at_home(&mut command);
    command.env("TERM", "xterm").env_remove("DATABASE_URL").env_remove("NO_COLOR").env("SHELL", "/bin/sh");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), typed.as_bytes()).unwrap();
    Said::of(child.wait_with_output().unwrap())
}

#[test]
fn a_person_is_asked() {
    let place = with_ok();
    let apply = "apply --url sqlite://x.db --schema ok.sql";
    let said = in_terminal(&place, apply, "n\n").ends(2);
    assert!(said.stdout.contains("Apply this plan? [y/N]"), "{}", said.stdout);
    assert!(said.stdout.contains("not applied: declined"), "{}", said.stdout);
    assert_eq!(place.files().len(), 1);
    let said = in_terminal(&place, apply, "y\n").ends(0);
    assert!(said.stdout.contains("the database looks as declared"), "{}", said.stdout);
}

#[test]
fn a_person_spells_out_a_loss() {
    let place = Place::with(&[("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, note TEXT);\n")]);
    let apply = "apply --url sqlite://x.db --schema s.sql";
    in_terminal(&place, apply, "y\n").ends(0);
    place.write("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);\n");
    in_terminal(&place, apply, "y\n").ends(2);
    assert_eq!(place.sqlite("x.db", "SELECT name FROM pragma_table_info('a')"), ["id", "note"]);
    in_terminal(&place, apply, "lose data\n").ends(0);
    assert_eq!(place.sqlite("x.db", "SELECT name FROM pragma_table_info('a')"), ["id"]);
}

#[test]
fn colour_is_for_terminals() {
    let place = with_ok();
    let said = in_terminal(&place, "plan --url sqlite://x.db --schema ok.sql", "");
    assert!(said.stdout.contains("\u{1b}["), "{:?}", said.stdout);
    let said = place.run(&["plan", "--url", "sqlite://x.db", "--schema", "ok.sql"]).ends(0);
    assert!(!said.stdout.contains('\u{1b}'), "{:?}", said.stdout);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = with_ok();
    let plan = ["plan", "--url", "sqlite://x.db", "--schema", "ok.sql"];
    for words in [&["--help"][..], &["--version"], &["completions", "bash"], &["completions", "zsh"], &plan, &["frob"]]
    {
        let mut command = place.command(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        if words == ["frob"] {
            drop(child.stderr.take());
        }
        Said::of(child.wait_with_output().unwrap());
    }
}

#[test]
fn the_version_is_one_line() {
    let said = Place::new().run(&["--version"]).ends(0);
    assert_eq!(said.stdout, format!("trueup {}\n", env!("CARGO_PKG_VERSION")));
}
