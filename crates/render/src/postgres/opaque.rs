//! Objects that are kept as the statements that make them.

use trueup_plan::Statement;
use trueup_schema::{Opaque, OpaqueId};

use super::words::{Rendered, ident, statement_text, unsupported};
use crate::RenderError;
use crate::sql::Sql;

pub(super) fn create(opaque: &Opaque) -> Rendered {
    Ok(opaque.create.iter().map(|text| Statement::run(statement_text(text))).collect())
}

pub(super) fn drop(opaque: &Opaque) -> Rendered {
    Ok(vec![Statement::run(statement_text(&opaque.drop))])
}

/// How ALTER, COMMENT ON and GRANT call it: `RULE "r" ON "t"`, `STATISTICS "n"."s"`.
pub(super) fn target(id: &OpaqueId) -> Result<Sql, RenderError> {
    let word = match id.kind.as_str() {
        "rule" => {
            let table = id.table.as_ref().ok_or_else(|| unsupported(id, "a rule has a table"))?;
            return Ok(Sql::new("RULE").name(&ident(&id.name)?).words("ON").qualified(table));
        }
        "statistics" => "STATISTICS",
        "event trigger" => "EVENT TRIGGER",
        "collation" => "COLLATION",
        "conversion" => "CONVERSION",
        "publication" => "PUBLICATION",
        "subscription" => "SUBSCRIPTION",
        "server" | "foreign server" => "SERVER",
        "foreign data wrapper" => "FOREIGN DATA WRAPPER",
        "language" => "LANGUAGE",
        "access method" => "ACCESS METHOD",
        "text search configuration" => "TEXT SEARCH CONFIGURATION",
        "text search dictionary" => "TEXT SEARCH DICTIONARY",
        "text search parser" => "TEXT SEARCH PARSER",
        "text search template" => "TEXT SEARCH TEMPLATE",
        _ => return Err(unsupported(id, "objects of its kind are known by their text alone")),
    };
    let name = ident(&id.name)?;
    Ok(match &id.namespace {
        Some(namespace) => Sql::new(word).qualified(&trueup_schema::QualName::new(Some(namespace.clone()), name)),
        None => Sql::new(word).name(&name),
    })
}
