//! Columns.

use trueup_dialect::sqlite::attributes;
use trueup_schema::{Column, DialectId};

use super::words::{ident, on_conflict};
use crate::RenderError;
use crate::sql::Sql;

/// The column from its values, without keys, checks and references.
pub(super) fn definition(column: &Column) -> Result<Sql, RenderError> {
    let mut sql = Sql::default().name(&column.name).words(column.data_type.sql(DialectId::Sqlite));
    if column.not_null {
        sql = on_conflict(
            label(sql, column, attributes::NOT_NULL_NAME)?.words("NOT NULL"),
            column.not_null_clause.as_ref(),
        );
    }
    if let Some(collation) = &column.collation {
        sql = label(sql, column, attributes::COLLATE_NAME)?.words("COLLATE").name(&collation.name);
    }
    if let Some(default) = &column.default {
        sql = label(sql, column, attributes::DEFAULT_NAME)?.words("DEFAULT").expr(default);
    }
    if let Some(generated) = &column.generated {
        sql =
            label(sql, column, attributes::GENERATED_NAME)?.words("GENERATED ALWAYS AS").parenthesised(&generated.expr);
        sql = sql.words(if generated.stored { "STORED" } else { "VIRTUAL" });
    }
    Ok(sql)
}

/// The name of the clause that follows, where it has one.
fn label(sql: Sql, column: &Column, attribute: &str) -> Result<Sql, RenderError> {
    match column.attributes.get(attribute) {
        Some(name) => Ok(sql.words("CONSTRAINT").name(&ident(name)?)),
        None => Ok(sql),
    }
}
