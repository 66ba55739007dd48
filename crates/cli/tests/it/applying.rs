//! What plans and applies do, refuse and leave alone.

use crate::kit::{Place, with_ok};

const AT: [&str; 4] = ["--url", "sqlite://x.db", "--schema", "s.sql"];

fn words<'a>(verb: &[&'a str]) -> Vec<&'a str> {
    [verb, &AT[..]].concat()
}

/// A database with one table and one row.
fn with_a_row() -> Place {
    let place = Place::with(&[("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, note TEXT);\n")]);
    place.run(&words(&["apply", "--yes"])).ends(0);
    place.sqlite("x.db", "INSERT INTO a VALUES (1, NULL)");
    place
}

#[test]
fn a_plan_makes_no_file() {
    let place = with_ok();
    let before = place.files();
    for verb in ["plan", "rehearse"] {
        place.run(&[verb, "--url", "sqlite://x.db", "--schema", "ok.sql"]).ends(0);
    }
    for verb in ["inspect", "status", "drift"] {
        place.run(&[verb, "--url", "sqlite://x.db"]).ends(0);
    }
    assert_eq!(place.files(), before);
}

#[test]
fn an_apply_is_done_once() {
    let place = with_ok();
    let apply = ["apply", "--yes", "--url", "sqlite://x.db", "--schema", "ok.sql"];
    let said = place.run(&apply).ends(0);
    assert_eq!(
        (said.stdout.as_str(), said.stderr.as_str()),
        ("applied 1 operation in 1 statement; the database looks as declared\n", "")
    );
    let before = place.files();
    let said = place.run(&apply).ends(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("up to date: nothing to do\n", ""));
    let said = place.run(&["plan", "--url", "sqlite://x.db", "--schema", "ok.sql", "--exit-code"]).ends(0);
    assert_eq!(said.stdout, "up to date: nothing to do\n");
    assert_eq!(place.files(), before);
}

#[test]
fn a_statement_that_fails_is_told_with_the_servers_words() {
    let place = Place::with(&[("s.sql", "CREATE TABLE c (id INTEGER);\nCREATE VIEW v AS SELECT 1 FROM gone;\n")]);
    place.run(&words(&["apply", "--yes"])).ends(0);
    place.write(
        "s.sql",
        "-- trueup: rename table c to d\nCREATE TABLE d (id INTEGER);\nCREATE VIEW v AS SELECT 1 FROM gone;\n",
    );
    let said = place.run(&words(&["apply", "--yes"])).ends(1).stderr;
    assert!(said.contains("everything was rolled back"), "{said}");
    assert!(said.ends_with("\n  cause: error in view v: no such table: main.gone\n"), "{said}");
}

#[test]
fn pending_work_is_told_by_the_exit_code_on_request() {
    let place = with_ok();
    let plan = ["plan", "--url", "sqlite://x.db", "--schema", "ok.sql"];
    place.run(&plan).ends(0);
    place.run(&[&plan[..], &["--exit-code"]].concat()).ends(2);
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let place = with_ok();
    let said = place.fails(2, &["apply", "--url", "sqlite://x.db", "--schema", "ok.sql"]);
    assert_eq!(said, "not applied: there is no terminal to ask at; pass --yes to run without asking\n");
}

#[test]
fn a_loss_needs_consent() {
    let place = with_a_row();
    place.write("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);\n");
    let before = place.files();
    let plan = place.run(&words(&["plan"])).ends(2);
    assert!(plan.stdout.contains("- drop column a.note  [LOSSY]"), "{}", plan.stdout);
    let said = place.run(&words(&["apply", "--yes"])).ends(2);
    assert!(said.stdout.contains("refused (needs-consent): "), "{}", said.stdout);
    place.run(&words(&["apply", "--yes", "--allow-lossy=drop-column:a.other"])).ends(2);
    assert_eq!(place.files(), before);
    place.run(&words(&["plan", "--allow-lossy"])).ends(0);
    place.run(&words(&["apply", "--yes", "--allow-lossy=drop-column:a.note"])).ends(0);
    assert_eq!(place.sqlite("x.db", "SELECT name FROM pragma_table_info('a')"), ["id"]);
    assert_eq!(place.sqlite("x.db", "SELECT CAST(count(*) AS TEXT) FROM a"), ["1"]);
}

#[test]
fn rows_that_object_are_counted() {
    let place = with_a_row();
    place.write("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, note TEXT NOT NULL);\n");
    let before = place.files();
    let plan = place.run(&words(&["plan"])).ends(2);
    assert!(plan.stdout.contains("1 row breaks it"), "{}", plan.stdout);
    place.run(&words(&["apply", "--yes"])).ends(2);
    assert_eq!(place.files(), before);
}

#[test]
fn safe_mode_holds_back() {
    let place = with_a_row();
    place.write("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);\nCREATE TABLE b (id INTEGER PRIMARY KEY);\n");
    let said = place.run(&words(&["apply", "--yes", "--safe"])).ends(2);
    assert!(said.stdout.contains("drop-column:a.note"), "{}", said.stdout);
    assert_eq!(place.sqlite("x.db", "SELECT name FROM pragma_table_info('a')"), ["id", "note"]);
    assert_eq!(place.sqlite("x.db", "SELECT name FROM pragma_table_info('b')"), ["id"]);
}

#[test]
fn a_possible_rename_is_not_guessed() {
    let place = with_a_row();
    place.write("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, remark TEXT);\n");
    let before = place.files();
    let said = place.run(&words(&["apply", "--yes", "--allow-lossy"])).ends(2);
    assert!(said.stdout.contains("fix: "), "{}", said.stdout);
    assert_eq!(place.files(), before);
    place.write(
        "s.sql",
        "-- trueup: rename column a.note to remark\nCREATE TABLE a (id INTEGER PRIMARY KEY, remark TEXT);\n",
    );
    place.run(&words(&["apply", "--yes"])).ends(0);
    assert_eq!(place.sqlite("x.db", "SELECT name FROM pragma_table_info('a')"), ["id", "remark"]);
}

#[test]
fn a_plan_that_was_reviewed_is_the_plan_that_runs() {
    let place = with_a_row();
    place.write("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, note TEXT, more TEXT);\n");
    let before = place.files();
    let said = place.run(&words(&["apply", "--yes", "--plan-hash", "fnv1a64-1:0000000000000000"]));
    assert_ne!(said.code, 0, "{}", said.stdout);
    assert_eq!(place.files(), before);
}

#[test]
fn drift_is_told() {
    let place = with_a_row();
    let drift = ["drift", "--url", "sqlite://x.db"];
    let said = place.run(&drift).ends(0);
    assert_eq!(said.stdout, "no drift: tracked objects look as the last apply left them\n");
    place.sqlite("x.db", "ALTER TABLE a ADD COLUMN sneaked TEXT");
    let said = place.run(&drift).ends(2);
    assert_eq!(said.stdout, "drift: table a was changed since the last apply\n");
    place.sqlite("x.db", "DROP TABLE a");
    let said = place.run(&drift).ends(2);
    assert_eq!(said.stdout, "drift: table a is gone since the last apply\n");
}
