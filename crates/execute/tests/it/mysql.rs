//! MySQL and MariaDB: every statement commits by itself, so that the ledger carries the run.

use std::time::Duration;

use trueup_execute::{Event, ExecuteError, RunRequest, RunStatus, StepState, read_ledger};
use trueup_lock::LockKey;
use trueup_plan::{Budgets, CheckQuery, OpId, Statement};
use trueup_schema::DialectId;
use trueup_session::{DbError, DbErrorKind, TransactionMode};
use trueup_testkit::servers::{self, MYSQL_VARIABLE, TestServer};
use trueup_testkit::{Failure, FaultPlan, Side, TestDatabase};

use super::kit::{Stage, Written, request};

/// None only where the run has said that it covers neither.
#[expect(clippy::disallowed_methods, reason = "the run hands its servers over through the environment")]
fn listed() -> Vec<(TestServer, DialectId)> {
    let names = std::env::var(MYSQL_VARIABLE).unwrap_or_default();
    let of = |engine: &str, servers: fn() -> Vec<TestServer>, dialect| -> Vec<(TestServer, DialectId)> {
        let is_there = names.split(',').any(|name| name.starts_with(engine));
        if is_there { servers().into_iter().map(|server| (server, dialect)).collect() } else { Vec::new() }
    };
    [of("mariadb", servers::mariadb, DialectId::MariaDb), of("mysql", servers::mysql, DialectId::MySql)].concat()
}

async fn stages() -> Vec<Stage> {
    let mut stages = Vec::new();
    for (server, dialect) in listed() {
        stages.push(Stage::new(TestDatabase::on(&server).await.unwrap(), dialect));
    }
    stages
}

fn shop(stage: &Stage) -> Written {
    let mut planner = stage.shop();
    for work in &mut planner.work {
        work.transactional = false;
    }
    planner
}

#[tokio::test]
async fn a_run_is_written_down_step_by_step() {
    for stage in stages().await {
        let planner = shop(&stage);
        let log = FaultPlan::none();
        let mut session = log.session(stage.session().await);
        let applied = stage.run_on(&mut session, &planner, &request()).await.unwrap();
        assert_eq!((applied.status, applied.statements), (RunStatus::Synced, 2), "{}", stage.database.label());
        let calls: Vec<String> = log.log().iter().map(ToString::to_string).collect();
        let made = calls.iter().position(|call| call.starts_with("CREATE TABLE users")).unwrap();
        assert!(calls[..made].iter().any(|call| call.contains("SET state = ?, intent_at")), "{calls:#?}");
        assert!(calls[made + 1].contains("SET state = ?, done_at"), "{calls:#?}");

        let records = stage.records().await.unwrap();
        assert_eq!((records.history.len(), records.hashes.len(), records.unfinished), (1, 2, false));
        let at = &records.history[0].applied_at;
        assert!(at.len() == 23 && at.contains(' ') && at.contains('.'), "{at}");
        assert_eq!(stage.run(&planner, &request()).await.unwrap().status, RunStatus::UpToDate);
        assert_eq!(stage.records().await.unwrap(), records);
        assert!(stage.is_free().await);
    }
}

/// As DDL of another node of a cluster aborts it.
#[tokio::test]
async fn a_mark_that_lost_a_deadlock_is_sent_again() {
    for (clean, stage) in stages().await.into_iter().zip(stages().await) {
        let planner = shop(&stage);
        let log = FaultPlan::none();
        let mut session = log.session(clean.session().await);
        clean.run_on(&mut session, &planner, &request()).await.unwrap();
        let at = log.log().iter().position(|call| call.to_string().contains("SET state = ?, intent_at")).unwrap();
        let victim = DbError::new(DbErrorKind::Deadlock, "a deadlock");
        let fault = FaultPlan::at(at + 1, Side::Before, Failure::Error(victim));
        let mut session = fault.session(stage.session().await);
        let applied = stage.run_on(&mut session, &planner, &request()).await.unwrap();
        assert!(fault.has_fired());
        assert_eq!((applied.status, applied.statements), (RunStatus::Synced, 2), "{}", stage.database.label());
    }
}

#[tokio::test]
async fn a_cut_off_run_is_settled() {
    for stage in stages().await {
        let mut planner = shop(&stage);
        let good = planner.work[1].statements.clone();
        planner.work[1].statements = vec![Statement::run("SELECT * FROM nowhere")];
        let error = stage.run(&planner, &request()).await.unwrap_err();
        assert!(error.to_string().contains("1 of 2 steps are done and committed"), "{error}");
        let steps = read_ledger(stage.session().await.as_mut(), "", None).await.unwrap();
        assert_eq!([steps[0].state, steps[1].state], [StepState::Done, StepState::Intent]);
        planner.work[1].statements = good;
        assert_eq!(stage.run(&planner, &request()).await.unwrap().status, RunStatus::Synced);
        assert!(stage.is_free().await && !stage.records().await.unwrap().unfinished);
    }
}

#[tokio::test]
async fn a_held_lock_names_its_holder() {
    for stage in stages().await {
        let mut other = stage.session().await;
        let key = LockKey::new(&other.server().database.clone(), "", None);
        other.query("SELECT GET_LOCK(?, 0)", &[key.name().into()]).await.unwrap();
        let hasty = RunRequest { lock_wait: Duration::from_millis(200), ..request() };
        let error = stage.run(&shop(&stage), &hasty).await.unwrap_err();
        assert!(matches!(error, ExecuteError::Lock(_)), "{error:?}");
        assert!(error.to_string().contains(&format!("held by connection {}", other.backend().id)), "{error}");
        assert!(stage.records().await.is_none());
    }
}

#[tokio::test]
async fn a_wait_alone_is_no_peers_work() {
    for stage in stages().await {
        super::both::waited_for_nothing(&stage, &shop(&stage)).await;
    }
}

#[tokio::test]
async fn racing_runs_do_the_work_once() {
    for stage in stages().await {
        let (planner, request) = (shop(&stage), request());
        let (one, two) = tokio::join!(stage.run(&planner, &request), stage.run(&planner, &request));
        let mut statuses = [one.unwrap().status.as_str(), two.unwrap().status.as_str()];
        statuses.sort_unstable();
        assert_eq!(statuses, ["synced", "synced-by-peer"], "{}", stage.database.label());
    }
}

#[tokio::test]
async fn a_statement_that_waits_too_long_for_a_table_is_tried_again() {
    for stage in stages().await {
        stage.run(&stage.planner(vec![shop(&stage).work[0].clone()]), &request()).await.unwrap();
        let mut other = stage.session().await;
        other.begin(TransactionMode::Write).await.unwrap();
        other.query("SELECT count(*) FROM users", &[]).await.unwrap();
        let mut planner = shop(&stage);
        let first = "CREATE TABLE once (id int)";
        planner.work[1].statements.splice(0..0, [first, "ALTER TABLE users ADD COLUMN email text"].map(Statement::run));
        planner.work[1].budgets = Budgets { lock_ms: Some(1000), statement_ms: None };
        let release = async {
            while !stage.heard.all().iter().any(|event| matches!(event, Event::Retrying { .. })) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            other.rollback().await.unwrap();
        };
        let request = request();
        let (applied, ()) = tokio::join!(stage.run(&planner, &request), release);
        let applied = applied.unwrap();
        assert_eq!((applied.status, applied.statements), (RunStatus::Synced, 3), "{}", stage.database.label());
    }
}

#[expect(clippy::disallowed_methods, reason = "how long it takes is what is asked")]
#[tokio::test]
async fn a_statement_that_takes_too_long_is_stopped() {
    for stage in stages().await {
        let mut planner = shop(&stage);
        let slow = "CREATE TABLE slow AS SELECT sleep(2) AS a FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3) AS t";
        planner.work[1].statements.insert(0, Statement::run(slow));
        planner.work[1].budgets = Budgets { lock_ms: None, statement_ms: Some(500) };
        let start = std::time::Instant::now();
        let error = stage.run(&planner, &request()).await.unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(4), "{} took {:?}", stage.database.label(), start.elapsed());
        let ExecuteError::Step(failure) = &error else { panic!("{error:?}") };
        let kind = failure.source.as_ref().map(|source| source.kind);
        assert_eq!(kind, Some(DbErrorKind::StatementTimeout), "{}: {error:?}", stage.database.label());
        assert!(stage.is_free().await);
        // what was done before it stays, and nothing limits the next run
        planner.work[1].statements.remove(0);
        planner.work[1].statements.insert(0, Statement::run("DO sleep(1)"));
        planner.work[1].budgets = Budgets { lock_ms: None, statement_ms: Some(30_000) };
        assert_eq!(stage.run(&planner, &request()).await.unwrap().status, RunStatus::Synced);
    }
}

#[tokio::test]
async fn a_value_that_a_strict_mode_would_refuse_breaks_a_check() {
    for stage in stages().await {
        stage.run(&stage.planner(vec![shop(&stage).work[0].clone()]), &request()).await.unwrap();
        stage.session().await.execute("INSERT INTO users VALUES (0), (1)").await.unwrap();
        let check = |expr: &str| CheckQuery {
            operation: OpId("create-table:posts".to_owned()),
            table: "users".to_owned(),
            rule: expr.to_owned(),
            count: format!("SELECT count(*) FROM users WHERE NOT ({expr})"),
            sample: None,
        };
        let mut planner = shop(&stage);
        planner.checks = vec![check("ROUND(1 / id) BETWEEN 0 AND 9")];
        let applied = stage.run(&planner, &request()).await.unwrap();
        assert_eq!(applied.status, RunStatus::Refused, "{}", stage.database.label());
        assert!(applied.refusals[0].why.contains("1 row of users"), "{:?}", applied.refusals);
        planner.checks = vec![check("ROUND(1 / (id + 1)) BETWEEN 0 AND 9")];
        assert_eq!(stage.run(&planner, &request()).await.unwrap().status, RunStatus::Synced);
    }
}
