//! One change, by kind.

use trueup_plan::Change;
use trueup_schema::{QualName, Schema};

use super::error::InterpretError;
use super::find::{routine, table, view};
use crate::inherit;

use super::{attach, columns, objects, rename, tables, types};

/// Applies `change` to `schema` as the engine would.
///
/// Parts that an engine takes along go along: indexes, triggers, policies and owned sequences of a dropped table, sequences that a
/// dropped column owns. SQL texts are not looked into.
///
/// # Errors
/// [`InterpretError`] if what the change is about is not there, or what it makes is there already. The schema may then be half
/// changed.
pub fn interpret(schema: &mut Schema, change: &Change) -> Result<(), InterpretError> {
    let parent = reshaped(change).and_then(|name| schema.tables.get(name)).cloned();
    apply(schema, change)?;
    if let Some(before) = parent {
        inherit::carry(schema, change, &before);
    }
    Ok(())
}

/// The table that the change gives other columns, or other parents: its heirs feel it.
const fn reshaped(change: &Change) -> Option<&QualName> {
    if let Change::AddColumn { table, .. }
    | Change::DropColumn { table, .. }
    | Change::AlterColumnType { table, .. }
    | Change::SetDefault { table, .. }
    | Change::SetNotNull { table, .. }
    | Change::DropNotNull { table, .. }
    | Change::SetIdentity { table, .. }
    | Change::SetGenerated { table, .. }
    | Change::SetColumnAttributes { table, .. } = change
    {
        Some(table)
    } else if let Change::AlterTable { after, .. } = change {
        Some(&after.name)
    } else {
        None
    }
}

fn apply(schema: &mut Schema, change: &Change) -> Result<(), InterpretError> {
    match change {
        Change::Create { object } => objects::create(schema, object),
        Change::Drop { object } => objects::drop(schema, object),
        Change::Rename { from, to, .. } => rename::rename(schema, from, to),
        Change::Adopt { object } => objects::is_there(schema, object),
        Change::AlterNamespace { after, .. } => types::alter_namespace(schema, after),
        Change::AlterExtension { after, .. } => types::alter_extension(schema, after),
        Change::AddEnumValue { name, value, position } => types::add_label(schema, name, value, position),
        Change::RebuildEnum { after, columns, .. } => types::rebuild_enum(schema, after, columns),
        Change::AlterDomain { name, change } => types::alter_domain(schema, name, change),
        Change::AlterComposite { name, change } => types::alter_composite(schema, name, change),
        Change::AlterSequence { after, .. } => types::alter_sequence(schema, after),
        Change::SetSequenceOwner { name, after, .. } => types::own_sequence(schema, name, after.as_ref()),
        Change::AlterTable { after, .. } => tables::alter(schema, after),
        Change::AttachPartition { table: name, partition_of } => {
            table(schema, name).map(|table| table.partition_of = Some(partition_of.clone()))
        }
        Change::DetachPartition { table: name, .. } => table(schema, name).map(|table| table.partition_of = None),
        Change::SetRowSecurity { table: name, after, .. } => {
            table(schema, name).map(|table| table.row_security = *after)
        }
        Change::AddColumn { table, column, position } => columns::add(schema, table, column, position),
        Change::DropColumn { table, column } => columns::drop(schema, table, &column.name),
        Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. } => columns::alter(schema, change),
        Change::MoveColumn { table, column, position } => columns::shift(schema, table, &column.name, position),
        Change::Backfill { table, column, .. } => columns::is_there(schema, table, &column.name),
        Change::AddConstraint { table, constraint } => tables::add_constraint(schema, table, constraint),
        Change::DropConstraint { table, constraint } => tables::drop_constraint(schema, table, constraint),
        Change::ValidateConstraint { table, constraint } => tables::validate(schema, table, constraint),
        Change::AlterConstraint { table, before, after } => tables::alter_constraint(schema, table, before, after),
        Change::AlterIndex { table, after, .. } => tables::alter_index(schema, table, after),
        Change::ReplaceView { after, .. } => objects::replace_view(schema, after),
        Change::AlterView { after, .. } => view(schema, &after.name).map(|view| {
            view.options.clone_from(&after.options);
            view.columns.clone_from(&after.columns);
        }),
        Change::ReplaceRoutine { after, .. } => {
            let found = routine(schema, &after.id)?;
            let common = std::mem::take(&mut found.common);
            *found = after.clone();
            found.common = trueup_schema::Common { depends_on: after.common.depends_on.clone(), ..common };
            Ok(())
        }
        Change::SetTriggerEnabled { after, .. } => {
            objects::trigger(schema, &after.id).map(|trigger| trigger.enabled.clone_from(&after.enabled))
        }
        Change::AlterPolicy { after, .. } => objects::alter_policy(schema, after),
        Change::AlterOpaque { after, .. } => objects::alter_opaque(schema, after),
        Change::SetComment { on, after, .. } => attach::comment(schema, on, after.as_deref()),
        Change::SetGrants { on, after, .. } => attach::grants(schema, on, after.as_deref()),
        Change::SetOwner { on, after, .. } => attach::owner(schema, on, after),
    }
}
