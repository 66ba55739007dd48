//! What planning again says of the state that was reached.

use std::collections::BTreeMap;

use trueup_plan::{Change, CheckReport, OpId, Plan, Script};
use trueup_schema::ObjectRef;

use crate::{Applied, NewEntry, Prepared, Records, RunRequest, RunStatus, is_reached};

/// How a run ends.
pub(crate) struct Outcome {
    pub(crate) status: RunStatus,
    pub(crate) residual: Vec<OpId>,
    /// The plan that was carried out.
    plan: Plan,
    script: Script,
    /// What planning again found.
    pub(crate) after: Prepared,
}

/// The proof: planning again must find nothing but exactly what was held back. Objects become tracked only when the records
/// are written, so that taking one under management is no work that is left.
pub(crate) fn of_proof(plan: Plan, script: Script, after: Prepared) -> Outcome {
    let held_back = after.plan.held_back();
    let mut residual: Vec<OpId> = after
        .plan
        .operations
        .iter()
        .filter(|operation| !operation.held_back && !matches!(operation.change, Change::Adopt { .. }))
        .map(|operation| operation.id.clone())
        .collect();
    let refused = after.plan.refusals.iter().map(|refusal| {
        refusal.operation.clone().unwrap_or_else(|| OpId(format!("{}:{}", refusal.code, refusal.object)))
    });
    for id in refused.chain(held_back.symmetric_difference(&plan.held_back()).cloned()) {
        if !residual.contains(&id) {
            residual.push(id);
        }
    }
    let status = match (residual.is_empty(), held_back.is_empty()) {
        (false, _) => RunStatus::NotConverged,
        (true, true) => RunStatus::Synced,
        (true, false) => RunStatus::HeldBack,
    };
    if status == RunStatus::HeldBack {
        residual = held_back.into_iter().collect();
    }
    Outcome { status, residual, plan, script, after }
}

/// A plan in which there was nothing to run.
pub(crate) fn of_unchanged(prepared: Prepared) -> Outcome {
    let residual: Vec<OpId> = prepared.plan.held_back().into_iter().collect();
    let status = if residual.is_empty() { RunStatus::UpToDate } else { RunStatus::HeldBack };
    Outcome { status, residual, plan: prepared.plan.clone(), script: prepared.script.clone(), after: prepared }
}

fn words(ids: &[OpId]) -> Vec<String> {
    ids.iter().map(|id| id.0.clone()).collect()
}

impl Outcome {
    /// Whether the control tables say all of this already.
    pub(crate) fn is_recorded(&self, known: &Records, request: &RunRequest) -> bool {
        let Some(latest) = known.history.first() else { return false };
        let is_same_end = if self.status == RunStatus::UpToDate {
            is_reached(&latest.status)
        } else {
            latest.status == self.status.as_str() && latest.residual == words(&self.residual)
        };
        let mut pairs = self.after.pairs.clone();
        pairs.sort();
        pairs.dedup();
        is_same_end
            && !known.unfinished
            && latest.declared == self.after.declared
            && latest.run_key == request.run_key
            && known.hashes == self.tracked(Some(known))
            && known.tracked.pairs == pairs
    }

    /// What becomes tracked. Where work is left, what was tracked stays so: a drop that was held back is still ours.
    pub(crate) fn tracked(&self, known: Option<&Records>) -> BTreeMap<ObjectRef, String> {
        let mut tracked = match known {
            Some(known) if !self.residual.is_empty() => known.hashes.clone(),
            _ => BTreeMap::new(),
        };
        tracked.extend(self.after.tracked.clone());
        tracked
    }

    pub(crate) fn entry(&self, request: &RunRequest, duration_ms: i64) -> NewEntry {
        let ran = self.plan.operations.iter().filter(|operation| !operation.held_back);
        NewEntry {
            status: self.status.as_str(),
            declared: self.after.declared.clone(),
            live: self.after.live.clone(),
            run_key: request.run_key.clone(),
            duration_ms,
            applied_by: request.applied_by.clone(),
            environment: request.environment.clone(),
            source: request.source.clone(),
            note: request.note.clone(),
            operations: ran.map(|operation| operation.id.0.clone()).collect(),
            residual: words(&self.residual),
        }
    }

    pub(crate) fn into_applied(self, report: CheckReport) -> Applied {
        Applied {
            status: self.status,
            plan: Some(self.plan),
            script: Some(self.script),
            report,
            refusals: Vec::new(),
            residual: self.residual,
            statements: 0,
        }
    }
}
