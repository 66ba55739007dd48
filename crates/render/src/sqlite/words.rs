//! What every file here needs.

use sea_query::{SchemaStatementBuilder, SqliteQueryBuilder};
use trueup_dialect::sqlite::written;
use trueup_plan::Statement;
use trueup_schema::{DialectId, Ident, IndexKey, IndexPart, QualName};

use crate::RenderError;
use crate::sql::Sql;

/// The statements of a change, or why there are none.
pub(super) type Rendered = Result<Vec<Statement>, RenderError>;

/// The text of `sql`.
pub(super) fn text(sql: &Sql) -> String {
    sql.build(SqliteQueryBuilder)
}

/// A statement to run.
pub(super) fn run(sql: &Sql) -> Statement {
    Statement::run(text(sql))
}

/// There is no statement for it.
pub(super) fn unsupported(subject: impl ToString, why: &'static str) -> RenderError {
    RenderError::Unsupported { dialect: DialectId::Sqlite, subject: subject.to_string(), why }
}

/// A name as SQL.
pub(super) fn quoted(name: &Ident) -> String {
    name.quoted(DialectId::Sqlite)
}

/// A relation's name as SQL.
pub(super) fn relation(name: &QualName) -> String {
    name.quoted(DialectId::Sqlite)
}

/// A name that a schema keeps as text.
pub(super) fn ident(text: &str) -> Result<Ident, RenderError> {
    Ident::new(text).map_err(|_| unsupported(text.escape_debug(), "it is not a name"))
}

/// Parts of a key or index.
pub(super) fn parts(sql: Sql, parts: &[IndexPart]) -> Sql {
    sql.list(parts.iter().map(part))
}

fn part(part: &IndexPart) -> Sql {
    let sql = match &part.key {
        IndexKey::Column(name) => Sql::default().name(name),
        // A collation behind it is about all of it.
        // So is a string that stands alone, which the grammar would take for a name.
        IndexKey::Expr(expr) if part.collation.is_some() || written::string(expr.as_str()).is_some() => {
            Sql::default().parenthesised(expr)
        }
        IndexKey::Expr(expr) => Sql::default().expr(expr),
    };
    let sql = match &part.collation {
        Some(collation) => sql.words("COLLATE").name(&collation.name),
        None => sql,
    };
    sql.words_if(part.descending, "DESC")
}

/// ` ON CONFLICT …`, or nothing.
pub(super) fn on_conflict(sql: Sql, clause: Option<&String>) -> Sql {
    match clause {
        Some(clause) => sql.words(format!("ON CONFLICT {clause}")),
        None => sql,
    }
}
