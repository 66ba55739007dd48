//! The connection breaks at every call, before and after the server has done it; the next run gets there.

use std::sync::Arc;

use trueup_execute::{
    Evidence, ExecuteError, LockBroken, OperatorRequest, RunStatus, StepDecision, StepState, abandon_run, break_lock,
    resolve_ledger,
};
use trueup_plan::{Predicate, Statement};
use trueup_schema::DialectId;
use trueup_session::SystemClock;
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
    let stores = stage.stores();
    let ports = stores.ports(connector.as_ref(), planner, &stage.heard);
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
        assert!(error.to_string().contains(&format!("trueup ledger resolve {} 2 --done", what.run)), "{error}");
        let mut session = stage.session().await;
        let (stores, by) = (stage.stores(), operator());
        let ports = stores.operator();
        let decision = |step, is_done| StepDecision { run: what.run.clone(), step, is_done };
        let abandoned = abandon_run(session.as_mut(), &ports, &planner, &by, &what.run).await.unwrap_err();
        assert!(matches!(abandoned, ExecuteError::NeedsHuman(_)), "{abandoned}");
        let open = resolve_ledger(session.as_mut(), &ports, &planner, &by, None).await.unwrap();
        assert_eq!((open[1].step.state, open[1].evidence), (StepState::Intent, Evidence::Unknown));
        let no = resolve_ledger(session.as_mut(), &ports, &planner, &by, Some(&decision(3, true))).await.unwrap_err();
        assert!(matches!(no, ExecuteError::NoSuchStep { .. }), "{no}");
        let steps = resolve_ledger(session.as_mut(), &ports, &planner, &by, Some(&decision(2, false))).await.unwrap();
        assert_eq!(steps[1].step.state, StepState::Refuted);
        assert_eq!(stage.history().await[0].status, "resolved");
        assert!(stage.is_free().await);
        assert_eq!(stage.run(&planner, &request()).await.unwrap().status, RunStatus::Synced);
    }
}

fn operator() -> OperatorRequest {
    OperatorRequest {
        scope: String::new(),
        lock_wait: std::time::Duration::from_secs(20),
        lease: std::time::Duration::from_secs(30),
        by: "an operator".to_owned(),
        note: None,
        environment: None,
    }
}

/// The live schema has the last word, and what it proves is not for a person to deny.
#[tokio::test]
async fn a_word_against_the_evidence_is_refused() {
    for stage in Stage::postgres().await {
        let mut planner = planner(&stage);
        let good = planner.work[1].statements.clone();
        planner.work[1].statements = vec![Statement::run("SELECT * FROM nowhere")];
        let error = stage.run(&planner, &request()).await.unwrap_err();
        assert!(matches!(error, ExecuteError::Step(_)), "{error}");
        planner.work[1].statements = good;
        let mut session = stage.session().await;
        let (stores, by) = (stage.stores(), operator());
        let ports = stores.operator();
        let found = trueup_execute::inspect_ledger(session.as_mut(), &stores.ledger, "", &planner).await.unwrap();
        assert_eq!((found[1].step.state, found[1].evidence), (StepState::Intent, Evidence::Undone));
        let decision = StepDecision { run: found[1].step.run.clone(), step: 2, is_done: true };
        let no = resolve_ledger(session.as_mut(), &ports, &planner, &by, Some(&decision)).await.unwrap_err();
        assert!(matches!(no, ExecuteError::Contradicted { .. }), "{no}");
        let left = abandon_run(session.as_mut(), &ports, &planner, &by, &decision.run).await.unwrap();
        let states: Vec<_> = left.iter().map(|finding| finding.step.state).collect();
        assert_eq!(states, [StepState::Done, StepState::Refuted, StepState::Planned]);
        let history = stage.history().await;
        assert_eq!(history[0].status, "abandoned");
        assert_eq!(history[0].operations, ["create-table:users"]);
        assert!(!stage.records().await.unwrap().unfinished);
        assert_eq!(stage.run(&planner, &request()).await.unwrap().status, RunStatus::Synced);
    }
}

/// A run goes on over the very session on which it failed: nobody is waited for, and nobody ended.
#[tokio::test]
async fn the_same_session_settles_its_own_run() {
    for stage in Stage::postgres().await {
        let mut planner = planner(&stage);
        let good = planner.work[1].statements.clone();
        planner.work[1].statements = vec![Statement::run("SELECT * FROM nowhere")];
        let mut session = stage.session().await;
        stage.run_on(session.as_mut(), &planner, &request()).await.unwrap_err();
        planner.work[1].statements = good;
        let applied = stage.run_on(session.as_mut(), &planner, &request()).await.unwrap();
        assert_eq!(applied.status, RunStatus::Synced);
    }
}

#[tokio::test]
async fn a_lock_is_broken_only_when_its_session_is_gone_or_told_to_go() {
    for stage in Stage::postgres().await {
        stage.run(&stage.shop(), &request()).await.unwrap();
        let key = trueup_lock::LockKey::new(&stage.session().await.server().database, "", None);
        let mut holder = stage.session().await;
        let clock = SystemClock::new();
        let wait = trueup_lock::Wait { deadline: std::time::Duration::ZERO, clock: &clock, on_busy: &|_| {} };
        let held = trueup_lock::acquire(holder.as_mut(), &key, &wait).await.unwrap();
        let mut session = stage.session().await;
        let stores = stage.stores();
        let ports = stores.operator();
        let broken = break_lock(session.as_mut(), &ports, &operator(), false).await.unwrap();
        assert!(matches!(broken, LockBroken::Held(_)), "{broken:?}");
        let broken = break_lock(session.as_mut(), &ports, &operator(), true).await.unwrap();
        assert!(matches!(broken, LockBroken::Broken { was_ended: true, is_recorded: true, .. }), "{broken:?}");
        assert_eq!(stage.history().await[0].status, "lock-broken");
        assert_eq!(break_lock(session.as_mut(), &ports, &operator(), true).await.unwrap(), LockBroken::NotHeld);
        held.release(holder.as_mut()).await.unwrap_err();
        assert!(stage.is_free().await);
    }
}
