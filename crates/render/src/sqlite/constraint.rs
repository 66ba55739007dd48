//! Constraints.

use trueup_dialect::sqlite::attributes;
use trueup_schema::{Column, Constraint, ConstraintKind, Deferrable, FkAction, ForeignKey, Table};

use super::words::{on_conflict, parts, unsupported};
use crate::RenderError;
use crate::sql::Sql;

/// The constraint as a clause of its table.
pub(super) fn definition(table: &Table, constraint: &Constraint) -> Result<Sql, RenderError> {
    let sql = named(constraint);
    let sql = match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => parts(sql.words("PRIMARY KEY"), &key.columns),
        ConstraintKind::Unique(key) => parts(sql.words("UNIQUE"), &key.columns),
        ConstraintKind::Check { expr, .. } => sql.words("CHECK").parenthesised(expr),
        ConstraintKind::ForeignKey(key) => {
            let sql = references(sql.words("FOREIGN KEY").names(&key.columns), key);
            deferrable(sql, constraint.deferrable)
        }
        ConstraintKind::Exclude { .. } => return Err(unsupported(&table.name, "there are no exclusion constraints")),
    };
    Ok(on_conflict(sql, constraint.on_conflict.as_ref()))
}

fn named(constraint: &Constraint) -> Sql {
    match &constraint.name {
        Some(name) => Sql::new("CONSTRAINT").name(name),
        None => Sql::default(),
    }
}

fn references(sql: Sql, key: &ForeignKey) -> Sql {
    let sql = sql.words("REFERENCES").qualified(&key.references);
    let mut sql = if key.referenced_columns.is_empty() { sql } else { sql.names(&key.referenced_columns) };
    for (word, action) in [("ON DELETE", key.on_delete), ("ON UPDATE", key.on_update)] {
        if action != FkAction::NoAction {
            sql = sql.words(word).words(action.sql());
        }
    }
    match &key.match_type {
        Some(kind) => sql.words(format!("MATCH {kind}")),
        None => sql,
    }
}

fn deferrable(sql: Sql, when: Deferrable) -> Sql {
    match when {
        Deferrable::No => sql,
        Deferrable::InitiallyImmediate => sql.words("DEFERRABLE INITIALLY IMMEDIATE"),
        Deferrable::InitiallyDeferred => sql.words("DEFERRABLE INITIALLY DEFERRED"),
    }
}

/// The primary key where it stands at `column`: the only place for AUTOINCREMENT, and the customary one for a single column.
pub(super) fn inline_key(column: &Column, constraint: &Constraint) -> Option<Sql> {
    let ConstraintKind::PrimaryKey(key) = &constraint.kind else { return None };
    let [part] = key.columns.as_slice() else { return None };
    let same = part.column_name().is_some_and(|name| name.as_str().eq_ignore_ascii_case(column.name.as_str()));
    let written_at = constraint.parameters.get(attributes::WRITTEN_AT).map(String::as_str);
    // A descending key means another thing at its column.
    let fits =
        part.descending == (written_at == Some(attributes::AT_COLUMN)) && written_at != Some(attributes::AT_TABLE);
    if !same || !fits || part.collation.is_some() {
        return None;
    }
    let sql = named(constraint).words("PRIMARY KEY").words_if(part.descending, "DESC");
    Some(on_conflict(sql, constraint.on_conflict.as_ref()).words_if(column.auto_increment, "AUTOINCREMENT"))
}

/// The primary key of the table, AUTOINCREMENT and all, where it was declared there.
pub(super) fn table_key(table: &Table, constraint: &Constraint) -> Option<Sql> {
    let ConstraintKind::PrimaryKey(key) = &constraint.kind else { return None };
    let written_at = constraint.parameters.get(attributes::WRITTEN_AT).map(String::as_str);
    let name = key.columns.first()?.column_name()?;
    let increments = table.column(name).is_some_and(|column| column.auto_increment);
    if written_at != Some(attributes::AT_TABLE) || !increments {
        return None;
    }
    let sql = named(constraint).words("PRIMARY KEY").list([Sql::default().name(name).words("AUTOINCREMENT")]);
    Some(on_conflict(sql, constraint.on_conflict.as_ref()))
}
