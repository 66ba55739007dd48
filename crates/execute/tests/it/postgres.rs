//! PostgreSQL: advisory lock, fence, heartbeat, steps outside of transactions.

use std::time::Duration;

use trueup_execute::{Event, ExecuteError, RunRequest, RunStatus, StepState, read_ledger};
use trueup_lock::LockKey;
use trueup_plan::{Budgets, Statement};
use trueup_session::TransactionMode;
use trueup_testkit::FaultPlan;

use super::kit::{Stage, request};

#[tokio::test]
async fn a_held_lock_names_its_holder() {
    for stage in Stage::postgres().await {
        let mut other = stage.session().await;
        let number = LockKey::new("", "", None).number();
        other.query("SELECT pg_advisory_lock($1)", &[number.into()]).await.unwrap();
        let hasty = RunRequest { lock_wait: Duration::from_millis(200), ..request() };
        let error = stage.run(&stage.shop(), &hasty).await.unwrap_err();
        let holder = format!("held by process {} (trueup)", other.backend().id);
        assert!(error.to_string().contains(&holder), "{error}");
        let before = stage.everything().await;
        assert_eq!(before, ["public"]);
        let scoped = RunRequest { scope: "other".to_owned(), ..hasty };
        assert_eq!(stage.run(&stage.shop(), &scoped).await.unwrap().status, RunStatus::Synced);
    }
}

#[tokio::test]
async fn the_transaction_is_fenced_first_and_recorded_last() {
    for stage in Stage::postgres().await {
        let log = FaultPlan::none();
        let mut session = log.session(stage.session().await);
        stage.run_on(&mut session, &stage.shop(), &request()).await.unwrap();
        let calls: Vec<String> = log.log().iter().map(ToString::to_string).collect();
        let begin = calls.iter().rposition(|call| call == "BEGIN").unwrap();
        assert!(calls[begin + 1].ends_with("FOR KEY SHARE"), "{calls:#?}");
        assert!(calls[begin + 2].starts_with("CREATE TABLE public.users"), "{calls:#?}");
        let after = calls.iter().skip(begin).position(|call| call == "COMMIT").unwrap() + begin;
        assert!(calls[after - 1].starts_with("UPDATE \"trueup\".\"_trueup_lock\" SET owner = ''"), "{calls:#?}");
        let first = calls.iter().position(|call| call.contains("pg_try_advisory_lock")).unwrap();
        assert!(calls[first + 1].contains("pg_backend_pid"), "{calls:#?}");
        assert!(calls.last().unwrap().contains("pg_advisory_unlock"), "{calls:#?}");
    }
}

/// `users` in a transaction, then an index that can have none.
fn several(stage: &Stage) -> super::kit::Written {
    let mut planner = stage.shop();
    let mut index = stage.table("users_index", "CREATE INDEX CONCURRENTLY users_index ON public.users (id)");
    index.transactional = false;
    planner.work.insert(1, index);
    planner
}

#[tokio::test]
async fn steps_outside_of_transactions_are_written_down() {
    for stage in Stage::postgres().await {
        let log = FaultPlan::none();
        let mut session = log.session(stage.session().await);
        let applied = stage.run_on(&mut session, &several(&stage), &request()).await.unwrap();
        assert_eq!((applied.status, applied.statements), (RunStatus::Synced, 3));
        let calls: Vec<String> = log.log().iter().map(ToString::to_string).collect();
        let index = calls.iter().position(|call| call.contains("CONCURRENTLY")).unwrap();
        assert!(calls[..index].iter().any(|call| call.contains("SET state = $1, intent_at")), "{calls:#?}");
        assert!(calls[index + 1].contains("SET state = $1, done_at"), "{calls:#?}");
        assert!(!stage.records().await.unwrap().unfinished);
        assert!(stage.is_free().await);
    }
}

#[tokio::test]
async fn a_step_that_fails_outside_says_what_is_done() {
    for stage in Stage::postgres().await {
        let mut planner = several(&stage);
        planner.work[1].statements =
            vec![Statement::run("CREATE INDEX CONCURRENTLY users_index ON public.users (nix)")];
        let error = stage.run(&planner, &request()).await.unwrap_err();
        assert!(error.to_string().contains("1 of 3 steps are done and committed"), "{error}");
        let steps = read_ledger(stage.session().await.as_mut(), "", None).await.unwrap();
        let states: Vec<StepState> = steps.iter().map(|step| step.state).collect();
        assert_eq!(states, [StepState::Done, StepState::Intent, StepState::Planned]);
        assert!(stage.is_free().await);
    }
}

#[tokio::test]
async fn a_transaction_that_waits_too_long_for_a_table_is_tried_again() {
    for stage in Stage::postgres().await {
        stage.run(&stage.planner(vec![stage.shop().work[0].clone()]), &request()).await.unwrap();
        let mut other = stage.session().await;
        other.begin(TransactionMode::Write).await.unwrap();
        other.execute("LOCK TABLE public.users IN ACCESS EXCLUSIVE MODE").await.unwrap();
        let mut planner = stage.shop();
        planner.work[1].statements.insert(0, Statement::run("ALTER TABLE public.users ADD COLUMN email text"));
        planner.work[1].budgets = Budgets { lock_ms: Some(100), statement_ms: Some(10_000) };
        let release = async {
            while !stage.heard.all().iter().any(|event| matches!(event, Event::Retrying { .. })) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            other.rollback().await.unwrap();
        };
        let request = request();
        let (applied, ()) = tokio::join!(stage.run(&planner, &request), release);
        assert_eq!(applied.unwrap().status, RunStatus::Synced, "{}", stage.database.label());
    }
}

#[tokio::test]
async fn a_stolen_lease_stops_the_run() {
    for stage in Stage::postgres().await {
        stage.run(&stage.shop(), &request()).await.unwrap();
        let mut planner = several(&stage);
        planner.work[1].statements = vec![
            Statement::run("UPDATE trueup._trueup_lock SET epoch = epoch + 1, owner = 'a thief'"),
            planner.work[1].statements[0].clone(),
        ];
        planner.work.push(stage.table("late", "CREATE TABLE public.late (id integer)"));
        let error = stage.run(&planner, &request()).await.unwrap_err();
        assert!(error.to_string().contains("taken over by `a thief`"), "{error}");
        assert!(!stage.everything().await.contains(&"public.late".to_owned()));
        let ExecuteError::Lock(_) = error else { panic!("{error:?}") };
    }
}

#[tokio::test]
async fn the_heartbeat_passes_the_fence_of_its_own_run() {
    for stage in Stage::postgres().await {
        let mut planner = stage.shop();
        planner.work[1].statements.insert(0, Statement::run("SELECT pg_sleep(5)"));
        let short = RunRequest { lease: Duration::from_secs(3), ..request() };
        let applied = stage.run(&planner, &short).await.unwrap();
        assert_eq!(applied.status, RunStatus::Synced, "{}", stage.database.label());
    }
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    for stage in Stage::postgres().await {
        stage.run(&stage.shop(), &request()).await.unwrap();
        stage.session().await.execute("UPDATE trueup._trueup_lock SET format = 99").await.unwrap();
        let error = stage.run(&stage.shop(), &request()).await.unwrap_err();
        assert!(matches!(error, ExecuteError::NewerFormat { found: 99, .. }), "{error:?}");
    }
}

#[tokio::test]
async fn scopes_that_start_together_make_the_control_tables_once() {
    for stage in Stage::postgres().await {
        let planner = stage.planner(Vec::new());
        let requests: Vec<RunRequest> =
            (0..4).map(|n| RunRequest { scope: format!("scope {n}"), ..request() }).collect();
        let run = |n: usize| stage.run(&planner, &requests[n]);
        let (a, b, c, d) = tokio::join!(run(0), run(1), run(2), run(3));
        for applied in [a, b, c, d] {
            assert_eq!(applied.unwrap().status, RunStatus::UpToDate, "{}", stage.database.label());
        }
    }
}
