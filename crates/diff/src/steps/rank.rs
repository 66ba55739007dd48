//! Which of two changes comes first where no edge says so.

use trueup_plan::{Change, Object};
use trueup_schema::{ConstraintKind, ObjectRef};

/// The place of a change among those that nothing orders.
pub(super) fn rank(change: &Change) -> u8 {
    match change {
        Change::Drop { object } => rank_of_drop(object),
        Change::DropConstraint { constraint, .. } => match &constraint.kind {
            ConstraintKind::ForeignKey(_) => 2,
            ConstraintKind::PrimaryKey(_)
            | ConstraintKind::Unique(_)
            | ConstraintKind::Check { .. }
            | ConstraintKind::Exclude { .. } => 3,
        },
        Change::Rename { from, .. } => {
            if matches!(from, ObjectRef::Namespace(_)) {
                4
            } else {
                5
            }
        }
        Change::Create { object } => rank_of(&object.reference()),
        Change::AddConstraint { constraint, .. } | Change::ValidateConstraint { constraint, .. } => {
            match &constraint.kind {
                ConstraintKind::ForeignKey(_) => 13,
                ConstraintKind::PrimaryKey(_)
                | ConstraintKind::Unique(_)
                | ConstraintKind::Check { .. }
                | ConstraintKind::Exclude { .. } => 11,
            }
        }
        Change::SetComment { on, .. } | Change::SetGrants { on, .. } | Change::SetOwner { on, .. } => rank_of(on),
        Change::Adopt { .. }
        | Change::AlterNamespace { .. }
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
        | Change::AddColumn { .. }
        | Change::DropColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AlterConstraint { .. }
        | Change::AlterIndex { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. } => rank_of(&change.object()),
    }
}

const fn rank_of_drop(object: &Object) -> u8 {
    match object {
        Object::View(_) => 0,
        Object::Trigger(_) | Object::Policy(_) | Object::Opaque(_) => 1,
        Object::Index(_) => 3,
        Object::Table(_) => 20,
        Object::Routine(_) => 21,
        Object::Sequence(_) => 22,
        Object::Type(_) => 23,
        Object::Extension(_) => 24,
        Object::Namespace(_) => 25,
    }
}

/// Kinds kept as text: what columns and expressions may use, what stands between types and expressions, and what is about others.
fn rank_of_opaque(kind: &str) -> u8 {
    match kind {
        "collation" | "access method" | "language" | "foreign data wrapper" | "foreign server" => 9,
        "cast" | "transform" | "operator" | "operator family" | "operator class" => 14,
        _ if kind.starts_with("text search") => 9,
        _ => 16,
    }
}

/// Objects in the order in which they usually come to be.
fn rank_of(object: &ObjectRef) -> u8 {
    match object {
        ObjectRef::Namespace(_) => 6,
        ObjectRef::Extension(_) => 7,
        ObjectRef::Type(_) => 8,
        ObjectRef::Sequence(_) => 9,
        ObjectRef::Table(_) | ObjectRef::Column(_) => 10,
        ObjectRef::Constraint(_) => 11,
        ObjectRef::Index(_) => 12,
        ObjectRef::Routine(_) => 14,
        ObjectRef::View(_) => 15,
        ObjectRef::Trigger(_) | ObjectRef::Policy(_) => 16,
        ObjectRef::Opaque(id) => rank_of_opaque(&id.kind),
    }
}
