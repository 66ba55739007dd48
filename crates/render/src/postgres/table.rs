//! Tables: made, dropped, and altered by lists of actions.

use trueup_plan::{Change, Statement};
use trueup_schema::{Column, PartId, PartitionOf, QualName, RowSecurity, Table, TableKind};

use super::words::{Rendered, ident, parameters, run, unsupported};
use super::{column, comment, constraint, index, sequence, table_options};
use crate::RenderError;
use crate::sql::{Sql, literal};

/// Actions of one ALTER TABLE, and the statements that must come before and after it.
#[derive(Default)]
pub(super) struct Actions {
    pub(super) before: Vec<Statement>,
    pub(super) actions: Vec<Sql>,
    pub(super) after: Vec<Statement>,
}

impl Actions {
    fn one(action: Sql) -> Self {
        Self { actions: vec![action], ..Self::default() }
    }

    fn many(actions: Vec<Sql>) -> Self {
        Self { actions, ..Self::default() }
    }

    /// The ALTER and what follows; nothing where there is no action.
    pub(super) fn statements(self, table: &QualName) -> Vec<Statement> {
        let mut statements = self.before;
        if !self.actions.is_empty() {
            statements.push(run(&Sql::new("ALTER TABLE").qualified(table).series(self.actions)));
        }
        statements.extend(self.after);
        statements
    }
}

/// What `change` is within an ALTER TABLE, for changes that are a part of one.
pub(super) fn actions(change: &Change) -> Result<Option<Actions>, RenderError> {
    Ok(Some(match change {
        Change::AddColumn { table, column: it, position: _ } => add_column(table, it)?,
        Change::DropColumn { column: it, .. } => Actions::one(Sql::new("DROP COLUMN").name(&it.name)),
        Change::AlterColumnType { after, using, .. } => Actions::one(column::set_type(after, using.as_ref())),
        Change::SetDefault { after, .. } => Actions::one(column::set_default(after)),
        Change::SetNotNull { table, before, after } if before.not_null => {
            Actions { after: column::rename_not_null(table, before, after)?, ..Actions::default() }
        }
        Change::SetNotNull { table, after, .. } => Actions::one(column::set_not_null(table, after)),
        Change::DropNotNull { after, .. } => Actions::one(column::drop_not_null(after)),
        Change::SetIdentity { table, before, after } => identity(table, before, after)?,
        Change::SetGenerated { before, after, .. } => Actions::one(column::set_generated(before, after)?),
        Change::SetColumnAttributes { before, after, .. } => {
            Actions::many(column::attributes(&before.attributes, after)?)
        }
        Change::AddConstraint { table, constraint: it } => {
            let after = comment::of_constraint(table, it);
            Actions { actions: vec![constraint::add(it)?], after, ..Actions::default() }
        }
        Change::DropConstraint { constraint: it, .. } => Actions::one(constraint::drop(it)?),
        Change::ValidateConstraint { constraint: it, .. } => Actions::one(constraint::validate(it)?),
        Change::AlterConstraint { before, after, .. } => Actions::one(constraint::alter(before, after)?),
        Change::SetRowSecurity { before, after, .. } => Actions::many(row_security(*before, *after)),
        Change::AlterTable { before, after } => Actions::many(table_options::actions(before, after)?),
        Change::Adopt { .. } => Actions::default(),
        Change::Create { .. }
        | Change::Drop { .. }
        | Change::Rename { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AlterIndex { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => return Ok(None),
    }))
}

fn add_column(table: &QualName, column: &Column) -> Result<Actions, RenderError> {
    let mut actions = vec![Sql::new("ADD COLUMN").column(column::definition(table, column))];
    actions.extend(column::attributes(&[].into(), column)?);
    let after = comment::of_column(table, &column.name, column.comment.as_deref());
    Ok(Actions { actions, after, ..Actions::default() })
}

/// Counting goes on where it was, whichever way.
fn identity(table: &QualName, before: &Column, after: &Column) -> Result<Actions, RenderError> {
    let counted = before.identity.is_none() && after.identity.is_some();
    let owner = PartId { table: table.clone(), name: after.name.clone() };
    let stops = before.identity.is_some() && after.identity.is_none();
    Ok(Actions {
        before: stops.then(|| sequence::keep_position(&owner)).into_iter().collect(),
        actions: column::set_identity(before, after)?,
        after: counted.then(|| sequence::resume(&owner)).into_iter().collect(),
    })
}

/// One ALTER TABLE for all of `changes`. The server sorts its actions itself: drops, types, defaults, constraints.
pub(super) fn merged(table: &QualName, changes: &[&Change]) -> Rendered {
    let mut all = Actions::default();
    for change in changes {
        let Some(part) = actions(change)? else {
            return Err(unsupported(change.kind(), "it is no part of an ALTER TABLE"));
        };
        all.before.extend(part.before);
        all.actions.extend(part.actions);
        all.after.extend(part.after);
    }
    Ok(all.statements(table))
}

/// The table with its columns, constraints and indexes, and what only an ALTER can add to it.
pub(super) fn create(table: &Table) -> Rendered {
    let mut statements = vec![run(&create_sql(table)?)];
    let mut then = Vec::new();
    for it in own_columns(table) {
        then.extend(column::attributes(&[].into(), it)?);
    }
    for it in table.constraints.iter().filter(|it| constraint::is_not_valid(it)) {
        then.push(constraint::add(it)?);
    }
    then.extend(row_security(RowSecurity::default(), table.row_security));
    statements.extend(Actions::many(then).statements(&table.name));
    for it in &table.indexes {
        statements.extend(index::create(&table.name, it)?);
    }
    if let Some(identity) = &table.options.replica_identity {
        let action = table_options::replica_identity(Some(identity))?;
        statements.extend(Actions::one(action).statements(&table.name));
    }
    Ok(statements)
}

/// Columns that the table does not have from a parent.
fn own_columns(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| !column.inherited && table.partition_of.is_none())
}

fn create_sql(table: &Table) -> Result<Sql, RenderError> {
    let options = &table.options;
    if options.strict || options.without_rowid || options.versioning.is_some() {
        return Err(unsupported(&table.name, "it has options of another engine"));
    }
    let head = match &table.kind {
        TableKind::Ordinary if options.unlogged => "CREATE UNLOGGED TABLE",
        TableKind::Ordinary => "CREATE TABLE",
        TableKind::Foreign { .. } => "CREATE FOREIGN TABLE",
        TableKind::Virtual { .. } => return Err(unsupported(&table.name, "there are no virtual tables")),
    };
    let mut sql = Sql::new(head).qualified(&table.name);
    let mut items: Vec<Sql> = match &table.partition_of {
        // What a partition says of its columns besides is said after it is there.
        Some(_) => Vec::new(),
        None => own_columns(table).map(|it| Sql::default().column(column::definition(&table.name, it))).collect(),
    };
    for it in table.constraints.iter().filter(|it| !constraint::is_not_valid(it)) {
        items.push(constraint::definition(it)?);
    }
    sql = match &table.partition_of {
        Some(of) => {
            let sql = sql.words("PARTITION OF").qualified(&of.parent);
            let sql = if items.is_empty() { sql } else { sql.list(items) };
            sql.expr(&of.bound)
        }
        None => sql.list(items),
    };
    if !table.inherits.is_empty() {
        sql = sql.words("INHERITS").list(table.inherits.iter().map(|parent| Sql::default().qualified(parent)));
    }
    if let Some(partitioning) = &table.partitioning {
        sql = sql.words("PARTITION BY").expr(&partitioning.by);
    }
    storage(sql, table)
}

/// The clauses behind the columns.
fn storage(mut sql: Sql, table: &Table) -> Result<Sql, RenderError> {
    let options = &table.options;
    if let TableKind::Foreign { server, options } = &table.kind {
        sql = sql.words("SERVER").name(server);
        if !options.is_empty() {
            let mut items = Vec::with_capacity(options.len());
            for (name, value) in options {
                items.push(Sql::default().name(&ident(name)?).words(literal(value)));
            }
            sql = sql.words("OPTIONS").list(items);
        }
    }
    if let Some(method) = &options.access_method {
        sql = sql.words("USING").name(method);
    }
    if !options.parameters.is_empty() {
        sql = parameters(sql.words("WITH"), &options.parameters)?;
    }
    if let Some(tablespace) = &options.tablespace {
        sql = sql.words("TABLESPACE").name(tablespace);
    }
    Ok(sql)
}

pub(super) fn drop(table: &Table) -> Rendered {
    let word = match &table.kind {
        TableKind::Ordinary => "DROP TABLE",
        TableKind::Foreign { .. } => "DROP FOREIGN TABLE",
        TableKind::Virtual { .. } => return Err(unsupported(&table.name, "there are no virtual tables")),
    };
    Ok(vec![run(&Sql::new(word).qualified(&table.name))])
}

pub(super) fn attach(table: &QualName, of: &PartitionOf) -> Rendered {
    let alter = Sql::new("ALTER TABLE").qualified(&of.parent);
    Ok(vec![run(&alter.words("ATTACH PARTITION").qualified(table).expr(&of.bound))])
}

pub(super) fn detach(table: &QualName, of: &PartitionOf) -> Rendered {
    let alter = Sql::new("ALTER TABLE").qualified(&of.parent);
    Ok(vec![run(&alter.words("DETACH PARTITION").qualified(table))])
}

fn row_security(before: RowSecurity, after: RowSecurity) -> Vec<Sql> {
    let mut actions = Vec::new();
    if before.enabled != after.enabled {
        let word = if after.enabled { "ENABLE ROW LEVEL SECURITY" } else { "DISABLE ROW LEVEL SECURITY" };
        actions.push(Sql::new(word));
    }
    if before.forced != after.forced {
        let word = if after.forced { "FORCE ROW LEVEL SECURITY" } else { "NO FORCE ROW LEVEL SECURITY" };
        actions.push(Sql::new(word));
    }
    actions
}
