//! What is MySQL's own.

use std::collections::BTreeMap;

use trueup_dialect::mysql;
use trueup_schema::{DialectId, SqlExpr};
use trueup_session::Session;

use super::catalog::{Catalog, ColumnRow, TableRows};
use super::queries;
use super::read::read;
use crate::{IntrospectError, Introspected, Request};

static CATALOG: Catalog = Catalog {
    dialect: DialectId::MySql,
    oldest: [8, 0],
    supported: "MySQL 8.0 and newer",
    settings: &queries::SETTINGS,
    system: &["information_schema", "mysql", "performance_schema", "sys"],
    databases: queries::DATABASES,
    tables: queries::OWN_TABLES,
    tables_with_sizes: queries::OWN_TABLES_WITH_SIZES,
    columns: queries::COLUMNS,
    indexes: queries::INDEXES,
    keys: queries::KEYS,
    code: queries::CODE,
    later: &[([9, 2], queries::LIBRARIES)],
    needs_showing,
    default,
    finish: |_, _, _| {},
};

/// Reads MySQL. See the module for how.
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

/// Whether the catalog mangles an expression: it escapes quotes and loses characters.
fn is_mangled(text: &str) -> bool {
    !text.is_ascii() || text.contains(['\'', '\\', '?'])
}

fn needs_showing(rows: &TableRows) -> bool {
    rows.options.split(' ').any(|option| option == "partitioned")
        || rows.columns.iter().any(column_needs_showing)
        || rows.parts.iter().any(|part| part.method == "fulltext" || part.expr.as_deref().is_some_and(is_mangled))
        || rows.checks.iter().any(|check| is_mangled(&check.clause))
}

fn column_needs_showing(column: &ColumnRow) -> bool {
    let is_expr = column.extra.contains("DEFAULT_GENERATED");
    let is_binary = column.data_type.contains("binary");
    let odd_default = column
        .default
        .as_deref()
        .is_some_and(|text| if is_expr { is_mangled(text) } else { is_binary || text.contains('?') });
    odd_default || is_mangled(&column.generated)
}

/// Literals come bare, expressions without the parentheses that they need.
fn default(column: &ColumnRow) -> Option<SqlExpr> {
    let text = column.default.as_deref()?;
    let is_now = text.to_ascii_uppercase().starts_with("CURRENT_TIMESTAMP");
    let is_expr = column.extra.contains("DEFAULT_GENERATED");
    let is_bits = column.data_type.starts_with("bit") || text.starts_with("0x") && column.data_type.contains("binary");
    Some(SqlExpr(match (is_expr, is_now) {
        (true, true) => text.to_owned(),
        (true, false) => format!("({text})"),
        (false, _) if is_bits => text.to_owned(),
        (false, _) => mysql::quoted(text),
    }))
}
