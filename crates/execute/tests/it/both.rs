//! What holds on every engine.

use std::time::Duration;

use trueup_execute::{Event, ExecuteError, LOCK, RunStatus, default_control_namespace, reached};
use trueup_lock::{LeaseRequest, LeaseTable, LockError, LockKey, Wait, acquire};
use trueup_plan::{CheckAnswer, CheckQuery, Class, Consent, OpId, Refusal, Statement};
use trueup_schema::{Ident, QualName};
use trueup_session::{Clock, SystemClock, TransactionMode};

use super::kit::{Stage, Written, request};

#[tokio::test]
async fn a_run_is_done_proven_and_recorded() {
    for stage in Stage::all().await {
        let applied = stage.run(&stage.shop(), &request()).await.unwrap();
        assert_eq!((applied.status, applied.statements), (RunStatus::Synced, 2), "{}", stage.database.label());
        let records = stage.records().await.unwrap();
        let [entry] = records.history.as_slice() else { panic!("one entry: {records:?}") };
        assert_eq!((entry.status.as_str(), entry.run_key.as_str(), entry.id), ("synced", "key", 1));
        assert_eq!(entry.operations, ["create-table:users", "create-table:posts"]);
        assert_eq!((entry.declared.as_str(), entry.live.as_str()), ("usersposts", "hash of posts hash of users"));
        assert!(entry.applied_at.contains('T') && entry.applied_at.ends_with("+00:00"), "{}", entry.applied_at);
        assert_eq!((records.hashes.len(), records.tracked.objects.len(), records.unfinished), (2, 2, false));
        assert!(stage.is_free().await);
        let step = |number, operation: &str| Event::StepStarted { number, of: 2, operation: operation.to_owned() };
        assert_eq!(
            stage.heard.all(),
            [
                Event::Locked,
                Event::Planned { operations: 2 },
                step(1, "create-table:users"),
                step(2, "create-table:posts"),
                Event::Proving,
            ]
        );
    }
}

#[tokio::test]
async fn a_second_run_leaves_no_trace() {
    for stage in Stage::all().await {
        let planner = stage.shop();
        stage.run(&planner, &request()).await.unwrap();
        let (before, records) = (stage.everything().await, stage.records().await);
        for _ in 0..2 {
            let applied = stage.run(&planner, &request()).await.unwrap();
            assert_eq!(applied.status, RunStatus::UpToDate, "{}", stage.database.label());
        }
        assert_eq!((stage.everything().await, stage.records().await), (before, records));
        assert!(stage.is_free().await);
    }
}

#[tokio::test]
async fn nothing_to_do_is_recorded_once() {
    for stage in Stage::all().await {
        let mut session = stage.session().await;
        assert!(!reached(session.as_mut(), "", None, "key").await.unwrap());
        let planner = stage.planner(Vec::new());
        for _ in 0..3 {
            let applied = stage.run(&planner, &request()).await.unwrap();
            assert_eq!(applied.status, RunStatus::UpToDate, "{}", stage.database.label());
        }
        let history = stage.history().await;
        assert_eq!(history.len(), 1, "{history:?}");
        assert!(reached(session.as_mut(), "", None, "key").await.unwrap());
        assert!(reached(session.as_mut(), "public", None, "key").await.unwrap());
        assert!(!reached(session.as_mut(), "", None, "other").await.unwrap());
        assert!(!reached(session.as_mut(), "other", None, "key").await.unwrap());
        let other = stage.run(&planner, &trueup_execute::RunRequest { run_key: "other".to_owned(), ..request() }).await;
        assert_eq!(other.unwrap().status, RunStatus::UpToDate);
        assert_eq!(stage.history().await.len(), 2);
    }
}

#[tokio::test]
async fn a_refusal_leaves_no_trace() {
    for stage in Stage::all().await {
        let before = stage.everything().await;
        let mut planner = stage.shop();
        planner.refusals.push(Refusal {
            code: "ambiguous".to_owned(),
            object: "users".to_owned(),
            operation: None,
            why: "nobody knows".to_owned(),
            fix: "say more".to_owned(),
        });
        let applied = stage.run(&planner, &request()).await.unwrap();
        assert_eq!((applied.status, applied.refusals.len()), (RunStatus::Refused, 1), "{}", stage.database.label());
        assert_eq!(stage.everything().await, before);

        let mut planner = stage.shop();
        planner.work[1].class = Class::Lossy { what: "everything".to_owned() };
        let applied = stage.run(&planner, &request()).await.unwrap();
        assert_eq!(applied.status, RunStatus::Refused);
        assert_eq!(applied.refusals[0].code, "needs-consent");
        assert_eq!(stage.everything().await, before);

        let rehearsal = trueup_execute::RunRequest { consent: Consent::Rehearsal, ..request() };
        assert!(matches!(stage.run(&planner, &rehearsal).await, Err(ExecuteError::NoBranch)));
        let consented = trueup_execute::RunRequest { consent: Consent::AllLosses, ..request() };
        assert_eq!(stage.run(&planner, &consented).await.unwrap().status, RunStatus::Synced);
    }
}

#[tokio::test]
async fn the_rows_are_asked() {
    let query = |count: &str, sample: Option<&str>| CheckQuery {
        operation: OpId("create-table:posts".to_owned()),
        table: "users".to_owned(),
        rule: "no NULL in email".to_owned(),
        count: count.to_owned(),
        sample: sample.map(str::to_owned),
    };
    for stage in Stage::all().await {
        let before = stage.everything().await;
        let mut planner = stage.shop();
        planner.checks = vec![
            query("SELECT count(*) FROM nowhere", None),
            query("SELECT 0 + 2", Some("SELECT 'ada' AS name UNION ALL SELECT 'bob' ORDER BY 1")),
            query("SELECT 0 + 0", None),
        ];
        let applied = stage.run(&planner, &request()).await.unwrap();
        assert_eq!(applied.status, RunStatus::Refused, "{}", stage.database.label());
        let answers: Vec<&CheckAnswer> = applied.report.checks.iter().map(|finding| &finding.answer).collect();
        assert!(matches!(answers[0], CheckAnswer::Unknown { why } if why.contains("nowhere")), "{answers:?}");
        let sample = vec!["ada".to_owned(), "bob".to_owned()];
        assert_eq!(answers[1], &CheckAnswer::Violated { count: 2, sample });
        assert_eq!(answers[2], &CheckAnswer::Passed);
        assert_eq!(stage.everything().await, before);

        let skipping = trueup_execute::RunRequest { skip_data_checks: true, ..request() };
        let applied = stage.run(&planner, &skipping).await.unwrap();
        assert_eq!(applied.status, RunStatus::Synced);
        assert!(applied.report.checks.iter().all(|finding| finding.answer == CheckAnswer::Skipped));
    }
}

#[tokio::test]
async fn a_check_out_of_time_is_unknown() {
    for stage in Stage::all().await {
        let mut planner = stage.shop();
        let slow = if stage.dialect == trueup_schema::DialectId::Sqlite {
            "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"
        } else {
            "SELECT count(*) FROM (SELECT pg_sleep(60)) AS s"
        };
        planner.checks = vec![CheckQuery {
            operation: OpId("create-table:posts".to_owned()),
            table: "users".to_owned(),
            rule: "it ends".to_owned(),
            count: slow.to_owned(),
            sample: None,
        }];
        let hasty = trueup_execute::RunRequest { check_timeout: Duration::from_millis(200), ..request() };
        let applied = stage.run(&planner, &hasty).await.unwrap();
        assert_eq!(applied.refusals[0].code, "check-unknown", "{}: {applied:?}", stage.database.label());
        assert!(applied.refusals[0].why.contains("200 ms"), "{}", applied.refusals[0].why);
    }
}

#[tokio::test]
async fn a_failing_statement_rolls_everything_back() {
    for stage in Stage::all().await {
        let mut planner = stage.shop();
        planner.work[1].statements.push(Statement::run("SELECT * FROM nowhere"));
        let error = stage.run(&planner, &request()).await.unwrap_err();
        let ExecuteError::Step(failure) = &error else { panic!("{error:?}") };
        assert_eq!((failure.operation.0.as_str(), failure.number, failure.of), ("create-table:posts", 2, 2));
        assert!(failure.state.is_rolled_back && failure.source.is_some());
        assert!(error.to_string().contains("everything was rolled back"), "{error}");
        assert_no_work(&stage).await;

        let mut planner = stage.shop();
        planner.work[1].statements.push(Statement::assert("SELECT 1 = 2", "one is not two"));
        let error = stage.run(&planner, &request()).await.unwrap_err();
        assert!(error.to_string().contains("one is not two"), "{error}");
        assert_no_work(&stage).await;
        assert_eq!(stage.run(&stage.shop(), &request()).await.unwrap().status, RunStatus::Synced);
    }
}

async fn assert_no_work(stage: &Stage) {
    let left = stage.everything().await;
    assert!(!left.iter().any(|name| name.contains("users") || name.contains("posts")), "{left:?}");
    assert!(stage.history().await.is_empty());
    assert!(stage.is_free().await, "{}", stage.database.label());
}

#[tokio::test]
async fn a_proof_that_fails_rolls_everything_back() {
    for stage in Stage::all().await {
        let mut planner = stage.shop();
        planner.work[1].probe = "SELECT 1 = 2".to_owned();
        let applied = stage.run(&planner, &request()).await.unwrap();
        assert_eq!(applied.status, RunStatus::NotConverged, "{}", stage.database.label());
        assert_eq!(applied.residual, [OpId("create-table:posts".to_owned())]);
        assert_no_work(&stage).await;
    }
}

#[tokio::test]
async fn what_safe_mode_keeps_back_is_not_reached() {
    for stage in Stage::all().await {
        let mut planner = stage.shop();
        planner.work[1].held_back = true;
        let safe = trueup_execute::RunRequest { safe: true, ..request() };
        for _ in 0..2 {
            let applied = stage.run(&planner, &safe).await.unwrap();
            assert_eq!(applied.status, RunStatus::HeldBack, "{}", stage.database.label());
            assert_eq!(applied.residual, [OpId("create-table:posts".to_owned())]);
        }
        let history = stage.history().await;
        assert_eq!(history.len(), 1);
        assert_eq!((history[0].status.as_str(), history[0].residual.len()), ("held-back", 1));
        assert!(!reached(stage.session().await.as_mut(), "", None, "key").await.unwrap());
    }
}

#[tokio::test]
async fn only_the_approved_plan_is_run() {
    for stage in Stage::all().await {
        let before = stage.everything().await;
        let other = trueup_execute::RunRequest { expected_plan: Some("0".repeat(16)), ..request() };
        let error = stage.run(&stage.shop(), &other).await.unwrap_err();
        let ExecuteError::PlanMoved { actual, .. } = error else { panic!("{error:?}") };
        assert_eq!(stage.everything().await, before);
        let approved = trueup_execute::RunRequest { expected_plan: Some(actual), ..request() };
        assert_eq!(stage.run(&stage.shop(), &approved).await.unwrap().status, RunStatus::Synced);
    }
}

#[tokio::test]
async fn a_hosts_transaction_is_refused() {
    for stage in Stage::all().await {
        let mut session = stage.session().await;
        session.begin(TransactionMode::Write).await.unwrap();
        let connector = stage.database.connector().unwrap();
        let (planner, stores) = (stage.shop(), stage.stores());
        let ports = stores.ports(connector.as_ref(), &planner, &stage.heard);
        let error = trueup_execute::run(session.as_mut(), &ports, &request()).await.unwrap_err();
        assert!(error.to_string().contains("inside a transaction already"), "{error}");
        assert!(session.in_transaction());
    }
}

/// A lock that was held by somebody who reached nothing, over a schema that was changed by hand: what an earlier run recorded
/// says nothing of it.
#[tokio::test]
async fn a_wait_alone_is_no_peers_work() {
    for stage in Stage::all().await {
        waited_for_nothing(&stage, &stage.shop()).await;
    }
}

pub(crate) async fn waited_for_nothing(stage: &Stage, planner: &Written) {
    let label = stage.database.label();
    assert_eq!(stage.run(planner, &request()).await.unwrap().status, RunStatus::Synced, "{label}");
    let mut holder = stage.session().await;
    let key = LockKey::new(&holder.server().database, "", None);
    let clock = SystemClock::new();
    let wait = Wait { deadline: Duration::ZERO, clock: &clock, on_busy: &|_| {} };
    let held = acquire(holder.as_mut(), &key, &wait).await.unwrap();
    let request = request();
    let hold = async {
        while !stage.heard.all().iter().any(|event| matches!(event, Event::WaitingForLock { .. })) {
            clock.sleep(Duration::from_millis(20)).await;
        }
        holder.execute(&stage.sql("DROP TABLE posts")).await.unwrap();
        if holder.in_transaction() {
            holder.commit().await.unwrap();
        }
        held.release(holder.as_mut()).await.unwrap();
    };
    let (applied, ()) = tokio::join!(stage.run(planner, &request), hold);
    assert_eq!(applied.unwrap().status, RunStatus::Synced, "{label}");
}

#[tokio::test]
async fn racing_runs_do_the_work_once() {
    for stage in Stage::all().await {
        let planner = stage.shop();
        let request = request();
        let runs = [stage.run(&planner, &request), stage.run(&planner, &request), stage.run(&planner, &request)];
        let [one, two, three] = runs;
        let (one, two, three) = tokio::join!(one, two, three);
        let mut statuses = [one.unwrap().status, two.unwrap().status, three.unwrap().status].map(RunStatus::as_str);
        statuses.sort_unstable();
        assert_eq!(statuses.iter().filter(|status| **status == "synced").count(), 1, "{statuses:?}");
        assert!(statuses.contains(&"synced-by-peer"), "{statuses:?}");
        assert_eq!(stage.history().await.len(), 1);
        assert!(stage.heard.all().iter().any(|event| matches!(event, Event::WaitingForLock { .. })));
    }
}

/// In a cluster somebody may come through another node between the look and the taking.
#[tokio::test]
async fn a_lease_is_not_taken_from_whoever_came_since_the_look() {
    for stage in Stage::all().await {
        let label = stage.database.label();
        stage.run(&stage.shop(), &request()).await.unwrap();
        let mut session = stage.session().await;
        let namespace = default_control_namespace(stage.dialect).map(|name| Ident::new(name).unwrap());
        let table = LeaseTable::new(stage.dialect, &QualName::new(namespace, Ident::new(LOCK).unwrap()));
        let take = |run: &'static str, after| LeaseRequest {
            scope: "of this test",
            owner: "somebody",
            run,
            format: 1,
            time: Duration::from_secs(30),
            after,
        };
        let first = table.take(session.as_mut(), &take("first", Some(0))).await.unwrap();
        assert_eq!(first.epoch(), 1, "{label}");
        let late = table.take(session.as_mut(), &take("late", Some(0))).await.unwrap_err();
        assert!(matches!(late, LockError::Database { .. }), "{label}: {late}");
        let second = table.take(session.as_mut(), &take("second", Some(1))).await.unwrap();
        assert_eq!(second.epoch(), 2, "{label}");
        let late = table.take(session.as_mut(), &take("late", Some(1))).await.unwrap_err();
        assert!(matches!(late, LockError::Stolen { .. }), "{label}: {late}");
        second.check(session.as_mut()).await.unwrap();
        let third = table.take(session.as_mut(), &take("third", None)).await.unwrap();
        assert_eq!(third.epoch(), 3, "{label}");
    }
}
