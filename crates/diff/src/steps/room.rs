//! Cuts transactions that the server's lock table has no room for.

use std::collections::BTreeMap;

use trueup_dialect::{Dialect, LockTable};
use trueup_plan::{Change, LiveFacts, OpId, Operation, Segment};
use trueup_schema::ObjectRef;

/// What of the table one transaction may take: others need locks as well, and their number is an estimate.
const SHARE: u64 = 2;

/// The same steps in transactions that fit. Says in `notes` what was cut, since what was committed stays if a later one fails.
pub(super) fn cut(
    segments: Vec<Segment>,
    operations: &[Operation],
    dialect: &dyn Dialect,
    facts: &LiveFacts,
    notes: &mut Vec<String>,
) -> Vec<Segment> {
    let Some(table) = dialect.lock_table(facts) else { return segments };
    let changes: BTreeMap<&OpId, &Change> =
        operations.iter().map(|operation| (&operation.id, &operation.change)).collect();
    let mut cut = Vec::with_capacity(segments.len());
    for segment in segments {
        let steps: Vec<Vec<&Change>> = segment
            .steps
            .iter()
            .map(|step| step.operations.iter().filter_map(|id| changes.get(id).copied()).collect())
            .collect();
        let taken: Vec<u64> = steps.iter().map(|step| step.iter().map(|change| dialect.locks(change)).sum()).collect();
        let all: u64 = taken.iter().sum();
        if !segment.transactional || all <= table.entries / SHARE {
            cut.push(segment);
            continue;
        }
        let places = places(&steps, &taken, table.entries / SHARE);
        notes.push(note(all, table, places.len() + 1));
        let mut steps = segment.steps;
        let mut parts = Vec::with_capacity(places.len() + 1);
        for place in places.into_iter().rev() {
            parts.push(Segment { transactional: true, steps: steps.split_off(place) });
        }
        parts.push(Segment { transactional: true, steps });
        cut.extend(parts.into_iter().rev());
    }
    cut
}

fn note(all: u64, table: LockTable, parts: usize) -> String {
    let LockTable { entries, setting } = table;
    if parts == 1 {
        format!(
            "one transaction takes up to {all} of the server's {entries} locks: where it runs out of them, raise `{setting}`"
        )
    } else {
        format!(
            "one transaction would take up to {all} of the server's {entries} locks (`{setting}`): \
             this is carried out in {parts} transactions, each of which stays if a later one fails"
        )
    }
}

/// Before which steps a new transaction begins: as late as `room` allows, and never while something is dropped that comes again.
fn places(steps: &[Vec<&Change>], taken: &[u64], room: u64) -> Vec<usize> {
    let open = open(steps);
    let mut places = Vec::new();
    let (mut held, mut candidate) = (0, None);
    for at in 0..steps.len() {
        if at > 0 && !open[at] {
            candidate = Some(at);
        }
        held += taken[at];
        if held > room
            && let Some(place) = candidate.take()
        {
            places.push(place);
            held = taken[place..=at].iter().sum();
        }
    }
    places
}

/// Whether something is missing before each step that was there before the first and will be after the last.
fn open(steps: &[Vec<&Change>]) -> Vec<bool> {
    let mut gone: BTreeMap<ObjectRef, usize> = BTreeMap::new();
    let mut open = vec![false; steps.len() + 1];
    for (at, change) in steps.iter().enumerate().flat_map(|(at, step)| step.iter().map(move |change| (at, *change))) {
        if is_drop(change) {
            gone.entry(change.object()).or_insert(at);
        } else if let Some(since) = gone.remove(&change.object()) {
            open[since + 1..=at].fill(true);
        }
    }
    open
}

/// Defaults are taken away as well, for as long as the type changes.
fn is_drop(change: &Change) -> bool {
    matches!(change, Change::Drop { .. } | Change::DropColumn { .. } | Change::DropConstraint { .. })
        || matches!(change, Change::SetDefault { after, .. } if after.default.is_none())
}
