//! The one gate in front of everything that is not additive.

use std::collections::BTreeSet;

use trueup_dialect::{Dialect, TypeChange, Verdict};
use trueup_plan::{Change, Class, LiveFacts, Object};
use trueup_schema::{Dependency, ObjectRef, PartId, QualName};

use crate::draft::Draft;

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
            let waits = match &draft.change {
                // A name that stays taken.
                Change::Create { .. } | Change::AddColumn { .. } | Change::AddConstraint { .. } => {
                    is_taken(&gone, &object)
                }
                _ => false,
            };
            if waits || needs(draft, &missing) {
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
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => false,
    }
}

/// Objects that stay although they should go, and objects that are not as they should be.
fn held(drafts: &[Draft]) -> (BTreeSet<ObjectRef>, BTreeSet<ObjectRef>) {
    let (mut gone, mut missing) = (BTreeSet::new(), BTreeSet::new());
    for draft in drafts.iter().filter(|draft| draft.held_back) {
        let object = draft.change.object();
        match &draft.change {
            Change::Drop { .. } | Change::DropColumn { .. } | Change::DropConstraint { .. } => {
                gone.insert(object);
            }
            Change::Create { .. } | Change::AddColumn { .. } | Change::AlterColumnType { .. } => {
                missing.insert(object);
            }
            _ => {}
        }
    }
    (gone, missing)
}

/// Whether a thing that stays has the name. Tables, views, types and sequences share one name space.
fn is_taken(gone: &BTreeSet<ObjectRef>, object: &ObjectRef) -> bool {
    match object {
        ObjectRef::Table(name) | ObjectRef::View(name) | ObjectRef::Type(name) | ObjectRef::Sequence(name) => {
            [ObjectRef::Table, ObjectRef::View, ObjectRef::Type, ObjectRef::Sequence]
                .into_iter()
                .any(|make| gone.contains(&make(name.clone())))
        }
        _ => gone.contains(object),
    }
}

/// Whether the draft is about, part of or built on something that is missing.
fn needs(draft: &Draft, missing: &BTreeSet<ObjectRef>) -> bool {
    let object = draft.change.object();
    let column = |table: &QualName, name: &trueup_schema::Ident| {
        missing.contains(&ObjectRef::Column(PartId { table: table.clone(), name: name.clone() }))
    };
    let uses = |list: &[Dependency]| list.iter().any(|each| missing.contains(&each.on));
    let own_create_held = missing.contains(&object);
    match &draft.change {
        Change::Create { object: Object::Index(index) } => {
            let names = index.index.parts.iter().filter_map(trueup_schema::IndexPart::column_name);
            let mut names = names.chain(&index.index.include);
            uses(&index.index.depends_on)
                || missing.contains(&ObjectRef::View(index.table.clone()))
                || names.any(|name| column(&index.table, name))
        }
        Change::Create { object: created } => {
            let held_by = draft.change.table().map(ObjectRef::Table).filter(|table| *table != object);
            let on_view = match &object {
                ObjectRef::Trigger(id) => missing.contains(&ObjectRef::View(id.table.clone())),
                _ => false,
            };
            uses(created.depends_on()) || on_view || held_by.is_some_and(|table| missing.contains(&table))
        }
        Change::AddConstraint { table, constraint } => {
            uses(&constraint.depends_on) || constraint_columns(constraint).any(|name| column(table, name))
        }
        Change::ReplaceView { after, .. } => uses(&after.common.depends_on),
        Change::ReplaceRoutine { after, .. } => uses(&after.common.depends_on),
        Change::AddColumn { column, .. } => {
            let named = column.data_type.type_name().cloned().map(ObjectRef::Type);
            uses(&column.depends_on) || named.is_some_and(|user_type| missing.contains(&user_type))
        }
        Change::SetDefault { after, .. } => own_create_held || uses(&after.depends_on),
        Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. }
        | Change::Backfill { .. }
        | Change::SetNotNull { .. }
        | Change::SetSequenceOwner { .. } => own_create_held,
        _ => false,
    }
}

fn constraint_columns(constraint: &trueup_schema::Constraint) -> Box<dyn Iterator<Item = &trueup_schema::Ident> + '_> {
    use trueup_schema::ConstraintKind;
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
            Box::new(key.columns.iter().filter_map(trueup_schema::IndexPart::column_name).chain(&key.include))
        }
        ConstraintKind::ForeignKey(key) => Box::new(key.columns.iter()),
        ConstraintKind::Check { .. } | ConstraintKind::Exclude { .. } => Box::new(std::iter::empty()),
    }
}
