//! What each change is in SQL.

use trueup_dialect::sqlite::written;
use trueup_plan::{Change, Object, Statement};
use trueup_schema::{Ident, ObjectRef, QualName, Trigger, View};

use super::table;
use super::words::{Rendered, run, unsupported};
use crate::sql::Sql;

/// The statements of one change.
pub(super) fn change(change: &Change) -> Rendered {
    match change {
        Change::Create { object } => create(object),
        Change::Drop { object } => drop(object),
        Change::Rename { from, to, .. } => rename(from, to),
        Change::Adopt { .. } => Ok(Vec::new()),
        Change::AddColumn { table, column, position: _ } => table::add_column(table, column),
        Change::DropColumn { table, column } => {
            Ok(vec![run(&Sql::new("ALTER TABLE").qualified(table).words("DROP COLUMN").name(&column.name))])
        }
        Change::Backfill { table, column, value } => {
            let sql = Sql::new("UPDATE").qualified(table).words("SET").name(&column.name).words("=");
            Ok(vec![run(&sql.parenthesised(value).words("WHERE").name(&column.name).words("IS NULL"))])
        }
        Change::AlterIndex { table, before, after } => {
            let drop = run(&Sql::new("DROP INDEX").name(&before.name));
            Ok(vec![drop, table::create_index(table, after)])
        }
        Change::ReplaceView { before, after } | Change::AlterView { before, after } => {
            Ok(vec![drop_view(&before.name), create_view(after)])
        }
        Change::AlterTable { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ValidateConstraint { .. }
        | Change::AlterConstraint { .. } => Err(unsupported(change.kind(), "it takes a rebuild of the table")),
        Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => Err(unsupported(change.kind(), "SQLite has nothing like it")),
    }
}

fn create(object: &Object) -> Rendered {
    match object {
        Object::Table(it) => table::create(it),
        Object::View(view) => Ok(vec![create_view(view)]),
        Object::Index(it) => Ok(vec![table::create_index(&it.table, &it.index)]),
        Object::Trigger(trigger) => Ok(vec![create_trigger(trigger)]),
        Object::Namespace(_)
        | Object::Extension(_)
        | Object::Type(_)
        | Object::Sequence(_)
        | Object::Routine(_)
        | Object::Policy(_)
        | Object::Opaque(_) => Err(unsupported(object.reference(), "SQLite has nothing like it")),
    }
}

fn drop(object: &Object) -> Rendered {
    let statement = match object {
        Object::Table(table) => run(&Sql::new("DROP TABLE").qualified(&table.name)),
        Object::View(view) => drop_view(&view.name),
        Object::Index(it) => run(&Sql::new("DROP INDEX").name(&it.index.name)),
        Object::Trigger(trigger) => run(&Sql::new("DROP TRIGGER").name(&trigger.id.name)),
        Object::Namespace(_)
        | Object::Extension(_)
        | Object::Type(_)
        | Object::Sequence(_)
        | Object::Routine(_)
        | Object::Policy(_)
        | Object::Opaque(_) => return Err(unsupported(object.reference(), "SQLite has nothing like it")),
    };
    Ok(vec![statement])
}

fn drop_view(name: &QualName) -> Statement {
    run(&Sql::new("DROP VIEW").qualified(name))
}

fn create_view(view: &View) -> Statement {
    if let (true, Some(source)) = (written::says_view(view), &view.source) {
        return Statement::run(source.trim_end().trim_end_matches(';'));
    }
    let sql = Sql::new("CREATE VIEW").qualified(&view.name);
    let sql = if view.columns.is_empty() { sql } else { sql.names(view.columns.iter().map(|column| &column.name)) };
    run(&sql.words("AS").expr(&view.query))
}

/// The statement that makes a trigger.
pub(super) fn create_trigger(trigger: &Trigger) -> Statement {
    match &trigger.source {
        Some(source) if written::says_trigger(trigger) => Statement::run(source.trim_end().trim_end_matches(';')),
        Some(_) | None => run(&Sql::default().expr(&trigger.definition)),
    }
}

fn rename(from: &ObjectRef, to: &ObjectRef) -> Rendered {
    match (from, to) {
        (ObjectRef::Table(from), ObjectRef::Table(to)) => Ok(rename_table(from, to)),
        (ObjectRef::Column(from), ObjectRef::Column(to)) => Ok(vec![rename_column(&from.table, &from.name, &to.name)]),
        (from, _) => Err(unsupported(from, "it is dropped and made again")),
    }
}

/// SQLite takes a name that differs in letter case alone for one that is taken.
fn rename_table(from: &QualName, to: &QualName) -> Vec<Statement> {
    let rename = |from: &QualName, to: &QualName| {
        run(&Sql::new("ALTER TABLE").qualified(from).words("RENAME TO").name(&to.name))
    };
    if from.name.as_str().eq_ignore_ascii_case(to.name.as_str())
        && let Ok(between) =
            Ident::new(format!("trueup_{:08x}", trueup_schema::fnv1a64(to.name.as_str().as_bytes()) >> 32))
    {
        let between = to.sibling(between);
        return vec![rename(from, &between), rename(&between, to)];
    }
    vec![rename(from, to)]
}

pub(super) fn rename_column(table: &QualName, from: &Ident, to: &Ident) -> Statement {
    run(&Sql::new("ALTER TABLE").qualified(table).words("RENAME COLUMN").name(from).words("TO").name(to))
}
