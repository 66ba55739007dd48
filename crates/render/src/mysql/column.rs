//! Columns: all that is said of one, in the order in which the servers print it.

use trueup_schema::{Column, ConstraintKind, DataType, DialectId, SPELLED, Table};

use super::flavour::{Attribute, Flavour};
use super::words::{literal, unsupported, word};
use crate::RenderError;
use crate::sql::Sql;

/// The column as CREATE TABLE, ADD and MODIFY take it.
pub(super) fn definition(flavour: &Flavour, table: &Table, column: &Column) -> Result<Sql, RenderError> {
    if column.identity.is_some() {
        return Err(unsupported(flavour, &column.name, "columns count up by AUTO_INCREMENT alone"));
    }
    let own = flavour.attributes(column)?;
    let mut sql = Sql::default().name(&column.name).words(type_sql(flavour, &column.data_type)?);
    for attribute in &own {
        if let Attribute::OfType(words) = attribute {
            sql = sql.words(words.clone());
        }
    }
    sql = characters(flavour, sql, table, column)?;
    let whole = own.iter().find_map(|attribute| match attribute {
        Attribute::Whole(words) => Some(*words),
        Attribute::OfType(_) | Attribute::Plain(_) => None,
    });
    sql = match whole {
        Some(words) => sql.words(words),
        None => value(flavour, sql, column)?,
    };
    for attribute in &own {
        if let Attribute::Plain(words) = attribute {
            sql = sql.words(*words);
        }
    }
    sql = sql.words_if(column.attributes.contains_key("invisible"), "INVISIBLE");
    if let Some(comment) = &column.comment {
        sql = sql.words("COMMENT").words(literal(comment));
    }
    for constraint in &table.constraints {
        if let ConstraintKind::Check { expr, column: Some(at), .. } = &constraint.kind
            && *at == column.name
        {
            sql = sql.words("CHECK").parenthesised(expr);
        }
    }
    Ok(sql)
}

/// Character set and collation, where they are not those of the table, or are to be said all the same: a server remembers it.
fn characters(flavour: &Flavour, mut sql: Sql, table: &Table, column: &Column) -> Result<Sql, RenderError> {
    let inherited = table.options.parameters.get("collation");
    let is_spelled = column.attributes.contains_key(SPELLED);
    if !is_spelled
        && column.collation.as_ref().is_some_and(|own| Some(own.name.as_str()) == inherited.map(String::as_str))
    {
        return Ok(sql);
    }
    if let Some(charset) = column.attributes.get("charset") {
        sql = sql.words("CHARACTER SET").words(word(flavour, charset)?);
    }
    if let Some(collation) = &column.collation {
        sql = sql.words("COLLATE").words(word(flavour, collation.name.as_str())?);
    }
    Ok(sql)
}

/// Whether it takes NULL, and what it holds if nothing is said.
fn value(flavour: &Flavour, mut sql: Sql, column: &Column) -> Result<Sql, RenderError> {
    let spelled = column.data_type.to_string().to_ascii_lowercase();
    if let Some(generated) = &column.generated {
        let stored = if generated.stored { "STORED" } else { "VIRTUAL" };
        sql = sql.words("GENERATED ALWAYS AS").parenthesised(&generated.expr).words(stored);
        sql = sql.words_if(column.not_null, "NOT NULL");
    } else if column.not_null {
        sql = sql.words("NOT NULL");
    } else if spelled.starts_with("timestamp") {
        // Where the server still has it so, a timestamp that does not say NULL is NOT NULL and has a default.
        sql = sql.words("NULL");
    }
    if let Some(number) = column.attributes.get("srid") {
        sql = sql.words(format!("{}{}", flavour.srid, word(flavour, number)?));
    }
    if let Some(default) = &column.default {
        sql = sql.words("DEFAULT").expr(default);
    }
    if let Some(update) = column.attributes.get("on_update") {
        sql = sql.words("ON UPDATE").words(moment(flavour, update)?);
    }
    Ok(sql.words_if(column.auto_increment, "AUTO_INCREMENT"))
}

/// `CURRENT_TIMESTAMP`, with a number of digits or without.
fn moment(flavour: &Flavour, text: &str) -> Result<String, RenderError> {
    let plain: String = text.chars().filter(|c| !matches!(c, '(' | ')')).collect();
    word(flavour, &plain).map(|_| text.to_owned())
}

fn type_sql(flavour: &Flavour, data_type: &DataType) -> Result<String, RenderError> {
    match data_type {
        DataType::Builtin(_) => Ok(data_type.sql(DialectId::MySql)),
        DataType::Named(named) => Err(unsupported(flavour, &named.name, "there are no named types")),
    }
}
