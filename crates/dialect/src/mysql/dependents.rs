//! What a change does to those who use its object.

use trueup_plan::{Change, Object};
use trueup_schema::{Ident, ObjectRef, QualName};

use super::names::is_numbered;
use crate::Carries;

/// Whether the server refuses `change` while `dependent` is there, or takes the dependent away in silence.
///
/// Views, routines, events and triggers look names up when they run: they are never in the way, and a view whose table changed under it
/// reads the table as it is then.
pub(crate) fn in_the_way(change: &Change, dependent: &ObjectRef) -> bool {
    match change {
        // A multi-column index would lose the column in silence; whatever computes with it is refused.
        Change::DropColumn { .. } => is_part(dependent),
        // Both ends of a foreign key have one type: it goes first and comes back last.
        Change::AlterColumnType { .. } => may_be_foreign_key(dependent),
        Change::DropConstraint { .. } | Change::Drop { object: Object::Index(_) } => may_be_foreign_key(dependent),
        Change::Drop { object: Object::Table(table) } => {
            hangs_on(dependent, &table.name) || may_be_foreign_key(dependent)
        }
        Change::Drop { object: Object::Sequence(_) } => matches!(dependent, ObjectRef::Column(_)),
        Change::Drop { .. }
        | Change::Create { .. }
        | Change::Rename { .. }
        | Change::Adopt { .. }
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

/// Whether it is a part of a table.
const fn is_part(dependent: &ObjectRef) -> bool {
    match dependent {
        ObjectRef::Column(_) | ObjectRef::Constraint(_) | ObjectRef::Index(_) => true,
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => false,
    }
}

/// The reference alone does not say what sort of constraint it is. A name that the server gives to checks is a check's; any other
/// may be a foreign key's, and to make a check again is harmless.
fn may_be_foreign_key(dependent: &ObjectRef) -> bool {
    match dependent {
        ObjectRef::Constraint(part) => !is_check_name(&part.table.name, &part.name),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Column(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => false,
    }
}

fn is_check_name(table: &Ident, name: &Ident) -> bool {
    is_numbered(name, &super::names::check_stem(table)) || is_numbered(name, "CONSTRAINT_")
}

/// Triggers vanish with their table.
fn hangs_on(dependent: &ObjectRef, table: &QualName) -> bool {
    matches!(dependent, ObjectRef::Trigger(part) if part.table == *table)
}

/// Keys, indexes and foreign keys follow every rename, and the table's own triggers follow their table. Whatever is text does not.
pub(crate) fn carries(rename: &Change, dependent: &ObjectRef) -> Carries {
    let of_column = matches!(rename, Change::Rename { from: ObjectRef::Column(_), .. });
    // Refused under a check, a generated column or a default.
    let refused = match dependent {
        ObjectRef::Constraint(part) => !is_numbered(&part.name, &super::names::key_stem(&part.table.name)),
        ObjectRef::Column(_) => true,
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => false,
    };
    if of_column && refused { Carries::Not } else { rest(rename, dependent) }
}

/// What both flavours do.
pub(crate) fn rest(rename: &Change, dependent: &ObjectRef) -> Carries {
    match dependent {
        ObjectRef::Trigger(part) => {
            let own = matches!(rename, Change::Rename { from: ObjectRef::Table(table), .. } if part.table == *table);
            let moved = matches!(rename, Change::Rename { to: ObjectRef::Table(table), .. } if part.table == *table);
            if own || moved { Carries::Carried } else { Carries::Not }
        }
        ObjectRef::View(_) | ObjectRef::Routine(_) | ObjectRef::Opaque(_) => Carries::Not,
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Policy(_) => Carries::Carried,
    }
}
