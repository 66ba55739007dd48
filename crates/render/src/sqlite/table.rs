//! Tables.

use std::collections::BTreeSet;

use trueup_dialect::sqlite::written;
use trueup_plan::Statement;
use trueup_schema::{Column, Ident, QualName, Table, TableKind};

use super::words::{Rendered, parts, run, text, unsupported};
use super::{column, constraint};
use crate::RenderError;
use crate::sql::Sql;

/// The table and its indexes.
pub(super) fn create(table: &Table) -> Rendered {
    let mut statements = vec![Statement::run(create_sql(table, &table.name.name)?)];
    statements.extend(table.indexes.iter().map(|index| create_index(&table.name, index)));
    Ok(statements)
}

/// The statement that makes `table` under `name`.
pub(super) fn create_sql(table: &Table, name: &Ident) -> Result<String, RenderError> {
    if written::says_table(table)
        && let Some(source) = &table.source
    {
        if names(source, name) {
            return Ok(source.trim_end().trim_end_matches(';').to_owned());
        }
        if let Some(renamed) = written::renamed_table(source, name) {
            return Ok(renamed);
        }
    }
    match &table.kind {
        TableKind::Ordinary => Ok(text(&ordinary(table, name)?)),
        TableKind::Virtual { using } => Ok(text(&Sql::new("CREATE VIRTUAL TABLE").name(name).expr(using))),
        TableKind::Foreign { .. } => Err(unsupported(&table.name, "there are no foreign tables")),
    }
}

/// Whether the text's own name is `name`, letter case included.
fn names(source: &str, name: &Ident) -> bool {
    trueup_dialect::sqlite::grammar::table(source).is_ok_and(|table| table.name.name == *name)
}

/// The table clause by clause, each as it was declared where it still says what is wanted.
fn ordinary(table: &Table, name: &Ident) -> Result<Sql, RenderError> {
    let mut said = BTreeSet::new();
    let mut items = Vec::new();
    for column in &table.columns {
        match (written::says_column(table, column), &column.source) {
            (Some(places), Some(source)) if places.iter().all(|place| !said.contains(place)) => {
                said.extend(places);
                items.push(clause(source));
            }
            _ => items.push(from_values(table, column, &mut said)?),
        }
    }
    for (place, constraint) in table.constraints.iter().enumerate() {
        if said.contains(&place) {
            continue;
        }
        items.push(match &constraint.source {
            Some(source) if written::says_constraint(table, constraint) => clause(source),
            Some(_) | None => match constraint::table_key(table, constraint) {
                Some(key) => key,
                None => constraint::definition(table, constraint)?,
            },
        });
    }
    let options = [(table.options.without_rowid, "WITHOUT ROWID"), (table.options.strict, "STRICT")];
    let options: Vec<Sql> = options.into_iter().filter(|(is_on, _)| *is_on).map(|(_, words)| Sql::new(words)).collect();
    let sql = Sql::new("CREATE TABLE").name(name).list(items);
    Ok(if options.is_empty() { sql } else { sql.series(options) })
}

/// A declared clause. A comment at its end must not swallow what follows.
fn clause(source: &str) -> Sql {
    Sql::default().expr(&trueup_schema::SqlExpr::new(source))
}

fn from_values(table: &Table, column: &Column, said: &mut BTreeSet<usize>) -> Result<Sql, RenderError> {
    let sql = column::definition(column)?;
    let keys = table.constraints.iter().enumerate().filter(|(place, _)| !said.contains(place));
    let key = keys.filter_map(|(place, it)| Some((place, constraint::inline_key(column, it)?))).next();
    Ok(match key {
        Some((place, key)) => {
            said.insert(place);
            sql.then(key)
        }
        None => sql,
    })
}

/// A new column behind all others. What was declared at it goes along only where it is a part of the column itself.
pub(super) fn add_column(name: &QualName, column: &Column) -> Rendered {
    let mut table = Table::new(name.clone());
    table.columns.push(column.clone());
    let item = match (written::says_column(&table, column), &column.source) {
        (Some(_), Some(source)) => clause(source),
        _ => column::definition(column)?,
    };
    Ok(vec![run(&Sql::new("ALTER TABLE").qualified(name).words("ADD COLUMN").then(item))])
}

/// The statement that makes an index.
pub(super) fn create_index(table: &QualName, index: &trueup_schema::Index) -> Statement {
    if let (true, Some(source)) = (written::says_index(table, index), &index.source) {
        return Statement::run(source.trim_end().trim_end_matches(';'));
    }
    let sql = Sql::new(if index.unique { "CREATE UNIQUE INDEX" } else { "CREATE INDEX" });
    let sql = parts(sql.name(&index.name).words("ON").qualified(table), &index.parts);
    run(&match &index.predicate {
        Some(predicate) => sql.words("WHERE").expr(predicate),
        None => sql,
    })
}
