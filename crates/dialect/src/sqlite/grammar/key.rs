//! Parts of keys and indexes.

use trueup_schema::{IndexKey, IndexPart, QualName};

use super::{Cursor, GrammarError, name_of};
use crate::TokenKind;

/// Every part inside the parentheses.
pub(super) fn parts(inside: &mut Cursor<'_>) -> Result<Vec<IndexPart>, GrammarError> {
    let mut found = Vec::new();
    loop {
        let mut part = inside.until_comma();
        found.push(self::part(&mut part)?);
        if inside.is_done() {
            return Ok(found);
        }
        if !inside.take_symbol(",") {
            return Err(inside.expected("a comma"));
        }
    }
}

/// `expr [COLLATE name] [ASC | DESC]`
fn part(cursor: &mut Cursor<'_>) -> Result<IndexPart, GrammarError> {
    let last_word = |cursor: &Cursor<'_>, word: &str| {
        cursor.len() > 1 && cursor.ahead(cursor.len() - 1).is_some_and(|token| token.is_word(word))
    };
    let descending = last_word(cursor, "DESC");
    if descending || last_word(cursor, "ASC") {
        *cursor = cursor.without_last(1);
    }
    let collate_at = cursor.len().checked_sub(2).filter(|at| *at > 0);
    let is_collated = collate_at.and_then(|at| cursor.ahead(at)).is_some_and(|token| token.is_word("COLLATE"));
    let bare = if is_collated { cursor.without_last(2) } else { *cursor };
    let mut collation = None;
    if is_collated && is_primary(&bare) {
        let mut name = *cursor;
        while name.len() > 1 {
            name.next();
        }
        collation = Some(QualName::new(None, name.name("a collation")?));
        *cursor = bare;
    }
    Ok(IndexPart { key: key(cursor)?, descending, nulls_first: None, opclass: None, collation, prefix: None })
}

/// Whether COLLATE behind it is about all of it: a name, a call, something in parentheses.
fn is_primary(cursor: &Cursor<'_>) -> bool {
    let mut walk = *cursor;
    if walk.peek().is_some_and(|token| token.kind != TokenKind::Symbol) {
        walk.next();
    }
    walk.is_done() || (walk.at_symbol("(") && walk.group().is_ok() && walk.is_done())
}

fn key(cursor: &mut Cursor<'_>) -> Result<IndexKey, GrammarError> {
    while let Some(inside) = enclosed(cursor) {
        *cursor = inside;
    }
    match cursor.peek() {
        None => Err(cursor.expected("a column or an expression")),
        Some(token) if cursor.len() == 1 && name_of(token).is_some() => Ok(IndexKey::Column(cursor.name("a column")?)),
        Some(_) => Ok(IndexKey::Expr(cursor.rest_expr())),
    }
}

/// What stands between parentheses that enclose all of it. They say nothing, unless they make a row or a query of it.
fn enclosed<'a>(cursor: &Cursor<'a>) -> Option<Cursor<'a>> {
    let mut walk = *cursor;
    let inside = if walk.at_symbol("(") { walk.group().ok()? } else { return None };
    let mut rest = inside;
    rest.until_comma();
    let is_query = ["SELECT", "WITH", "VALUES"].iter().any(|word| inside.at_word(word));
    (walk.is_done() && rest.is_done() && !inside.is_done() && !is_query).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::super::index;

    #[test]
    fn parentheses_around_a_key_say_nothing() {
        let keys = |sql: &str| index(sql).unwrap().1.parts;
        let plain = keys("CREATE INDEX i ON t (round(a) COLLATE NOCASE DESC, b, a + 1, (a) + (b))");
        assert_eq!(plain, keys("CREATE INDEX i ON t ((round(a)) COLLATE NOCASE DESC, (b), ((a + 1)), (a) + (b))"));
    }
}
