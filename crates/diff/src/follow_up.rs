//! Drafts that planning adds to those of the comparison: whatever makes way for a change, and parts that cannot stay inside.

use std::collections::BTreeSet;

use trueup_dialect::Tables;
use trueup_plan::{Change, Class, OpId};

use crate::draft::{Draft, DraftPlan};
use crate::online::Manner;

impl DraftPlan<'_> {
    /// A draft that costs nothing but what the engine forecasts.
    pub(crate) fn follow_up(&self, change: Change, why: String, cause: BTreeSet<OpId>) -> Draft {
        let table = change.table();
        let tables = Tables {
            before: table.as_ref().and_then(|name| self.projected.tables.get(name)),
            after: table.as_ref().and_then(|name| self.desired.tables.get(name)),
        };
        let is_new = tables.before.is_none() && tables.after.is_some();
        Draft {
            verdict: self.dialect.verdict(&change, tables),
            class: Class::Safe,
            why,
            hazards: self.dialect.forecast(&change, is_new, self.facts),
            checks: Vec::new(),
            loss: Vec::new(),
            cause,
            before: BTreeSet::new(),
            provenance: None,
            held_back: false,
            manner: Manner::Usual,
            proof: None,
            change,
        }
    }
}
