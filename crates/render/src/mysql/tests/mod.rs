//! What the folder says, word by word.

mod changes;
mod checks;
mod every;
mod merged;
mod objects;

use trueup_schema::Parameters;

use trueup_plan::{Change, Statement};
use trueup_schema::{Column, Constraint, ConstraintKind, DataType, Ident, IndexPart, Key, QualName, SqlExpr, Table};

use super::{Flavour, MYSQL, MySql};
use crate::mariadb::MARIADB;
use crate::renderer::Renderer;

/// A name that breaks out of careless quotes.
const HOSTILE: &str = "a`; DROP TABLE t; -- '\"\\";

fn ident(text: &str) -> Ident {
    Ident::new(text).unwrap()
}

fn name(text: &str) -> QualName {
    QualName::parse(text).unwrap()
}

fn column(name: &str, words: &str) -> Column {
    Column::new(ident(name), DataType::builtin(words))
}

fn with(mut column: Column, attributes: &[(&str, &str)]) -> Column {
    column.attributes = map(attributes);
    column
}

fn map(items: &[(&str, &str)]) -> Parameters {
    items.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn table(columns: Vec<Column>) -> Table {
    Table { columns, ..Table::new(name("shop.t")) }
}

fn key(columns: &[&str]) -> Key {
    Key {
        columns: columns.iter().map(|name| IndexPart::column(ident(name))).collect(),
        include: Vec::new(),
        nulls_not_distinct: false,
        without_overlaps: false,
    }
}

fn primary_key(columns: &[&str]) -> Constraint {
    Constraint::new(None, ConstraintKind::PrimaryKey(key(columns)))
}

fn check(name: &str, expr: &str, column: Option<&str>) -> Constraint {
    let kind = ConstraintKind::Check { expr: SqlExpr::new(expr), no_inherit: false, column: column.map(ident) };
    Constraint::new(Some(ident(name)), kind)
}

fn text(statements: Vec<Statement>) -> String {
    statements.into_iter().map(|statement| statement.sql).collect::<Vec<_>>().join(";\n")
}

/// The statements of a change, one a line.
fn sql(flavour: &'static Flavour, change: &Change) -> String {
    text(MySql(flavour).change(change).unwrap())
}

fn mysql(change: &Change) -> String {
    sql(&MYSQL, change)
}

fn mariadb(change: &Change) -> String {
    sql(&MARIADB, change)
}

fn merged(flavour: &'static Flavour, before: &Table, after: &Table, changes: &[Change]) -> String {
    let changes: Vec<&Change> = changes.iter().collect();
    text(MySql(flavour).merged(before, after, &changes, &[]).unwrap())
}
