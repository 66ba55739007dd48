//! The one gate in front of everything that is not additive.

use std::collections::BTreeSet;

use trueup_dialect::{Dialect, TypeChange, Verdict};
use trueup_plan::{Change, Class, LiveFacts, Object};
use trueup_schema::{Constraint, ConstraintKind, Dependency, Ident, IndexPart, ObjectRef, PartId, QualName};

use crate::draft::Draft;
use crate::hints::{qualified, table_of};
use crate::online;

/// Marks what safe mode keeps back, and what cannot be without it.
pub(crate) fn hold_back(drafts: &mut [Draft], dialect: &dyn Dialect, facts: &LiveFacts) {
    for draft in drafts.iter_mut() {
        draft.held_back = is_kept_back(draft, dialect, facts);
    }
    loop {
        let (gone, missing) = held(drafts);
        let mut changed = false;
        for draft in drafts.iter_mut().filter(|draft| !draft.held_back) {
            let object = draft.change.object();
            let makes =
                matches!(draft.change, Change::Create { .. } | Change::AddColumn { .. } | Change::AddConstraint { .. });
            if (makes && is_taken(&gone, &object)) || needs(draft, &missing) {
                draft.held_back = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn is_kept_back(draft: &Draft, dialect: &dyn Dialect, facts: &LiveFacts) -> bool {
    if matches!(draft.class, Class::Lossy { .. }) || draft.verdict == Verdict::Rebuild {
        return true;
    }
    if is_own(&draft.change) {
        return false;
    }
    match &draft.change {
        Change::Drop { .. }
        | Change::DropColumn { .. }
        | Change::DropConstraint { .. }
        | Change::RebuildEnum { .. }
        | Change::DetachPartition { .. } => true,
        Change::AlterColumnType { before, after, using, .. } => {
            !matches!(dialect.type_change(before, after, using.as_ref(), facts), TypeChange::Keeps { .. })
        }
        Change::Create { .. }
        | Change::Rename { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AlterTable { .. }
        | Change::AttachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::AddColumn { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AddConstraint { .. }
        | Change::ValidateConstraint { .. }
        | Change::AlterConstraint { .. }
        | Change::AlterIndex { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => false,
    }
}

/// Whether it takes away what a run made for its own time.
fn is_own(change: &Change) -> bool {
    matches!(change, Change::Drop { .. } | Change::DropConstraint { .. })
        && matches!(change.object(), ObjectRef::Index(part) | ObjectRef::Constraint(part) if online::is_own_name(&part.name))
}

/// Objects that stay although they should go, and objects that are not as they should be.
fn held(drafts: &[Draft]) -> (BTreeSet<ObjectRef>, BTreeSet<ObjectRef>) {
    let (mut gone, mut missing) = (BTreeSet::new(), BTreeSet::new());
    for draft in drafts.iter().filter(|draft| draft.held_back) {
        let object = draft.change.object();
        let change = &draft.change;
        if matches!(change, Change::Drop { .. } | Change::DropColumn { .. } | Change::DropConstraint { .. }) {
            gone.insert(object);
        } else if matches!(change, Change::Create { .. } | Change::AddColumn { .. } | Change::AlterColumnType { .. }) {
            missing.insert(object);
        }
    }
    (gone, missing)
}

/// Whether a thing that stays has the name. Tables, views, types and sequences share one name space.
fn is_taken(gone: &BTreeSet<ObjectRef>, object: &ObjectRef) -> bool {
    let Some(name) = qualified(object) else { return gone.contains(object) };
    let kinds = [ObjectRef::Table, ObjectRef::View, ObjectRef::Type, ObjectRef::Sequence];
    kinds.into_iter().any(|make| gone.contains(&make(name.clone())))
}

/// Whether the draft is about, part of or built on something that is missing.
fn needs(draft: &Draft, missing: &BTreeSet<ObjectRef>) -> bool {
    let column = |table: &QualName, name: &Ident| {
        missing.contains(&ObjectRef::Column(PartId { table: table.clone(), name: name.clone() }))
    };
    let uses = |list: &[Dependency]| list.iter().any(|each| missing.contains(&each.on));
    let object = draft.change.object();
    let holder = table_of(&object);
    let is_homeless = holder.is_some_and(|name| {
        let (table, view) = (ObjectRef::Table(name.clone()), ObjectRef::View(name.clone()));
        (table != object && missing.contains(&table)) || (view != object && missing.contains(&view))
    });
    let is_set_on_missing = matches!(
        draft.change,
        Change::SetComment { .. }
            | Change::SetGrants { .. }
            | Change::SetOwner { .. }
            | Change::Backfill { .. }
            | Change::SetNotNull { .. }
            | Change::SetDefault { .. }
            | Change::SetRowSecurity { .. }
            | Change::SetSequenceOwner { .. }
    ) && missing.contains(&object);
    if is_homeless || is_set_on_missing {
        return true;
    }
    if let Change::Create { object: Object::Index(index) } = &draft.change {
        let names = index.index.parts.iter().filter_map(IndexPart::column_name);
        return uses(&index.index.depends_on)
            || names.chain(&index.index.include).any(|name| column(&index.table, name));
    }
    if let Change::Create { object } = &draft.change {
        return uses(object.depends_on());
    }
    if let Change::AddConstraint { table, constraint } = &draft.change {
        return uses(&constraint.depends_on) || constraint_columns(constraint).any(|name| column(table, name));
    }
    if let Change::AddColumn { column, .. } = &draft.change {
        let named = column.data_type.type_name().cloned().map(ObjectRef::Type);
        return uses(&column.depends_on) || named.is_some_and(|user_type| missing.contains(&user_type));
    }
    if let Change::ReplaceView { after, .. } = &draft.change {
        return uses(&after.common.depends_on);
    }
    if let Change::ReplaceRoutine { after, .. } = &draft.change {
        return uses(&after.common.depends_on);
    }
    matches!(&draft.change, Change::SetDefault { after, .. } if uses(&after.depends_on))
}

fn constraint_columns(constraint: &Constraint) -> Box<dyn Iterator<Item = &Ident> + '_> {
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
            Box::new(key.columns.iter().filter_map(IndexPart::column_name).chain(&key.include))
        }
        ConstraintKind::ForeignKey(key) => Box::new(key.columns.iter()),
        ConstraintKind::Check { .. } | ConstraintKind::Exclude { .. } => Box::new(std::iter::empty()),
    }
}
