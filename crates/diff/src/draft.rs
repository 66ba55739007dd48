//! What planning works on until the order is found.

use std::collections::BTreeSet;

use trueup_dialect::{Dialect, Verdict};
use trueup_plan::{
    Change, Class, DataCheck, Hazard, LiveFacts, LossProbe, OpId, PlanOptions, Refusal, Unmanaged,
};
use trueup_schema::{ObjectRef, Schema};

/// One change with its verdict and cost, not yet placed.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    /// The change.
    pub(crate) change: Change,
    /// How the engine carries it out.
    pub(crate) verdict: Verdict,
    /// What it may cost.
    pub(crate) class: Class,
    /// Why it is there.
    pub(crate) why: String,
    /// Warnings.
    pub(crate) hazards: Vec<Hazard>,
    /// Questions to the rows.
    pub(crate) checks: Vec<DataCheck>,
    /// What to count.
    pub(crate) loss: Vec<LossProbe>,
    /// The operations whose closure brought it in; empty for what the declaration asks for.
    pub(crate) cause: BTreeSet<OpId>,
    /// What decided an ambiguous case.
    pub(crate) provenance: Option<String>,
    /// Kept back by safe mode.
    pub(crate) held_back: bool,
}

/// Everything that planning has found so far.
#[derive(Debug)]
pub(crate) struct DraftPlan<'a> {
    /// The engine.
    pub(crate) dialect: &'a dyn Dialect,
    /// The caller's choices.
    pub(crate) options: &'a PlanOptions,
    /// The live schema under its names of today.
    pub(crate) live: &'a Schema,
    /// The live schema with hinted renames carried through: what `live` will look like after the rename operations.
    pub(crate) projected: Schema,
    /// The declared schema.
    pub(crate) desired: &'a Schema,
    /// What else is known of the database.
    pub(crate) facts: &'a LiveFacts,
    /// Live objects that trueup leaves alone.
    pub(crate) unmanaged: &'a [Unmanaged],
    /// The changes.
    pub(crate) drafts: Vec<Draft>,
    /// What stands in the way.
    pub(crate) refusals: Vec<Refusal>,
    /// What a person should know.
    pub(crate) notes: Vec<String>,
    /// Objects that become tracked.
    pub(crate) adopts: Vec<ObjectRef>,
}
