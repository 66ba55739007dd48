//! The column that is another name for the number of a row.

use trueup_plan::Change;
use trueup_schema::{Column, ConstraintKind, DialectId, SqlExpr, Table};

use super::attributes::{AT_COLUMN, WRITTEN_AT};
use crate::Tables;

/// The column that is another name for the row's number: the only one of the primary key, declared INTEGER.
#[must_use]
pub fn column(table: &Table) -> Option<&Column> {
    let key = table.primary_key()?;
    let [part] = key.columns.as_slice() else { return None };
    let column = table.columns.iter().find(|column| {
        part.column_name().is_some_and(|name| name.as_str().eq_ignore_ascii_case(column.name.as_str()))
    })?;
    let is_integer = column.data_type.to_string().eq_ignore_ascii_case("INTEGER");
    // Declared in descending order at the column it is an ordinary key.
    let written_at = table.constraints.iter().find_map(|constraint| constraint.parameters.get(WRITTEN_AT));
    let is_plain = written_at.map(String::as_str) != Some(AT_COLUMN);
    (is_integer && is_plain && !table.options.without_rowid).then_some(column)
}

/// What a column of today must hold to become the number of its row: whole numbers, or texts that are written as one.
pub(super) fn demands(change: &Change, tables: Tables<'_>) -> Vec<SqlExpr> {
    let is_key = matches!(change, Change::AddConstraint { constraint, .. } if matches!(constraint.kind, ConstraintKind::PrimaryKey(_)));
    let is_type =
        |column: &Column| matches!(change, Change::AlterColumnType { after, .. } if after.name == column.name);
    let was = tables.before.and_then(column);
    let is_new = |column: &&Column| (is_key || is_type(column)) && was.is_none_or(|was| was.name != column.name);
    let Some(column) = tables.after.and_then(column).filter(is_new) else { return Vec::new() };
    let name = column.name.quoted(DialectId::Sqlite);
    vec![SqlExpr(format!(
        "{name} IS NULL OR CASE typeof({name}) WHEN 'integer' THEN 1 WHEN 'real' THEN {name} = CAST({name} AS INTEGER) \
         WHEN 'text' THEN {name} = CAST(CAST({name} AS INTEGER) AS TEXT) ELSE 0 END"
    ))]
}
