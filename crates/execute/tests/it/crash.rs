//! The connection breaks at every call, before and after the server has done it; the next run gets there.

use std::sync::Arc;

use trueup_execute::{ExecuteError, RunStatus, StepState, read_ledger, settle_step};
use trueup_plan::{Predicate, Statement};
use trueup_schema::DialectId;
use trueup_testkit::{Failure, FaultPlan, Side, TestDatabase};

use super::kit::{Stage, Written, request};

/// Statements in and outside of transactions, where the engine has both.
fn planner(stage: &Stage) -> Written {
    let mut planner = stage.shop();
    if stage.dialect == DialectId::Postgres {
        let mut index = stage.table("users_index", "CREATE INDEX CONCURRENTLY users_index ON public.users (id)");
        index.transactional = false;
        planner.work.insert(1, index);
    }
    planner
}

/// `fresh` gives a database as new for every break.
async fn break_everywhere(fresh: impl AsyncFn() -> Stage) {
    for side in [Side::Before, Side::After] {
        for at in 1.. {
            let stage = fresh().await;
            let (planner, fault) = (planner(&stage), FaultPlan::at(at, side, Failure::Disconnect));
            let mut session = fault.session(stage.session().await);
            let broken = run_broken(&stage, &mut session, &planner).await;
            drop(session);
            let call = fault.log().last().map(ToString::to_string).unwrap_or_default();
            let what = format!("{} {side:?} call {at}: {call}\n{broken:?}", stage.database.label());
            let again = stage.run(&planner, &request()).await.map(|applied| applied.status);
            assert!(matches!(again, Ok(RunStatus::Synced | RunStatus::UpToDate)), "{what}\nthen {again:?}");
            let records = stage.records().await.unwrap();
            assert!(!records.unfinished, "{what}");
            assert_eq!(records.history.len(), 1, "{what}");
            assert_eq!(records.tracked.objects.len(), planner.work.len(), "{what}");
            assert!(stage.is_free().await, "{what}");
            if !fault.has_fired() {
                assert!(at > 20 && broken.is_ok(), "{what}");
                break;
            }
        }
    }
}

async fn run_broken(
    stage: &Stage,
    session: &mut dyn trueup_session::Session,
    planner: &Written,
) -> Result<RunStatus, ExecuteError> {
    let connector = stage.database.connector().unwrap();
    let clock = trueup_session::SystemClock::new();
    let ports =
        trueup_execute::Ports { connector: connector.as_ref(), planner, clock: &clock, listener: stage.heard.as_ref() };
    trueup_execute::run(session, &ports, &request()).await.map(|applied| applied.status)
}

#[tokio::test]
async fn sqlite_gets_there_after_every_break() {
    break_everywhere(async || Stage::new(TestDatabase::sqlite().unwrap(), DialectId::Sqlite)).await;
}

#[tokio::test]
async fn postgres_gets_there_after_every_break() {
    let servers = trueup_testkit::servers::postgres();
    let database = Arc::new(TestDatabase::on(servers.last().unwrap()).await.unwrap());
    break_everywhere(async || {
        let reset = [
            "DROP SCHEMA IF EXISTS trueup CASCADE",
            "DROP TABLE IF EXISTS public.users",
            "DROP TABLE IF EXISTS public.posts",
        ];
        database.session_after(&reset).await.unwrap().close().await.unwrap();
        Stage::on(Arc::clone(&database), DialectId::Postgres)
    })
    .await;
}

#[tokio::test]
async fn what_looking_does_not_tell_needs_a_person() {
    for stage in Stage::postgres().await {
        let mut planner = planner(&stage);
        (planner.work[1].pre, planner.work[1].post) = (Predicate::Undecidable, Predicate::Undecidable);
        let good = planner.work[1].statements.clone();
        planner.work[1].statements = vec![Statement::run("SELECT * FROM nowhere")];
        stage.run(&planner, &request()).await.unwrap_err();
        planner.work[1].statements = good;
        let error = stage.run(&planner, &request()).await.unwrap_err();
        let ExecuteError::NeedsHuman(what) = &error else { panic!("{error:?}") };
        assert!(error.to_string().contains(&format!("trueup ledger settle {} 2 --done", what.run)), "{error}");
        let mut session = stage.session().await;
        assert!(!settle_step(session.as_mut(), "", None, &what.run, 3, true).await.unwrap());
        assert!(settle_step(session.as_mut(), "", None, &what.run, 2, false).await.unwrap());
        let steps = read_ledger(session.as_mut(), "", None).await.unwrap();
        assert_eq!(steps[1].state, StepState::Refuted);
        assert_eq!(stage.run(&planner, &request()).await.unwrap().status, RunStatus::Synced);
    }
}
