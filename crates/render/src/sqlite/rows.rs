//! Copies the rows of a table.

use std::collections::BTreeMap;

use trueup_dialect::sqlite::rowid;
use trueup_plan::{Rebuild, Statement};
use trueup_schema::{Column, Ident, SqlExpr, Table};

use super::words::{quoted, relation};
use crate::sql::expr;

/// Names by which a row's number can be had, unless a column has the name.
const ROW_NUMBERS: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// The statement that fills the new table. `renamed` are columns that have their new names already, by their old ones.
pub(super) fn copy(rebuild: &Rebuild, renamed: &BTreeMap<Ident, Ident>) -> Statement {
    let mut into = Vec::new();
    let mut values = Vec::new();
    if let Some((to, from)) = row_number(rebuild) {
        into.push(to.to_owned());
        values.push(from.to_owned());
    }
    for source in &rebuild.columns {
        into.push(quoted(&source.column));
        values.push(expr(&follow(&source.value, renamed)));
    }
    let (temporary, table) = (quoted(&rebuild.temporary), relation(&rebuild.before.name));
    if into.is_empty() {
        // Nothing of the old rows stays but that they are rows.
        let first = rebuild.after.columns.iter().find(|column| column.generated.is_none());
        into.extend(first.map(|column| quoted(&column.name)));
        values.push(first.and_then(|column| column.default.as_ref()).map_or_else(|| "NULL".to_owned(), expr));
    }
    Statement::run(format!("INSERT INTO {temporary} ({}) SELECT {} FROM {table}", into.join(", "), values.join(", ")))
}

/// How the row's number is called in the new and in the old table, where it is to be carried: search indexes over a table know rows by it,
/// and where no column holds it, it would change.
fn row_number(rebuild: &Rebuild) -> Option<(&'static str, &'static str)> {
    if rebuild.before.options.without_rowid || rebuild.after.options.without_rowid {
        return None;
    }
    let filled = |column: &Column| rebuild.columns.iter().any(|source| source.column == column.name);
    if rowid::column(&rebuild.after).is_some_and(filled) {
        return None;
    }
    let free = |table: &Table| {
        let is_column = |name: &str| table.columns.iter().any(|column| column.name.as_str().eq_ignore_ascii_case(name));
        ROW_NUMBERS.into_iter().find(|name| !is_column(name))
    };
    Some((free(&rebuild.after)?, free(&rebuild.before)?))
}

/// The value with columns under the names that they have now.
fn follow(value: &SqlExpr, renamed: &BTreeMap<Ident, Ident>) -> SqlExpr {
    if renamed.is_empty() {
        return value.clone();
    }
    let now = |name: &str| renamed.iter().find(|(old, _)| old.as_str().eq_ignore_ascii_case(name)).map(|(_, new)| new);
    let mut text = String::new();
    for token in trueup_dialect::sqlite::split(value.as_str()) {
        match token.name().as_deref().and_then(now) {
            Some(new) => text.push_str(&quoted(new)),
            None => text.push_str(&token.text),
        }
    }
    SqlExpr(text)
}
