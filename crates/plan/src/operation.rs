//! Operations, steps, segments and the plan.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use trueup_schema::{DialectId, Ident, ObjectRef, QualName, SqlExpr, Table, Trigger, View};

use crate::{Change, Class, DataCheck, Hazard, LossProbe, Pair, Predicate, Unmanaged};

/// Names an operation: `kind:path`, unique in a plan, independent of order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OpId(pub String);

impl fmt::Display for OpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl OpId {
    /// The id of `change`.
    #[must_use]
    pub fn of(change: &Change) -> Self {
        match change.detail() {
            Some(detail) => Self(format!("{}:{}:{detail}", change.kind(), change.object())),
            None => Self(format!("{}:{}", change.kind(), change.object())),
        }
    }
}

/// How an operation stands to transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TxClass {
    /// Inside one, with others.
    Inside,
    /// Never inside one.
    Outside,
    /// Inside one, but everything before it must be committed.
    CommitBefore,
    /// Inside one that must commit before anything that uses it.
    CommitAfter,
    /// In a transaction of its own.
    Alone,
}

/// How long an operation may wait and run, in milliseconds; `None` is without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budgets {
    /// For its locks.
    pub lock_ms: Option<u64>,
    /// For each of its statements.
    pub statement_ms: Option<u64>,
}

/// What tells a run that was cut off whether an operation happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// True before it ran.
    pub pre: Predicate,
    /// True after it ran.
    pub post: Predicate,
    /// True when it was cut off half-way, if that can happen.
    pub partial: Option<Predicate>,
}

/// A change with its cost, its reasons and its place in the order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Its name.
    pub id: OpId,
    /// What it does.
    pub change: Change,
    /// What it may cost.
    pub class: Class,
    /// Why it is in the plan, for a person.
    pub why: String,
    /// Warnings, most serious first.
    pub hazards: Vec<Hazard>,
    /// Questions to the rows.
    pub checks: Vec<DataCheck>,
    /// What to count to say how much is lost.
    pub loss: Vec<LossProbe>,
    /// Operations that must finish before this one starts.
    pub needs: BTreeSet<OpId>,
    /// The operations whose closure brought this one in: an unchanged view that must make way, say.
    pub cause: BTreeSet<OpId>,
    /// How it stands to transactions.
    pub tx: TxClass,
    /// Its time limits.
    pub budgets: Budgets,
    /// How to tell whether it happened.
    pub effects: Effects,
    /// Whether a later plan can undo it without loss.
    pub reversible: bool,
    /// What decided an ambiguous case: a hint, an empty table, a recorded pair.
    pub provenance: Option<String>,
    /// Work that safe mode keeps back. It is in no step.
    pub held_back: bool,
}

/// How a step is carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "form")]
pub enum StepForm {
    /// Statements for its operations, one after the other.
    Statements,
    /// One ALTER TABLE that carries all of its operations.
    Merged {
        /// The table, as it is.
        before: Box<Table>,
        /// The table, as it will be after this step.
        after: Box<Table>,
    },
    /// Create, copy, drop and rename of the table.
    Rebuild(Box<Rebuild>),
    /// One index, built or dropped beside readers and writers: outside of a transaction.
    Concurrently,
    /// One key, which takes over an index that is there.
    UsingIndex {
        /// The index, which gets the key's name.
        index: Ident,
    },
}

/// A table written anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebuild {
    /// The table as it is when the step starts.
    pub before: Table,
    /// The table as it will be, its indexes included.
    pub after: Table,
    /// Where each column that is copied comes from, in order of `after`.
    pub columns: Vec<ColumnSource>,
    /// The table's own triggers to bring back afterwards, as they will be.
    pub triggers: Vec<Trigger>,
    /// Triggers of other tables and views whose body names the table: dropped before and made again after.
    pub other_triggers: Vec<Trigger>,
    /// Views to compile afterwards.
    pub views: Vec<View>,
    /// The name of the table while it is filled.
    pub temporary: Ident,
    /// Tables with a unique key that compares otherwise than its columns do: what references one by it is an error to the engine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loose: Vec<QualName>,
}

/// Where a copied column's values come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSource {
    /// The column to fill.
    pub column: Ident,
    /// The value, over columns of the old table: its quoted name, a conversion, a backfill over it.
    pub value: SqlExpr,
}

/// Operations that are rendered together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its operations, in order.
    pub operations: Vec<OpId>,
    /// How it is carried out.
    pub form: StepForm,
    /// What its ALTER is foreseen to take, where that is known, and then what it may take where the engine refuses that. The statement
    /// asserts it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<Expected>,
}

/// What an engine is foreseen to do for an ALTER. Said in the statement, it is refused at once where the engine would do more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The algorithm, in the engine's word.
    pub algorithm: String,
    /// The lock, in the engine's word; none where the engine takes no word for it beside the algorithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
}

/// Steps that share a transaction, or one step that can have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Whether it runs in a transaction.
    pub transactional: bool,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// Why nothing will be done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Refusal {
    /// A stable word for the reason.
    pub code: String,
    /// The object it is about.
    pub object: String,
    /// The operation it is about, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OpId>,
    /// Why.
    pub why: String,
    /// What to do about it.
    pub fix: String,
}

/// Where a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanStatus {
    /// Nothing to do.
    UpToDate,
    /// Work to do.
    Pending,
    /// Something stands in the way.
    Refused,
    /// All that is left is what safe mode keeps back.
    HeldBack,
}

impl PlanStatus {
    /// The word in output and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UpToDate => "up-to-date",
            Self::Pending => "pending",
            Self::Refused => "refused",
            Self::HeldBack => "held-back",
        }
    }
}

/// A full plan: what to do, in which order, at what cost, and what stands in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The engine.
    pub dialect: DialectId,
    /// Fingerprint of what the plan touches or reads, before.
    pub from: String,
    /// Fingerprint of the declared schema.
    pub to: String,
    /// Every operation, in the order of execution, those held back last.
    pub operations: Vec<Operation>,
    /// How they are grouped.
    pub segments: Vec<Segment>,
    /// What stands in the way. Blocked operations are listed here as well.
    pub refusals: Vec<Refusal>,
    /// Live objects that trueup leaves alone.
    pub unmanaged: Vec<Unmanaged>,
    /// What a person should know: directives that were skipped, equalities that rest on recorded pairs.
    pub notes: Vec<String>,
    /// Objects that become tracked by this plan's success.
    pub adopts: Vec<ObjectRef>,
    /// Texts that a person says mean the same, which this plan's success records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Pair>,
}

/// A plan that has no bytes to hash.
#[derive(Debug, thiserror::Error)]
#[error("the plan cannot be written as JSON")]
pub struct PlanHashError(#[source] serde_json::Error);

impl Plan {
    /// FNV-1a 64 over the plan's compact JSON, as sixteen hex digits. A saved plan read again has the same hash.
    ///
    /// # Errors
    /// [`PlanHashError`] if a part of the plan cannot be written.
    pub fn hash(&self) -> Result<String, PlanHashError> {
        let bytes = serde_json::to_vec(self).map_err(PlanHashError)?;
        Ok(format!("{:016x}", trueup_snapshot::fnv1a64(&bytes)))
    }

    /// Where the plan stands.
    #[must_use]
    pub fn status(&self) -> PlanStatus {
        if !self.refusals.is_empty() {
            return PlanStatus::Refused;
        }
        match (self.operations.is_empty(), self.operations.iter().all(|operation| operation.held_back)) {
            (true, _) => PlanStatus::UpToDate,
            (false, true) => PlanStatus::HeldBack,
            (false, false) => PlanStatus::Pending,
        }
    }

    /// The operation called `id`.
    #[must_use]
    pub fn operation(&self, id: &OpId) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == *id)
    }

    /// Ids of what safe mode keeps back.
    #[must_use]
    pub fn held_back(&self) -> BTreeSet<OpId> {
        self.operations.iter().filter(|operation| operation.held_back).map(|operation| operation.id.clone()).collect()
    }

    /// Tables that some operation touches.
    #[must_use]
    pub fn tables(&self) -> BTreeSet<QualName> {
        self.operations.iter().filter_map(|operation| operation.change.table()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_step_is_part_of_a_saved_plan() {
        let index = Ident::new("u").unwrap();
        for (form, json) in [
            (StepForm::Concurrently, r#"{"form":"concurrently"}"#),
            (StepForm::UsingIndex { index }, r#"{"form":"using-index","index":"u"}"#),
        ] {
            assert_eq!(serde_json::to_string(&form).unwrap(), json);
            assert_eq!(serde_json::from_str::<StepForm>(json).unwrap(), form);
        }
    }
}
