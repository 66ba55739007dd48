//! A draft becomes a plan.

use std::collections::BTreeSet;

use trueup_plan::{Desired, Effects, Live, Operation, Plan, Predicate, Segment, Step, StepForm};

use crate::draft::{Draft, DraftPlan};

/// Adds whatever must make way for a change.
pub(crate) const fn close(_: &mut DraftPlan<'_>) {}

/// Puts the drafts into the order in which they were found, one step each.
pub(crate) fn arrange(draft: DraftPlan<'_>, live: &Live, desired: &Desired) -> Plan {
    let operations: Vec<Operation> = draft.drafts.iter().map(|each| operation(&draft, each)).collect();
    let steps = operations
        .iter()
        .filter(|each| !each.held_back)
        .map(|each| Step { operations: vec![each.id.clone()], form: StepForm::Statements });
    let segments =
        vec![Segment { transactional: draft.dialect.capabilities().transactional_ddl, steps: steps.collect() }];
    let mut unmanaged = live.unmanaged.clone();
    unmanaged.extend(draft.undeclared);
    Plan {
        dialect: draft.dialect.id(),
        from: live.snapshot.root().to_string(),
        to: desired.snapshot.root().to_string(),
        operations,
        segments,
        refusals: draft.refusals,
        unmanaged,
        notes: draft.notes,
        adopts: draft.adopts,
    }
}

fn operation(plan: &DraftPlan<'_>, draft: &Draft) -> Operation {
    let is_new = draft.change.table().is_some_and(|table| !plan.projected.tables.contains_key(&table));
    Operation {
        id: draft.id(),
        change: draft.change.clone(),
        class: draft.class.clone(),
        why: draft.why.clone(),
        hazards: draft.hazards.clone(),
        checks: draft.checks.clone(),
        loss: draft.loss.clone(),
        needs: BTreeSet::new(),
        cause: draft.cause.clone(),
        tx: plan.dialect.tx_class(&draft.change),
        budgets: plan.dialect.budgets(&draft.change, is_new),
        effects: Effects { pre: Predicate::Undecidable, post: Predicate::Undecidable, partial: None },
        reversible: false,
        provenance: draft.provenance.clone(),
        held_back: draft.held_back,
    }
}
