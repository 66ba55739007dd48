//! Objects that are kept as the statements that make them.

use trueup_plan::Statement;
use trueup_schema::{DialectId, Opaque, OpaqueId, SqlExpr};

use super::words::{Rendered, ident, statement_text, unsupported};
use crate::RenderError;
use crate::sql::Sql;

fn run(text: &SqlExpr) -> Statement {
    Statement::run(statement_text(text))
}

pub(super) fn create(opaque: &Opaque) -> Rendered {
    Ok(opaque.create.iter().chain(opaque.parts.iter().map(|part| &part.set)).map(run).collect())
}

/// What has no statement of its own is gone with its parts.
pub(super) fn drop(opaque: &Opaque) -> Rendered {
    if opaque.drop.as_str().is_empty() {
        return Ok(opaque.parts.iter().rev().map(|part| run(&part.unset)).collect());
    }
    Ok(vec![run(&opaque.drop)])
}

/// Takes away first: a part may stand in the way of its own new form.
pub(super) fn alter(before: &Opaque, after: &Opaque) -> Rendered {
    let gone = before.parts.iter().rev().filter(|part| !after.parts.contains(part)).map(|part| run(&part.unset));
    let new = after.parts.iter().filter(|part| !before.parts.contains(part)).map(|part| run(&part.set));
    Ok(gone.chain(new).collect())
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
        // Their names are texts that the server wrote: types and methods belong to them.
        "cast" => return Ok(Sql::new("CAST").words(format!("({})", id.name))),
        "transform" => return Ok(Sql::new("TRANSFORM").words(id.name.clone())),
        "operator" | "operator class" | "operator family" => {
            let dot = id.namespace.as_ref().map(|name| format!("{}.", name.quoted(DialectId::Postgres)));
            let name = format!("{}{}", dot.unwrap_or_default(), id.name);
            return Ok(Sql::new(id.kind.to_uppercase()).words(name));
        }
        _ => return Err(unsupported(id, "objects of its kind are known by their text alone")),
    };
    let name = ident(&id.name)?;
    Ok(match &id.namespace {
        Some(namespace) => Sql::new(word).qualified(&trueup_schema::QualName::new(Some(namespace.clone()), name)),
        None => Sql::new(word).name(&name),
    })
}
