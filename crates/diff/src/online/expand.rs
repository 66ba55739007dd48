//! Every draft in the form that leaves readers and writers alone.

use std::collections::BTreeSet;

use trueup_dialect::Online;
use trueup_plan::{Change, Object, OpId, Refusal};
use trueup_schema::{ConstraintKind, ObjectRef, PartId, QualName};

use super::ground::Ground;
use super::manner::Proof;
use crate::draft::{Draft, DraftPlan};
use crate::graph::Stage;

/// The drafts so far.
pub(super) struct Expansion<'a> {
    pub(super) ground: Ground<'a>,
    pub(super) drafts: Vec<Draft>,
    /// Live indexes that are as wanted, and stay.
    pub(super) reused: BTreeSet<PartId>,
    /// Checks that prove that a column has no NULL, with the column.
    pub(super) proofs: Vec<(PartId, PartId)>,
    /// Indexes of partitioned tables, with what is attached to them.
    pub(super) attached: Vec<(QualName, OpId)>,
    /// Whether an index is built outside of a transaction.
    pub(super) builds: bool,
}

/// Puts every draft of `plan` into the form that leaves readers and writers alone, on engines where that is another one.
pub(crate) fn expand(plan: &mut DraftPlan<'_>) {
    let online = plan.dialect.capabilities().online;
    if online == Online::Same {
        return;
    }
    let drafts = std::mem::take(&mut plan.drafts);
    let mut expansion = Expansion {
        ground: Ground::of(plan, &drafts),
        drafts: Vec::with_capacity(drafts.len()),
        reused: BTreeSet::new(),
        proofs: Vec::new(),
        attached: Vec::new(),
        builds: false,
    };
    for draft in drafts {
        expansion.take(draft);
    }
    let builds = expansion.builds;
    plan.drafts = expansion.finish();
    if builds && online == Online::Corrupts {
        plan.refusals.push(corrupts());
    }
}

fn corrupts() -> Refusal {
    Refusal {
        code: "online-corrupts".to_owned(),
        object: "server".to_owned(),
        operation: None,
        why: "this version of the server may leave rows out of an index that is built beside writers".to_owned(),
        fix: "update the server to a later minor version, or plan without --online".to_owned(),
    }
}

impl Expansion<'_> {
    fn take(&mut self, draft: Draft) {
        let change = draft.change.clone();
        if let Change::Create { object: Object::Index(index) } = &change {
            self.create_index(draft, index);
        } else if let Change::Drop { object: Object::Index(index) } = &change {
            self.drop_index(draft, index);
        } else if let Change::AddConstraint { table, constraint } = &change {
            match &constraint.kind {
                ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
                    self.add_key(draft, table, constraint, key);
                }
                ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) => self.add_rule(draft, table, constraint),
                ConstraintKind::Exclude { .. } => self.drafts.push(draft),
            }
        } else if let Change::ValidateConstraint { table, .. } = &change {
            self.validate(draft, table);
        } else if let Change::SetNotNull { table, before, after } = &change {
            self.set_not_null(draft, table, before, after);
        } else {
            self.drafts.push(draft);
        }
    }

    /// A primary key would look at the rows for what is not proven yet.
    fn keys_after_proofs(&mut self) {
        let mut keys: Vec<(OpId, PartId)> = Vec::new();
        for draft in &self.drafts {
            if let Change::AddConstraint { table, constraint } = &draft.change
                && let ConstraintKind::PrimaryKey(key) = &constraint.kind
            {
                let columns = key.columns.iter().filter_map(|part| part.column_name());
                keys.extend(columns.map(|name| (draft.id(), PartId { table: table.clone(), name: name.clone() })));
            }
        }
        for draft in &mut self.drafts {
            let Some(Proof { column, stage: Stage::NotNull }) = &draft.proof else { continue };
            draft.before.extend(keys.iter().filter(|(_, part)| part == column).map(|(id, _)| id.clone()));
        }
    }

    fn finish(mut self) -> Vec<Draft> {
        let is_reused = |draft: &Draft| {
            matches!((&draft.change, draft.change.object()), (Change::Drop { .. }, ObjectRef::Index(part))
                if self.reused.contains(&part))
        };
        self.drafts.retain(|draft| !is_reused(draft));
        self.keys_after_proofs();
        for draft in &mut self.drafts {
            let object = draft.change.object();
            if let (Change::DropConstraint { .. }, ObjectRef::Constraint(part)) = (&draft.change, &object)
                && let Some((_, column)) = self.proofs.iter().find(|(check, _)| check == part)
            {
                draft.proof = Some(Proof { column: column.clone(), stage: Stage::Proven });
            }
            if let (Change::Create { .. }, ObjectRef::Index(part)) = (&draft.change, &object) {
                let name = part.table.sibling(part.name.clone());
                draft
                    .before
                    .extend(self.attached.iter().filter(|(parent, _)| *parent == name).map(|(_, id)| id.clone()));
            }
        }
        self.drafts
    }
}
