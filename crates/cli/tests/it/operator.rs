//! What an operator does after something was killed.

use std::process::{Child, Stdio};
use std::time::Duration;

use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{self, TestServer};

use crate::kit::Place;

/// A server, and statements of a bystander's that hold up what changes `a` to `after`.
struct Setting {
    server: TestServer,
    before: &'static str,
    after: &'static str,
    hold: [&'static str; 2],
    /// How the ledger shows that it is held up: PostgreSQL marks steps in their own transaction, so that none is ever open.
    begun: &'static str,
}

fn settings() -> Vec<Setting> {
    let postgres = servers::postgres().into_iter().map(|server| Setting {
        server,
        before: "CREATE TYPE mood AS ENUM ('sad');\nCREATE TABLE a (id int PRIMARY KEY, m mood);\n",
        after: "CREATE TYPE mood AS ENUM ('sad', 'ok');\nCREATE TABLE a (id int PRIMARY KEY, m mood DEFAULT 'ok');\n",
        hold: ["BEGIN", "LOCK TABLE public.a IN ACCESS SHARE MODE"],
        begun: "\"state\": \"done\"",
    });
    let others = servers::mariadb().into_iter().chain(servers::mysql()).map(|server| Setting {
        server,
        before: "CREATE TABLE a (id int PRIMARY KEY, n int);\n",
        after: "CREATE TABLE a (id int PRIMARY KEY, n int, more int);\n",
        hold: ["BEGIN", "SELECT count(*) FROM a"],
        begun: "\"running\": true",
    });
    postgres.chain(others).collect()
}

/// Waits until the apply in `child` has begun a step.
fn until_begun(place: &Place, url: &str, begun: &str, child: &mut Child) {
    // a minute
    for _ in 0..1200 {
        assert!(child.try_wait().unwrap().is_none(), "it did not wait");
        let said = place.run(&["ledger", "show", "--url", url, "--format", "json"]).ends(0);
        if said.stdout.contains(begun) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let said = place.run(&["ledger", "show", "--url", url, "--format", "json"]).ends(0).stdout;
    assert!(said.contains(begun), "no step was begun: {said}");
}

#[tokio::test]
async fn a_killed_run_is_shown_broken_settled_and_given_up() {
    for Setting { server, before, after, hold, begun } in settings() {
        let name = server.name();
        let place = Place::with(&[("s.sql", before)]);
        let database = TestDatabase::on(&server).await.unwrap();
        let url = database.url().secret_text();
        let at = |words: &[&str]| place.run(&[words, &["--url", url]].concat());
        at(&["apply", "--yes", "--schema", "s.sql"]).ends(0);
        place.write("s.sql", after);
        let mut bystander = database.session().await.unwrap();
        bystander.execute(hold[0]).await.unwrap();
        bystander.execute(hold[1]).await.unwrap();
        let mut command = place.command(&["apply", "--yes", "--url", url, "--schema", "s.sql"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until_begun(&place, url, begun, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();

        let shown = at(&["lock", "show"]).ends(0).stdout;
        assert!(shown.contains("lease: held by ada for run "), "{name}: {shown}");
        let broken = at(&["lock", "break"]);
        if broken.code == 2 {
            assert!(broken.stdout.contains("not broken: the session that holds it is alive"), "{}", broken.stdout);
            let broken = at(&["lock", "break", "--terminate", "--note", "ticket 7"]).ends(0).stdout;
            assert!(broken.contains("broken: its session was ended; the lock is free"), "{name}: {broken}");
        } else {
            broken.ends(0);
        }
        let shown = at(&["lock", "show"]).ends(0).stdout;
        assert!(shown.contains("lock: free\nlease: free; "), "{name}: {shown}");
        bystander.execute("ROLLBACK").await.unwrap();

        let shown = at(&["ledger", "show"]).ends(0).stdout;
        let run = shown.lines().find_map(|line| line.strip_prefix("run ")).unwrap().to_owned();
        let wrong = at(&["ledger", "resolve", &run, "1", "--done"]);
        let shown = at(&["ledger", "resolve"]).ends(0).stdout;
        if begun.contains("running") {
            let wrong = wrong.ends(2).stderr;
            assert!(wrong.contains(&format!("refused: step 1 of run `{run}` is undone ")), "{name}: {wrong}");
            assert!(shown.contains("  1 refuted "), "{name}: {shown}");
        } else {
            let wrong = wrong.ends(1).stderr;
            assert!(wrong.contains("has no step 1 that was begun and is undecided"), "{name}: {wrong}");
            assert!(shown.contains("  1 done ") && shown.contains("  2 planned "), "{name}: {shown}");
        }
        let unknown = at(&["ledger", "abandon", "0000"]).ends(1).stderr;
        assert!(unknown.contains("no unfinished run is called `0000`"), "{name}: {unknown}");
        at(&["ledger", "abandon", &run]).ends(0);
        let shown = at(&["ledger", "show"]).ends(0).stdout;
        assert!(shown.ends_with("no run is unfinished\n"), "{name}: {shown}");
        let status = at(&["status"]).ends(0).stdout;
        let resolved = if begun.contains("running") { "resolved" } else { "lock-broken" };
        for word in ["lock-broken", resolved, "abandoned"] {
            assert!(status.contains(word), "{name}: {status}");
        }
        at(&["apply", "--yes", "--schema", "s.sql"]).ends(0);
        at(&["plan", "--exit-code", "--schema", "s.sql"]).ends(0);
    }
}

#[tokio::test]
async fn sqlite_has_nothing_to_break_or_settle() {
    let place = Place::with(&[("s.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);\n")]);
    let database = TestDatabase::sqlite().unwrap();
    let url = database.url().secret_text();
    let at = |words: &[&str]| place.run(&[words, &["--url", url]].concat());
    let none = at(&["lock", "show"]).ends(0).stdout;
    assert!(none.ends_with("lock: free\nlease: no run has ever taken one\n"), "{none}");
    assert!(!std::path::Path::new(database.name()).exists(), "looking made the file");
    at(&["apply", "--yes", "--schema", "s.sql"]).ends(0);
    assert!(at(&["lock", "break"]).ends(0).stdout.starts_with("nobody holds the lock"));
    assert!(at(&["ledger", "show"]).ends(0).stdout.ends_with("no run is unfinished\n"));
    let mut other = database.session_after(&["BEGIN IMMEDIATE"]).await.unwrap();
    let held = at(&["lock", "show"]).ends(0).stdout;
    assert!(held.contains("lock: another connection is writing to the file"), "{held}");
    at(&["lock", "break"]).ends(2);
    let said = at(&["lock", "break", "--terminate"]).ends(1).stderr;
    assert!(said.contains("end that process"), "{said}");
    other.execute("ROLLBACK").await.unwrap();
}

#[test]
fn a_word_is_needed() {
    let place = Place::new();
    let said = place.fails(1, &["ledger", "resolve", "r", "1", "--url", "sqlite://x.db"]);
    assert!(said.contains("--done or --undone"), "{said}");
    place.fails(1, &["ledger", "resolve", "--done", "--url", "sqlite://x.db"]);
    place.fails(1, &["ledger", "resolve", "r", "1", "--done", "--undone", "--url", "sqlite://x.db"]);
}
