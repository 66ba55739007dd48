//! What a change does to those who use its object.

use trueup_plan::{AttributeChange, Change, Object};
use trueup_schema::ObjectRef;

use crate::Carries;

/// Whether the server refuses `change` while `dependent` is there, or takes the dependent away in silence, or leaves it stale.
pub(super) fn in_the_way(change: &Change, dependent: &ObjectRef) -> bool {
    match change {
        // A trigger, policy or rule is used by nobody.
        Change::Drop { object: Object::Trigger(_) | Object::Policy(_) } => false,
        // CASCADE is never written, and a dropped column takes indexes and constraints along in silence.
        Change::Drop { .. } | Change::DropColumn { .. } | Change::DropConstraint { .. } => true,
        Change::AlterColumnType { .. } => type_change(dependent),
        Change::RebuildEnum { .. } => enum_rebuild(dependent),
        // Only what reads the attribute by name, or stores values of its old type.
        Change::AlterComposite { change: AttributeChange::SetType { .. }, .. } => true,
        Change::AlterComposite { change: AttributeChange::Drop(_), .. } => matches!(
            dependent,
            ObjectRef::View(_) | ObjectRef::Routine(_) | ObjectRef::Policy(_) | ObjectRef::Opaque(_)
        ),
        Change::AlterComposite { change: AttributeChange::Add(_), .. }
        | Change::Create { .. }
        | Change::Rename { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::AlterDomain { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AlterTable { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
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

/// Indexes and constraints are carried over to the new type; whatever else reads the column stands in the way. A default is set again,
/// as it may not convert. Statistics are carried over without their target, and what they had gathered is lost all the same.
fn type_change(dependent: &ObjectRef) -> bool {
    match dependent {
        ObjectRef::View(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Column(_)
        | ObjectRef::Opaque(_) => true,
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_) => false,
    }
}

/// Labels inside expressions keep the old type, which then goes.
const fn enum_rebuild(dependent: &ObjectRef) -> bool {
    match dependent {
        ObjectRef::View(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Type(_)
        | ObjectRef::Opaque(_) => true,
        ObjectRef::Namespace(_) | ObjectRef::Extension(_) | ObjectRef::Sequence(_) | ObjectRef::Table(_) => false,
    }
}

/// The server keeps references by number: what it has parsed follows. Bodies that are text do not, and nothing tells here whether a
/// routine's is; replacing one too many is harmless.
pub(super) fn carries(rename: &Change, dependent: &ObjectRef) -> Carries {
    let column = matches!(rename, Change::Rename { from: ObjectRef::Column(_), .. });
    match dependent {
        ObjectRef::Routine(_) => Carries::Not,
        ObjectRef::View(_) if column => Carries::CarriedBut("the name of its own column"),
        ObjectRef::Constraint(_) => Carries::CarriedBut("its name"),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Column(_)
        | ObjectRef::Index(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => Carries::Carried,
    }
}
