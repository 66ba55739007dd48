//! What is asked. Three questions, however many objects there are.

use trueup_schema::{DialectId, Ident};
use trueup_session::{DbError, Row, Session};

use crate::IntrospectError;

/// `pragma_table_list` exists since this version.
const OLDEST: [u32; 3] = [3, 37, 0];

const SCHEMA: &str = "\
WITH listed AS MATERIALIZED (SELECT name, type FROM pragma_table_list WHERE schema = 'main')
SELECT entry.type, entry.name, entry.tbl_name, entry.sql, listed.type
FROM main.sqlite_schema AS entry
LEFT JOIN listed ON listed.name = entry.name AND entry.type IN ('table', 'view')
ORDER BY entry.rowid";

const SETTINGS: &str = "\
SELECT 'module', name FROM pragma_module_list
UNION ALL SELECT 'encoding', encoding FROM pragma_encoding
UNION ALL SELECT 'foreign_keys', CAST(foreign_keys AS TEXT) FROM pragma_foreign_keys
UNION ALL SELECT 'page_count', CAST(page_count AS TEXT) FROM pragma_page_count
UNION ALL SELECT 'page_size', CAST(page_size AS TEXT) FROM pragma_page_size";

/// A row of `sqlite_schema`.
#[derive(Debug)]
pub(super) struct Entry {
    /// `table`, `index`, `view` or `trigger`.
    pub(super) kind: String,
    /// Its name.
    pub(super) name: String,
    /// The table that it belongs to.
    pub(super) table: String,
    /// The text that made it; none for indexes of keys.
    pub(super) sql: Option<String>,
    /// What `pragma_table_list` calls it: `table`, `virtual`, `shadow`, `view`.
    pub(super) listed: Option<String>,
}

/// Every object.
pub(super) async fn entries(session: &mut dyn Session) -> Result<Vec<Entry>, IntrospectError> {
    let version = session.server().version;
    if version < OLDEST {
        let server = session.server().version_text.clone();
        return Err(IntrospectError::Version { server: format!("SQLite {server}"), supported: "3.37 and newer" });
    }
    let what = "objects";
    let rows = session.query(SCHEMA, &[]).await.map_err(|source| IntrospectError::Query { what, source })?;
    rows.iter().map(entry).collect::<Result<_, _>>().map_err(|source| IntrospectError::Query { what, source })
}

fn entry(row: &Row) -> Result<Entry, DbError> {
    Ok(Entry {
        kind: row.text(0)?.to_owned(),
        name: row.text(1)?.to_owned(),
        table: row.text(2)?.to_owned(),
        sql: row.text_or_null(3)?.map(str::to_owned),
        listed: row.text_or_null(4)?.map(str::to_owned),
    })
}

/// Settings by name; modules of virtual tables under `module`.
pub(super) async fn settings(session: &mut dyn Session) -> Result<Vec<(String, String)>, IntrospectError> {
    let what = "settings";
    let rows = session.query(SETTINGS, &[]).await.map_err(|source| IntrospectError::Query { what, source })?;
    let pair = |row: &Row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()));
    rows.iter().map(pair).collect::<Result<_, _>>().map_err(|source| IntrospectError::Query { what, source })
}

/// For each of `tables`, whether it holds no row.
///
/// Rows of VALUES are not limited in number, unlike terms of a UNION.
pub(super) async fn emptiness(session: &mut dyn Session, tables: &[Ident]) -> Result<Vec<bool>, IntrospectError> {
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let what = "rows of tables";
    let rows: Vec<String> = tables
        .iter()
        .map(|table| format!("(NOT EXISTS (SELECT 1 FROM main.{}))", table.quoted(DialectId::Sqlite)))
        .collect();
    let sql = format!("VALUES {}", rows.join(", "));
    let rows = session.query(&sql, &[]).await.map_err(|source| IntrospectError::Query { what, source })?;
    rows.iter()
        .map(|row| row.bool(0))
        .collect::<Result<_, _>>()
        .map_err(|source| IntrospectError::Query { what, source })
}
