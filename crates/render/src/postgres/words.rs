//! What every file here needs.

use trueup_schema::Parameters;

use sea_query::{PostgresQueryBuilder, SchemaStatementBuilder};
use trueup_dialect::postgres::Postgres;
use trueup_plan::Statement;
use trueup_schema::{DataType, DialectId, Ident, IdentError, QualName};

use crate::RenderError;
use crate::sql::Sql;

/// The statements of a change, or why there are none.
pub(super) type Rendered = Result<Vec<Statement>, RenderError>;

/// The text of `sql`.
pub(super) fn text(sql: &Sql) -> String {
    sql.build(PostgresQueryBuilder)
}

/// A statement to run.
pub(super) fn run(sql: &Sql) -> Statement {
    Statement::run(Postgres::respell(&text(sql)))
}

/// There is no statement for it.
pub(super) fn unsupported(subject: impl ToString, why: &'static str) -> RenderError {
    RenderError::Unsupported { dialect: DialectId::Postgres, subject: subject.to_string(), why }
}

/// A name made of a text that a schema keeps as such: a role, an index behind a replica identity.
pub(super) fn ident(text: &str) -> Result<Ident, RenderError> {
    Ident::new(text).map_err(|_: IdentError| unsupported(text.escape_debug(), "it is not a name"))
}

/// A role as it is granted to: `PUBLIC` is everybody.
pub(super) fn role(name: &str) -> Result<Sql, RenderError> {
    if matches!(name, "PUBLIC" | "CURRENT_USER") {
        Ok(Sql::default().words(name.to_owned()))
    } else {
        Ok(Sql::default().name(&ident(name)?))
    }
}

/// A type's text.
pub(super) fn type_sql(data_type: &DataType) -> String {
    data_type.sql(DialectId::Postgres)
}

/// ` COLLATE x`, or nothing.
pub(super) fn collate(sql: Sql, collation: Option<&QualName>) -> Sql {
    match collation {
        Some(collation) => sql.words("COLLATE").qualified(collation),
        None => sql,
    }
}

/// `(name = value, …)` as WITH and SET take it. A prefix such as `toast.` is a name of its own.
pub(super) fn parameters(sql: Sql, parameters: &Parameters) -> Result<Sql, RenderError> {
    let mut items = Vec::with_capacity(parameters.len());
    for (name, value) in parameters {
        items.push(parameter_name(name)?.words("=").words(parameter_value(value)));
    }
    Ok(sql.list(items))
}

/// `(name, …)` as RESET takes it.
pub(super) fn parameter_names<'a>(sql: Sql, names: impl IntoIterator<Item = &'a String>) -> Result<Sql, RenderError> {
    let names = names.into_iter().map(|name| parameter_name(name)).collect::<Result<Vec<_>, _>>()?;
    Ok(sql.list(names))
}

fn parameter_name(name: &str) -> Result<Sql, RenderError> {
    let plain = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if name.split('.').all(plain) {
        return Ok(Sql::new(name.to_owned()));
    }
    let parts = name.split('.').map(ident).collect::<Result<Vec<_>, _>>()?;
    let quoted: Vec<String> = parts.iter().map(|part| part.quoted(DialectId::Postgres)).collect();
    Ok(Sql::new(quoted.join(".")))
}

/// Numbers stand bare, anything else as a string, which every parameter takes.
fn parameter_value(value: &str) -> String {
    let number = !value.is_empty() && value.chars().all(|c| c.is_ascii_digit());
    if number { value.to_owned() } else { crate::sql::literal(value) }
}

/// What to set and what to reset to get from one set of options to another.
pub(super) struct OptionChanges {
    /// To set.
    pub(super) set: Parameters,
    /// To reset.
    pub(super) reset: Vec<String>,
}

/// Compares two sets of options.
pub(super) fn option_changes(before: &Parameters, after: &Parameters) -> OptionChanges {
    OptionChanges {
        set: after
            .iter()
            .filter(|(name, value)| before.get(name) != Some(*value))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        reset: before.keys().filter(|name| !after.contains_key(name)).cloned().collect(),
    }
}

/// `SET (…)` and `RESET (…)` as actions of an ALTER.
pub(super) fn option_actions(before: &Parameters, after: &Parameters) -> Result<Vec<Sql>, RenderError> {
    let changes = option_changes(before, after);
    let mut actions = Vec::new();
    if !changes.set.is_empty() {
        actions.push(parameters(Sql::new("SET"), &changes.set)?);
    }
    if !changes.reset.is_empty() {
        actions.push(parameter_names(Sql::new("RESET"), &changes.reset)?);
    }
    Ok(actions)
}

/// A whole statement of the schema, without a semicolon at its end.
pub(super) fn statement_text(text: &trueup_schema::SqlExpr) -> String {
    Postgres::respell(crate::sql::expr(text).trim_end())
}
