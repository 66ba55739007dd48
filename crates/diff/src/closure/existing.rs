//! Drafts of the comparison that are about a dependent.

use std::collections::BTreeMap;

use trueup_plan::{Change, Class, unnamed_constraint};
use trueup_schema::{ObjectRef, PartId};

use super::dependents::Dependent;
use crate::draft::Draft;

/// What a draft does to the dependent that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Takes it away for good, or for its new definition.
    Drops,
    /// Makes it.
    Creates,
    /// Alters it or something on it: of no use once it is made anew.
    Alters,
    /// Something that is done to it all the same, before it is dropped.
    Stays,
}

/// Drafts by the dependent that they are about.
pub(super) fn existing(drafts: &[Draft]) -> BTreeMap<Dependent, Vec<(usize, Does)>> {
    let mut found = BTreeMap::<_, Vec<_>>::new();
    for (at, draft) in drafts.iter().enumerate() {
        for (dependent, does) in about(&draft.change) {
            found.entry(dependent).or_default().push((at, does));
        }
    }
    found
}

fn about(change: &Change) -> Vec<(Dependent, Does)> {
    let object = |does| vec![(Dependent::Object(change.object()), does)];
    match change {
        Change::Create { object: made } => {
            let mut about = object(Does::Creates);
            about.extend(view_of_index(&made.reference()));
            about
        }
        Change::Drop { object: dropped } => {
            let mut about = object(Does::Drops);
            about.extend(view_of_index(&dropped.reference()));
            about
        }
        Change::Rename { .. } | Change::Adopt { .. } => object(Does::Stays),
        Change::AddColumn { .. } => column(change, Does::Creates),
        Change::DropColumn { .. } => column(change, Does::Drops),
        Change::AlterColumnType { .. } => typed(change),
        Change::SetDefault { before, after, .. } => {
            let does = match (&before.default, &after.default) {
                (_, None) => Does::Drops,
                (None, Some(_)) => Does::Creates,
                (Some(_), Some(_)) => Does::Alters,
            };
            let mut about = default_of(change, does);
            about.extend(object(Does::Alters));
            about
        }
        Change::AddConstraint { constraint, table } if constraint.name.is_none() => {
            vec![(Dependent::Unnamed(table.clone(), unnamed_constraint(constraint)), Does::Creates)]
        }
        Change::DropConstraint { constraint, table } if constraint.name.is_none() => {
            vec![(Dependent::Unnamed(table.clone(), unnamed_constraint(constraint)), Does::Drops)]
        }
        Change::AlterConstraint { before, table, .. } if before.name.is_none() => {
            vec![(Dependent::Unnamed(table.clone(), unnamed_constraint(before)), Does::Alters)]
        }
        Change::AddConstraint { .. } => object(Does::Creates),
        Change::DropConstraint { .. } => object(Does::Drops),
        Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AlterTable { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
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
        | Change::SetOwner { .. } => object(Does::Alters),
    }
}

/// An index of a materialized view goes and comes with the view.
fn view_of_index(object: &ObjectRef) -> Option<(Dependent, Does)> {
    if let ObjectRef::Index(part) = object {
        Some((Dependent::Object(ObjectRef::View(part.table.clone())), Does::Alters))
    } else {
        None
    }
}

fn part(change: &Change) -> Option<PartId> {
    if let ObjectRef::Column(part) = change.object() { Some(part) } else { None }
}

/// Whatever happens to a column happens to its default and to its use of a type.
fn column(change: &Change, does: Does) -> Vec<(Dependent, Does)> {
    let mut about = typed_as(change, does);
    about.extend(default_of(change, does));
    about.push((Dependent::Object(change.object()), does));
    about
}

fn typed(change: &Change) -> Vec<(Dependent, Does)> {
    let mut about = typed_as(change, Does::Alters);
    about.push((Dependent::Object(change.object()), Does::Alters));
    about
}

fn typed_as(change: &Change, does: Does) -> Vec<(Dependent, Does)> {
    part(change).map(|part| (Dependent::Typed(part), does)).into_iter().collect()
}

fn default_of(change: &Change, does: Does) -> Vec<(Dependent, Does)> {
    part(change).map(|part| (Dependent::Default(part), does)).into_iter().collect()
}

/// The dearer of two classes.
pub(super) fn dearer(a: Class, b: Class) -> Class {
    const fn weight(class: &Class) -> u8 {
        match class {
            Class::Safe => 0,
            Class::Guarded => 1,
            Class::Lossy { .. } => 2,
            Class::Blocked { .. } => 3,
        }
    }
    if weight(&b) > weight(&a) { b } else { a }
}
