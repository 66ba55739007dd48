//! From a plan to something that may be executed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Change, CheckAnswer, CheckFinding, CheckReport, CheckRule, Class, OpId, Plan, Refusal, Script};

/// What a caller agrees to lose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consent {
    /// Nothing.
    #[default]
    None,
    /// Exactly these operations, of exactly this plan where a hash is given.
    Operations {
        /// The operations.
        ids: BTreeSet<OpId>,
        /// The plan's hash, for a consent that was written down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan_hash: Option<String>,
    },
    /// Every lossy operation.
    AllLosses,
    /// Every lossy operation, but only on a session marked as a branch.
    Rehearsal,
}

impl Consent {
    /// Whether it covers `id` of the plan with `plan_hash`.
    #[must_use]
    pub fn covers(&self, id: &OpId, plan_hash: &str) -> bool {
        match self {
            Self::None => false,
            Self::Operations { ids, plan_hash: bound } => {
                ids.contains(id) && bound.as_ref().is_none_or(|bound| bound == plan_hash)
            }
            Self::AllLosses | Self::Rehearsal => true,
        }
    }
}

/// A script that passed pre-flight. Only [`approve`] makes one.
#[derive(Debug, Clone)]
pub struct ApprovedScript {
    plan: Plan,
    script: Script,
    report: CheckReport,
    consent: Consent,
}

impl ApprovedScript {
    /// The plan behind it.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What to execute.
    #[must_use]
    pub const fn script(&self) -> &Script {
        &self.script
    }

    /// What the data checks found.
    #[must_use]
    pub const fn report(&self) -> &CheckReport {
        &self.report
    }

    /// What was agreed to.
    #[must_use]
    pub const fn consent(&self) -> &Consent {
        &self.consent
    }
}

/// Nothing will be done, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("refused: {}", refusals.iter().map(|refusal| refusal.why.as_str()).collect::<Vec<_>>().join("; "))]
pub struct Refused {
    /// Every reason.
    pub refusals: Vec<Refusal>,
}

/// Everything that stands between a plan and its execution: its own refusals, losses that `consent` does not cover, and what the rows
/// object to.
#[must_use]
pub fn objections(plan: &Plan, plan_hash: &str, report: &CheckReport, consent: &Consent) -> Vec<Refusal> {
    let mut refusals = plan.refusals.clone();
    for operation in plan.operations.iter().filter(|operation| !operation.held_back) {
        let lossy = match &operation.class {
            Class::Lossy { what } => Some(what),
            Class::Safe | Class::Guarded | Class::Blocked { .. } => None,
        };
        if let Some(what) = lossy
            && !consent.covers(&operation.id, plan_hash)
        {
            refusals.push(Refusal {
                code: "needs-consent".to_owned(),
                object: operation.change.object().to_string(),
                operation: Some(operation.id.clone()),
                why: format!("`{}` loses data: {what}", operation.id),
                fix: format!("agree with --allow-lossy={}, or with --allow-lossy for all", operation.id),
            });
        }
    }
    for finding in &report.checks {
        let (code, why, fix) = match &finding.answer {
            CheckAnswer::Passed | CheckAnswer::Skipped => continue,
            CheckAnswer::Violated { count, sample } => {
                let (why, fix) = violation(plan, finding, *count);
                let keys =
                    if sample.is_empty() { String::new() } else { format!(", for example {}", sample.join("; ")) };
                ("check-failed", format!("{why}{keys}"), fix)
            }
            CheckAnswer::Unknown { why } => {
                let why = format!("whether {} satisfies {} is not known: {why}", finding.table, finding.rule);
                ("check-unknown", why, UNASKED)
            }
        };
        refusals.push(Refusal {
            code: code.to_owned(),
            object: finding.table.clone(),
            operation: Some(finding.operation.clone()),
            why,
            fix: fix.to_owned(),
        });
    }
    refusals
}

/// What to do where no answer came.
const UNASKED: &str =
    "run again; where the rule names what only this plan makes, the statement itself asks the rows: --skip-data-checks";

/// What is wrong with `count` rows, and what to do about it.
fn violation(plan: &Plan, finding: &CheckFinding, count: u64) -> (String, &'static str) {
    let table = &finding.table;
    let is_one = count == 1;
    if let Some(operation) = plan.operation(&finding.operation)
        && let Change::AddColumn { column, .. } = &operation.change
        && operation.checks.iter().all(|check| check.rule == CheckRule::Empty)
    {
        let column = &column.name;
        let rows = if is_one { "1 row".to_owned() } else { format!("{count} rows") };
        let why = format!("{rows} of {table} would have no value for the new column `{column}`");
        return (why, "give it a default, let it take NULL, or say what these rows hold with a `backfill` hint");
    }
    let rule = &finding.rule;
    let why = if is_one {
        format!("1 row of {table} breaks the rule {rule}")
    } else {
        format!("{count} rows of {table} break the rule {rule}")
    };
    (why, "change these rows, or the declaration")
}

/// Lets a plan through if nothing is blocked, every data check passed and every loss has consent.
///
/// An answer `skipped` passes (the caller asked for it); `unknown` does not.
///
/// # Errors
/// [`Refused`] with every reason at once.
pub fn approve(plan: Plan, script: Script, report: CheckReport, consent: Consent) -> Result<ApprovedScript, Refused> {
    let refusals = objections(&plan, &script.plan_hash, &report, &consent);
    if refusals.is_empty() { Ok(ApprovedScript { plan, script, report, consent }) } else { Err(Refused { refusals }) }
}
