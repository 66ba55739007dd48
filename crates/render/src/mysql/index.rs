//! Indexes, and the parts of keys.

use trueup_schema::{Index, IndexKey, IndexPart, SPELLED};

use super::flavour::Flavour;
use super::words::{ident, literal, unsupported, word};
use crate::RenderError;
use crate::sql::Sql;

/// The index as CREATE TABLE and ADD take it.
pub(super) fn definition(flavour: &Flavour, index: &Index) -> Result<Sql, RenderError> {
    if index.predicate.is_some() || !index.include.is_empty() || index.nulls_not_distinct {
        return Err(unsupported(
            flavour,
            &index.name,
            "indexes cover all rows, hold no other columns, and NULLs differ",
        ));
    }
    let plain = if index.unique { "UNIQUE KEY" } else { "KEY" };
    let (head, using) = match index.method.as_deref() {
        Some("fulltext") => ("FULLTEXT KEY", None),
        Some("spatial") => ("SPATIAL KEY", None),
        Some("vector") => ("VECTOR KEY", None),
        None => (plain, None),
        Some(other) => (plain, Some(word(flavour, other)?.to_ascii_uppercase())),
    };
    let mut sql = Sql::new(head).name(&index.name);
    if let Some(using) = using {
        sql = sql.words(format!("USING {using}"));
    }
    sql = parts(flavour, sql, &index.parts, index.parameters.get("without_overlaps"))?;
    let mut options = index.parameters.clone();
    options.remove("without_overlaps");
    key_options(flavour, sql, &options, index.comment.as_deref())
}

/// The parts in parentheses; a period at the end refuses overlaps.
pub(super) fn parts(
    flavour: &Flavour,
    sql: Sql,
    parts: &[IndexPart],
    period: Option<&String>,
) -> Result<Sql, RenderError> {
    let mut items: Vec<Sql> = parts.iter().map(part).collect();
    if let Some(period) = period {
        items.push(Sql::default().name(&ident(flavour, period)?).words("WITHOUT OVERLAPS"));
    }
    Ok(sql.list(items))
}

fn part(part: &IndexPart) -> Sql {
    let sql = match (&part.key, part.prefix) {
        (IndexKey::Column(name), Some(length)) => {
            Sql::default().words(format!("{}({length})", super::words::quoted(name)))
        }
        (IndexKey::Column(name), None) => Sql::default().name(name),
        (IndexKey::Expr(expr), _) => Sql::default().parenthesised(expr),
    };
    sql.words_if(part.descending, "DESC")
}

/// What stands behind the parts.
pub(super) fn key_options(
    flavour: &Flavour,
    mut sql: Sql,
    options: &trueup_schema::Parameters,
    comment: Option<&str>,
) -> Result<Sql, RenderError> {
    for (name, value) in options {
        sql = match name.as_str() {
            "using" | SPELLED => sql.words(format!("USING {}", word(flavour, value)?.to_ascii_uppercase())),
            "parser" => sql.words("WITH PARSER").name(&ident(flavour, value)?),
            "invisible" => sql.words(flavour.unused_index[0]),
            "key_block_size" => sql.words(format!("KEY_BLOCK_SIZE={}", word(flavour, value)?)),
            _ => sql.words(format!("{}={}", word(flavour, name)?, literal(value))),
        };
    }
    Ok(match comment {
        Some(comment) => sql.words("COMMENT").words(literal(comment)),
        None => sql,
    })
}

/// Whether nothing differs but whether the index is used.
pub(super) fn differs_in_use_alone(before: &Index, after: &Index) -> bool {
    let plain = |index: &Index| {
        let mut plain = index.clone();
        plain.parameters.remove("invisible");
        plain.depends_on.clear();
        plain.source = None;
        plain.renamed_from = None;
        plain
    };
    plain(before) == plain(after)
}
