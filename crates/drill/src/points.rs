//! The points of a run at which it is hit, found in the trace of a run that went well.

use crate::job::{Call, CallKind, When};

/// A named point: its name and the calls that it stands for.
pub(crate) struct Point {
    pub(crate) name: &'static str,
    pub(crate) places: Vec<(usize, When)>,
}

/// Every point of a run before its recovery: before the lock, after it, before the intent, after it, during a statement,
/// after it, before the done mark, after it, before the proof, before the history, before the release.
pub(crate) fn points(trace: &[Call]) -> Vec<Point> {
    let lock = first(trace, is_lock);
    let lease = first(trace, is_lease);
    let steps = all(trace, |call| is_step(call, trace));
    let intents = all(trace, |call| is_mark(call, "intent"));
    let dones = all(trace, |call| is_mark(call, "done"));
    let last = steps.last().copied().unwrap_or_default();
    let proof = (last..trace.len()).find(|at| trace.get(*at).is_some_and(is_catalog));
    let history =
        trace.iter().rposition(|call| call.sql.contains("INSERT INTO") && call.sql.contains("_trueup_history"));
    let release = trace.iter().rposition(is_release);
    let commits = all(trace, |call| call.kind == CallKind::Commit);
    let before = |places: &[usize]| places.iter().map(|at| (*at, When::Before)).collect::<Vec<_>>();
    let after = |places: &[usize]| places.iter().map(|at| (*at, When::After)).collect::<Vec<_>>();
    let during = steps
        .iter()
        .flat_map(|at| {
            let micros = trace.get(*at).map_or(0, |call| call.micros);
            [10, 50, 90].map(|percent| (*at, When::During(micros * percent / 100)))
        })
        .collect();
    // Without marks of its own a step is undone or done with its transaction: what comes next is the commit.
    let ends: Vec<usize> =
        if dones.is_empty() { commits.iter().copied().filter(|at| *at > last).collect() } else { dones };
    let begins = if intents.is_empty() { after(&lease.into_iter().collect::<Vec<_>>()) } else { before(&intents) };
    vec![
        Point { name: "K0", places: before(&lock.into_iter().collect::<Vec<_>>()) },
        Point { name: "K1", places: after(&lock.into_iter().collect::<Vec<_>>()) },
        Point { name: "K2", places: begins },
        Point { name: "K3", places: before(&steps) },
        Point { name: "K4", places: during },
        Point { name: "K5", places: after(&steps) },
        Point { name: "K6", places: before(&ends) },
        Point { name: "K7", places: after(&ends) },
        Point { name: "K8", places: before(&proof.into_iter().collect::<Vec<_>>()) },
        Point { name: "K9", places: before(&history.into_iter().collect::<Vec<_>>()) },
        Point { name: "K10", places: before(&release.into_iter().collect::<Vec<_>>()) },
    ]
}

fn first(trace: &[Call], is: impl Fn(&Call) -> bool) -> Option<usize> {
    trace.iter().position(is)
}

fn all(trace: &[Call], is: impl Fn(&Call) -> bool) -> Vec<usize> {
    trace.iter().enumerate().filter(|(_, call)| is(call)).map(|(at, _)| at).collect()
}

fn is_lock(call: &Call) -> bool {
    call.sql.contains("pg_try_advisory_lock") || call.sql.contains("GET_LOCK(") || call.kind == CallKind::Begin
}

/// The statement that takes the lease.
fn is_lease(call: &Call) -> bool {
    call.sql.contains("_trueup_lock") && call.sql.contains("acquired_at") && !call.sql.contains("CREATE TABLE")
}

fn is_mark(call: &Call, state: &str) -> bool {
    call.sql.starts_with("UPDATE") && call.sql.contains("_trueup_ledger") && call.first == state
}

/// Whether a call is one of the plan's own statements: after the lease, and none of what surrounds them.
fn is_step(call: &Call, trace: &[Call]) -> bool {
    let lease = trace.iter().position(is_lease).unwrap_or(trace.len());
    let at = trace.iter().position(|other| std::ptr::eq(other, call)).unwrap_or_default();
    at > lease
        && call.kind == CallKind::Execute
        && !call.sql.contains("_trueup_")
        && !["SET ", "PRAGMA "].iter().any(|word| call.sql.starts_with(word))
}

fn is_catalog(call: &Call) -> bool {
    call.kind == CallKind::Query
        && ["pg_catalog", "information_schema", "sqlite_schema", "sqlite_master"]
            .iter()
            .any(|word| call.sql.contains(word))
        && !call.sql.contains("_trueup_")
}

fn is_release(call: &Call) -> bool {
    call.sql.contains("pg_advisory_unlock") || call.sql.contains("RELEASE_LOCK") || call.kind == CallKind::Commit
}
