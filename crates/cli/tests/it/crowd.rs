//! A run among others: clients that keep reading and writing, somebody in the way, a run that sleeps too long.
#![expect(clippy::disallowed_methods, reason = "how long others wait is what is asked")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use trueup_testkit::TestDatabase;
use trueup_testkit::servers::{self, TestServer};

use crate::kit::{Place, Said};

/// How long a statement waits for the lock of a table: the planner's budget.
const BUDGET: Duration = Duration::from_secs(3);
/// How long the bystander holds its lock.
const HELD: Duration = Duration::from_secs(8);

const BEFORE: &str = "CREATE TABLE a (id int PRIMARY KEY, n int);\n";
const AFTER: &str = "CREATE TABLE a (id int PRIMARY KEY, n int, more int);\n";

fn all() -> Vec<TestServer> {
    let newest = [servers::postgres().pop(), servers::mariadb().pop(), servers::mysql().pop()];
    newest.into_iter().flatten().collect()
}

fn table(server: &TestServer) -> &'static str {
    if server.name().starts_with("postgres") { "public.a" } else { "a" }
}

fn start(place: &Place, url: &str) -> Child {
    let mut command = place.command(&["apply", "--yes", "--url", url, "--schema", "s.sql"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Waits until a statement of the run waits for a lock.
async fn until_waiting(server: &TestServer, database: &TestDatabase) {
    let sql = if server.name().starts_with("postgres") {
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    } else {
        "SELECT count(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE LIKE 'Waiting for%metadata lock%'"
    };
    let mut session = database.session().await.unwrap();
    let start = Instant::now();
    while session.query(sql, &[]).await.unwrap()[0].int(0).unwrap() == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "{}: nothing waits", server.name());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    session.close().await.unwrap();
}

/// Reads and writes until told to stop; returns the longest wait.
async fn client(database: &TestDatabase, table: &str, number: u32, until: Instant) -> Duration {
    let mut session = database.session().await.unwrap();
    let mut longest = Duration::ZERO;
    let sql = if number.is_multiple_of(2) {
        format!("SELECT count(*) FROM {table}")
    } else {
        format!("UPDATE {table} SET n = {number} WHERE id = {number}")
    };
    while Instant::now() < until {
        let start = Instant::now();
        session.execute(&sql).await.unwrap();
        longest = longest.max(start.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    session.close().await.unwrap();
    longest
}

#[tokio::test]
async fn nobody_queues_up_behind_a_run_that_waits() {
    for server in all() {
        let place = Place::with(&[("s.sql", BEFORE)]);
        let database = TestDatabase::on(&server).await.unwrap();
        let (url, table) = (database.url().secret_text(), table(&server));
        place.run(&["apply", "--yes", "--url", url, "--schema", "s.sql"]).ends(0);
        let values: Vec<String> = (0..16).map(|number| format!("({number}, 0)")).collect();
        let fill = format!("INSERT INTO {table} (id, n) VALUES {}", values.join(", "));
        let hold = format!("SELECT count(*) FROM {table}");
        let mut bystander = database.session_after(&[&fill, "BEGIN", &hold]).await.unwrap();
        place.write("s.sql", AFTER);
        let run = start(&place, url);
        until_waiting(&server, &database).await;
        let until = Instant::now() + HELD;
        let (name, database_ref) = (server.name(), &database);
        let mut clients = Vec::new();
        for number in 0..16 {
            clients.push(Box::pin(client(database_ref, table, number, until)));
        }
        let mut longest = Duration::ZERO;
        for wait in together(clients).await {
            longest = longest.max(wait);
        }
        bystander.execute("ROLLBACK").await.unwrap();
        bystander.close().await.unwrap();
        let said = Said::of(run.wait_with_output().unwrap()).ends(0);
        // the server's own grain is a second on MySQL and MariaDB, and the machine may be busy
        assert!(longest < BUDGET + Duration::from_millis(1500), "{name}: a client waited {longest:?}");
        assert!(said.stderr.contains("waits for "), "{name}: {}", said.stderr);
        assert!(said.stderr.contains("trying again in "), "{name}: {}", said.stderr);
    }
}

async fn together<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut done: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (future, slot) in futures.iter_mut().zip(&mut done) {
            if slot.is_none()
                && let std::task::Poll::Ready(value) = std::pin::Pin::new(future).poll(cx)
            {
                *slot = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// A run that is stopped, robbed and let go on again sends nothing more.
#[tokio::test]
async fn a_run_that_was_broken_in_its_sleep_writes_nothing() {
    for server in all() {
        let place = Place::with(&[("s.sql", BEFORE)]);
        let database = TestDatabase::on(&server).await.unwrap();
        let (url, table) = (database.url().secret_text(), table(&server));
        let at = |words: &[&str]| place.run(&[words, &["--url", url]].concat());
        at(&["apply", "--yes", "--schema", "s.sql"]).ends(0);
        let hold = format!("SELECT count(*) FROM {table}");
        let mut bystander = database.session_after(&["BEGIN", &hold]).await.unwrap();
        place.write("s.sql", AFTER);
        let sleeper = start(&place, url);
        until_waiting(&server, &database).await;
        signal(&sleeper, "-STOP");
        at(&["lock", "break", "--terminate"]).ends(0);
        bystander.execute("ROLLBACK").await.unwrap();
        place.write("s.sql", "CREATE TABLE a (id int PRIMARY KEY, n int, other int);\n");
        at(&["apply", "--yes", "--schema", "s.sql"]).ends(0);
        signal(&sleeper, "-CONT");
        Said::of(sleeper.wait_with_output().unwrap()).ends(1);
        at(&["plan", "--exit-code", "--schema", "s.sql"]).ends(0);
        bystander.close().await.unwrap();
    }
}

/// The second interrupt cancels what the first one waits for.
#[tokio::test]
async fn a_second_interrupt_cancels_the_statement() {
    for server in all() {
        let place = Place::with(&[("s.sql", BEFORE)]);
        let database = TestDatabase::on(&server).await.unwrap();
        let (url, table) = (database.url().secret_text(), table(&server));
        place.run(&["apply", "--yes", "--url", url, "--schema", "s.sql"]).ends(0);
        let hold = format!("SELECT count(*) FROM {table}");
        let mut bystander = database.session_after(&["BEGIN", &hold]).await.unwrap();
        place.write("s.sql", AFTER);
        let run = start(&place, url);
        until_waiting(&server, &database).await;
        signal(&run, "-TERM");
        std::thread::sleep(Duration::from_millis(100));
        signal(&run, "-INT");
        let said = Said::of(run.wait_with_output().unwrap()).ends(1);
        assert!(said.stderr.contains("stopping after the step under way"), "{}: {}", server.name(), said.stderr);
        assert!(said.stderr.contains("error: interrupted: "), "{}: {}", server.name(), said.stderr);
        bystander.execute("ROLLBACK").await.unwrap();
        bystander.close().await.unwrap();
        let shown = place.run(&["lock", "show", "--url", url]).ends(0).stdout;
        assert!(shown.contains("lock: free\nlease: free"), "{}: {shown}", server.name());
        place.run(&["apply", "--yes", "--url", url, "--schema", "s.sql"]).ends(0);
    }
}
