//! What every file here needs.

use sea_query::{MysqlQueryBuilder, SchemaStatementBuilder};
use trueup_plan::Statement;
use trueup_schema::{DialectId, Ident, QualName, SqlExpr};

use super::Flavour;
use crate::RenderError;
use crate::sql::Sql;

/// The statements of a change, or why there are none.
pub(crate) type Rendered = Result<Vec<Statement>, RenderError>;

/// The text of `sql`.
pub(crate) fn text(sql: &Sql) -> String {
    sql.build(MysqlQueryBuilder)
}

/// A statement to run.
pub(crate) fn run(sql: &Sql) -> Statement {
    Statement::run(text(sql))
}

/// There is no statement for it.
pub(crate) fn unsupported(flavour: &Flavour, subject: impl ToString, why: &'static str) -> RenderError {
    RenderError::Unsupported { dialect: flavour.id, subject: subject.to_string(), why }
}

/// A name as SQL.
pub(super) fn quoted(name: &Ident) -> String {
    name.quoted(DialectId::MySql)
}

/// A relation's name as SQL.
pub(super) fn relation(name: &QualName) -> String {
    name.quoted(DialectId::MySql)
}

/// A name that a schema keeps as text.
pub(super) fn ident(flavour: &Flavour, text: &str) -> Result<Ident, RenderError> {
    Ident::new(text).map_err(|_| unsupported(flavour, text.escape_debug(), "it is not a name"))
}

/// A string, with quotes and backslashes escaped.
pub(super) fn literal(text: &str) -> String {
    trueup_dialect::mysql::quoted(text)
}

/// A word such as a character set or an option's value: letters, digits, `_`, nothing that SQL could be made of.
pub(super) fn word(flavour: &Flavour, text: &str) -> Result<String, RenderError> {
    let is_word = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word { Ok(text.to_owned()) } else { Err(unsupported(flavour, text.escape_debug(), "it is not a word")) }
}

/// Makes `namespace` the default one, for a text that does not name it.
pub(super) fn use_namespace(namespace: Option<&Ident>) -> Vec<Statement> {
    namespace.map(|name| run(&Sql::new("USE").name(name))).into_iter().collect()
}

/// A whole statement of the schema, without a semicolon at its end.
pub(super) fn statement_text(text: &SqlExpr) -> String {
    text.as_str().trim().trim_end_matches(';').trim_end().to_owned()
}

/// Whether a text calls a sequence, which it names without its database.
pub(super) fn calls_sequence(text: &SqlExpr) -> bool {
    let text = text.as_str().to_ascii_lowercase();
    ["nextval", "lastval", "setval", "next value", "previous value"].iter().any(|call| text.contains(call))
}
