//! What planning works on until the order is found.

use std::collections::BTreeSet;

use trueup_dialect::{Dialect, Verdict};
use trueup_plan::{Change, Class, DataCheck, Hazard, LiveFacts, LossProbe, OpId, Pair, Refusal, TxClass, Unmanaged};
use trueup_schema::{ObjectRef, Schema};

use crate::online::{Manner, Proof};

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
    /// Operations that what it drops is in the way of.
    pub(crate) before: BTreeSet<OpId>,
    /// What decided an ambiguous case.
    pub(crate) provenance: Option<String>,
    /// Kept back by safe mode.
    pub(crate) held_back: bool,
    /// How it is carried out.
    pub(crate) manner: Manner,
    /// Its place in the proof that a column has no NULL.
    pub(crate) proof: Option<Proof>,
}

impl Draft {
    /// A change that nothing is known of yet but how the engine carries it out. What the engine does not do is blocked.
    pub(crate) fn new(change: Change, verdict: Verdict, why: impl Into<String>) -> Self {
        let class = match &verdict {
            Verdict::Blocked { code, why, fix } => {
                Class::Blocked { code: (*code).to_owned(), why: why.clone(), fix: fix.clone() }
            }
            Verdict::InPlace | Verdict::Replace | Verdict::Rebuild => Class::Safe,
        };
        Self {
            change,
            verdict,
            class,
            why: why.into(),
            hazards: Vec::new(),
            checks: Vec::new(),
            loss: Vec::new(),
            cause: BTreeSet::new(),
            before: BTreeSet::new(),
            provenance: None,
            held_back: false,
            manner: Manner::Usual,
            proof: None,
        }
    }

    /// Its id.
    pub(crate) fn id(&self) -> OpId {
        OpId::of(&self.change)
    }

    /// How it stands to transactions.
    pub(crate) fn tx(&self, dialect: &dyn Dialect) -> TxClass {
        match self.manner {
            Manner::Usual | Manner::UsingIndex(_) => dialect.tx_class(&self.change),
            Manner::Concurrently => TxClass::Outside,
            Manner::Apart => TxClass::Alone,
        }
    }

    /// Whether it cannot be done.
    pub(crate) const fn is_blocked(&self) -> bool {
        matches!(self.class, Class::Blocked { .. })
    }
}

/// Everything that planning has found so far.
#[derive(Debug)]
pub(crate) struct DraftPlan<'a> {
    /// The engine.
    pub(crate) dialect: &'a dyn Dialect,
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
    /// Texts that a person says mean the same.
    pub(crate) accepted: Vec<Pair>,
    /// Live objects of modelled kinds that are not declared and not this run's to drop.
    pub(crate) undeclared: Vec<Unmanaged>,
}
