//! Compares what was cut by hand with what SQLite's own grammar reads.

use std::collections::BTreeSet;

use sqlite3_parser::ast::{Cmd, ColumnConstraint, CreateTableBody, Stmt, TabFlags, TableConstraint};
use sqlite3_parser::lexer::sql::Parser;
use sqlite3_parser::{Bump, FallibleIterator as _};
use trueup_schema::{ConstraintKind, Table};

use super::{GrammarError, Text};

/// What is counted in a table's statement.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outline {
    columns: Vec<String>,
    primary_keys: usize,
    uniques: usize,
    checks: usize,
    references: usize,
    defaults: BTreeSet<usize>,
    generated: BTreeSet<usize>,
    without_rowid: bool,
    strict: bool,
}

/// Compares `table` with its text. A text that the grammar does not know (a newer SQLite's) is taken as it was cut.
pub(super) fn table(sql: &str, table: &Table) -> Result<(), GrammarError> {
    let bump = Bump::new();
    let mut parser = Parser::new(&bump, sql.as_bytes());
    let Ok(Some(Cmd::Stmt(Stmt::CreateTable { body, .. }))) = parser.next() else { return Ok(()) };
    let Some(read) = outline(&body) else { return Ok(()) };
    let cut = outline_of(table);
    if read == cut { Ok(()) } else { Err(GrammarError::Disagrees { what: format!("{read:?} or {cut:?}") }) }
}

/// Compares the number of parts of an index with its text.
pub(super) fn parts(sql: &str, cut: usize) -> Result<(), GrammarError> {
    let bump = Bump::new();
    let mut parser = Parser::new(&bump, sql.as_bytes());
    let Ok(Some(Cmd::Stmt(Stmt::CreateIndex { columns, .. }))) = parser.next() else { return Ok(()) };
    let read = columns.len();
    if read == cut { Ok(()) } else { Err(GrammarError::Disagrees { what: format!("{read} or {cut} parts") }) }
}

fn outline(body: &CreateTableBody<'_>) -> Option<Outline> {
    let CreateTableBody::ColumnsAndConstraints { columns, constraints, flags } = body else { return None };
    let mut found = Outline {
        without_rowid: flags.contains(TabFlags::WithoutRowid),
        strict: flags.contains(TabFlags::Strict),
        ..Outline::default()
    };
    for column in columns {
        found.columns.push(unquoted(column.col_name.0));
        for constraint in column.constraints {
            match constraint.constraint {
                ColumnConstraint::PrimaryKey { .. } => found.primary_keys += 1,
                ColumnConstraint::Unique(_) => found.uniques += 1,
                ColumnConstraint::Check(_) => found.checks += 1,
                ColumnConstraint::ForeignKey { .. } => found.references += 1,
                ColumnConstraint::Default(_) => found.defaults.extend([found.columns.len()]),
                ColumnConstraint::Generated { .. } => found.generated.extend([found.columns.len()]),
                ColumnConstraint::NotNull { .. } | ColumnConstraint::Defer(_) | ColumnConstraint::Collate { .. } => {}
            }
        }
    }
    for constraint in constraints.iter().copied().flatten() {
        match constraint.constraint {
            TableConstraint::PrimaryKey { .. } => found.primary_keys += 1,
            TableConstraint::Unique { .. } => found.uniques += 1,
            TableConstraint::Check(..) => found.checks += 1,
            TableConstraint::ForeignKey { .. } => found.references += 1,
        }
    }
    Some(found)
}

fn outline_of(table: &Table) -> Outline {
    let mut found =
        Outline { without_rowid: table.options.without_rowid, strict: table.options.strict, ..Outline::default() };
    for column in &table.columns {
        found.columns.push(column.name.as_str().to_owned());
        if column.default.is_some() {
            found.defaults.insert(found.columns.len());
        }
        if column.generated.is_some() {
            found.generated.insert(found.columns.len());
        }
    }
    for constraint in &table.constraints {
        match constraint.kind {
            ConstraintKind::PrimaryKey(_) => found.primary_keys += 1,
            ConstraintKind::Unique(_) => found.uniques += 1,
            ConstraintKind::Check { .. } => found.checks += 1,
            ConstraintKind::ForeignKey(_) => found.references += 1,
            ConstraintKind::Exclude { .. } => {}
        }
    }
    found
}

/// The parser keeps quotes.
fn unquoted(name: &str) -> String {
    let text = Text::new(name);
    text.cursor().peek().and_then(super::name_of).unwrap_or_else(|| name.to_owned())
}
