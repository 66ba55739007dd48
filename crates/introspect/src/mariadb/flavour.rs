//! What is MariaDB's own.

use std::collections::BTreeMap;

use trueup_dialect::mysql;
use trueup_schema::{ConstraintKind, DataType, DialectId, SqlExpr, Table};
use trueup_session::Session;

use super::queries;
use crate::mysql::catalog::{Catalog, ColumnRow, TableRows};
use crate::mysql::queries as shared;
use crate::mysql::read::read;
use crate::mysql::shown::Shown;
use crate::{IntrospectError, Introspected, Request};

static CATALOG: Catalog = Catalog {
    dialect: DialectId::MariaDb,
    oldest: [10, 6],
    supported: "MariaDB 10.6 and newer",
    settings: &queries::SETTINGS,
    system: &["information_schema", "mysql", "performance_schema", "sys"],
    databases: queries::DATABASES,
    tables: shared::TABLES,
    tables_with_sizes: shared::TABLES_WITH_SIZES,
    columns: queries::COLUMNS,
    indexes: queries::INDEXES,
    keys: queries::KEYS,
    code: shared::CODE,
    later: &[],
    needs_showing,
    default,
    finish,
};

/// Reads MariaDB. See the module for how.
///
/// # Errors
/// [`IntrospectError`] if a query fails or the server is too old.
pub async fn introspect(session: &mut dyn Session, request: &Request) -> Result<Introspected, IntrospectError> {
    read(&CATALOG, session, request).await
}

/// The settings that change how the engine thinks.
///
/// # Errors
/// [`IntrospectError`] if they cannot be read.
pub async fn settings(session: &mut dyn Session) -> Result<BTreeMap<String, String>, IntrospectError> {
    Ok(CATALOG.settings(session).await?.into_iter().collect())
}

/// Whether the catalog may have lost characters.
fn is_mangled(text: &str) -> bool {
    !text.is_ascii() || text.contains('?')
}

fn needs_showing(rows: &TableRows) -> bool {
    let odd = |column: &ColumnRow| is_mangled(&column.generated) || column.default.as_deref().is_some_and(is_mangled);
    rows.kind == "SYSTEM VERSIONED"
        || rows.options.split(' ').any(|option| option == "partitioned")
        || rows.columns.iter().any(odd)
        || rows.parts.iter().any(|part| matches!(part.method.as_str(), "fulltext" | "vector"))
        || rows.checks.iter().any(|check| is_mangled(&check.clause) || may_be_period(&check.clause))
}

/// Whether a check could be the hidden one of a period: a column before another.
fn may_be_period(clause: &str) -> bool {
    let list: Vec<_> = mysql::tokens(clause).into_iter().filter(trueup_dialect::Token::is_solid).collect();
    list.len() == 3 && list[1].text == "<"
}

/// The catalog spells defaults as SHOW CREATE TABLE does, but for a column that takes NULL and has none: `NULL`.
fn default(column: &ColumnRow) -> Option<SqlExpr> {
    column.default.as_deref().filter(|text| *text != "NULL").map(SqlExpr::new)
}

fn finish(table: &mut Table, rows: &TableRows, shown: Option<&Shown>) {
    json(table);
    periods(table, rows, shown);
}

/// JSON is another word for a long text with a certain collation and check.
fn json(table: &mut Table) {
    for column in &mut table.columns {
        let hidden = format!("json_valid({})", column.name.quoted(DialectId::MariaDb));
        let is_json = column.data_type.to_string() == "longtext"
            && column.collation.as_ref().is_some_and(|name| name.name.as_str() == "utf8mb4_bin");
        let place = table.constraints.iter().position(|constraint| match &constraint.kind {
            ConstraintKind::Check { expr, column: Some(at), .. } => *at == column.name && expr.as_str() == hidden,
            ConstraintKind::Check { .. }
            | ConstraintKind::PrimaryKey(_)
            | ConstraintKind::Unique(_)
            | ConstraintKind::ForeignKey(_)
            | ConstraintKind::Exclude { .. } => false,
        });
        if let (true, Some(place)) = (is_json, place) {
            table.constraints.remove(place);
            column.data_type = DataType::builtin("json");
            column.collation = None;
            column.attributes.remove("charset");
        }
    }
}

/// Periods and system versioning. The check that a period implies is hidden, as are the expressions of its columns.
fn periods(table: &mut Table, rows: &TableRows, shown: Option<&Shown>) {
    let mut clauses: Vec<String> = Vec::new();
    for (name, clause) in shown.map(|shown| shown.periods.as_slice()).unwrap_or_default() {
        clauses.push(clause.clone());
        table.constraints.retain(|constraint| {
            let is_check = matches!(constraint.kind, ConstraintKind::Check { column: None, .. });
            !(is_check && constraint.name.as_ref().is_some_and(|check| check.as_str().to_lowercase() == *name))
        });
    }
    if rows.kind == "SYSTEM VERSIONED" {
        clauses.push("WITH SYSTEM VERSIONING".to_owned());
    }
    if !clauses.is_empty() {
        table.options.versioning = Some(SqlExpr(clauses.join(", ")));
    }
    for column in &mut table.columns {
        let place = match column.generated.as_ref().map(|generated| generated.expr.as_str()) {
            Some("ROW START") => "start",
            Some("ROW END") => "end",
            Some(_) | None => continue,
        };
        column.generated = None;
        column.attributes.insert("row".to_owned(), place.to_owned());
    }
}
