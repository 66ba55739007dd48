//! Spellings from which the server makes again what it printed.
//!
//! The server prints a list of values that is converted as a whole as `(ARRAY['a'::character varying])::text[]`, and reads that as a
//! list whose members are converted one by one. Told what the list is made of first, it leaves the list alone.
//!
//! It prints `a BETWEEN 1 AND 2 AND b` as `((a >= 1 AND a <= 2) AND b)`, and reads that as one list of three conditions. Told that the
//! first is a condition, which it is, it leaves that alone as well.

use super::tokens::tokens;
use crate::{Token, TokenKind};

/// `sql` in a spelling that the server reads as what it printed as `sql`.
pub(super) fn respell(sql: &str) -> String {
    let has = |word: &str| sql.contains(word);
    if !has("ARRAY[") && !has(") AND ") && !has(") OR ") {
        return sql.to_owned();
    }
    let tokens = tokens(sql);
    let solid: Vec<usize> = (0..tokens.len()).filter(|at| tokens[*at].is_solid()).collect();
    let text = |place: usize| solid.get(place).map_or("", |at| tokens[*at].text.as_str());
    let mut insertions = Vec::new();
    for place in (0..solid.len()).filter(|place| text(*place) == "ARRAY" && text(*place + 1) == "[") {
        let Some(close) = closing(place + 1, solid.len(), &text) else { continue };
        let is_wrapped = place > 0 && text(place - 1) == "(" && text(close + 1) == ")";
        if text(close + 1 + usize::from(is_wrapped)) != "::" {
            continue;
        }
        let members: Vec<&Token> = solid[place + 2..close].iter().map(|at| &tokens[*at]).collect();
        if let Some(element) = element_type(&members) {
            insertions.push((solid[close], format!("::{element}[]")));
        }
    }
    for place in (0..solid.len()).filter(|place| text(*place) == "(") {
        let before = place.checked_sub(1).map(|before| &tokens[solid[before]]);
        if before.is_none_or(begins_condition)
            && let Some(close) = closing(place, solid.len(), &text)
            && is_list_in_list(&text, place, close)
        {
            insertions.push((solid[close], "::boolean".to_owned()));
        }
    }
    let mut respelled = String::with_capacity(sql.len() + 32);
    insertions.sort();
    let mut insertions = insertions.into_iter().peekable();
    for (at, token) in tokens.iter().enumerate() {
        respelled.push_str(&token.text);
        while let Some((_, inserted)) = insertions.next_if(|(place, _)| *place == at) {
            respelled.push_str(&inserted);
        }
    }
    respelled
}

/// Whether a condition may follow the token, and not only the arguments of a function or a list of values.
fn begins_condition(token: &Token) -> bool {
    let words = ["WHERE", "ON", "WHEN", "THEN", "ELSE", "HAVING", "CHECK", "USING", "SELECT", "RETURN", "DEFAULT"];
    token.text == "(" || token.text == "," || words.iter().any(|word| token.is_word(word))
}

/// Whether the brackets from `open` to `close` hold conditions that are joined by the word that joins them to what follows.
fn is_list_in_list<'t>(text: &impl Fn(usize) -> &'t str, open: usize, close: usize) -> bool {
    let joins = text(close + 1);
    if !matches!(joins, "AND" | "OR") {
        return false;
    }
    let mut depth = 0_usize;
    let mut is_list = false;
    for place in open + 1..close {
        match text(place) {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "BETWEEN" | "SELECT" | "," if depth == 0 => return false,
            word if depth == 0 => is_list |= word == joins,
            _ => {}
        }
    }
    is_list
}

/// The place of the bracket that closes the one at `open`.
fn closing<'t>(open: usize, end: usize, text: &impl Fn(usize) -> &'t str) -> Option<usize> {
    let mut depth = 0_usize;
    for place in open..end {
        match text(place) {
            "[" | "(" => depth += 1,
            "]" | ")" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(place);
                }
            }
            _ => {}
        }
    }
    None
}

/// The type that the first member that says one is of.
fn element_type(members: &[&Token]) -> Option<String> {
    let mut depth = 0_usize;
    let mut cast = None;
    for (at, token) in members.iter().enumerate() {
        match token.text.as_str() {
            "[" | "(" => depth += 1,
            "]" | ")" => depth = depth.saturating_sub(1),
            "::" if depth == 0 => cast = Some(at + 1),
            "," if depth == 0 => {
                if let Some(name) = cast.and_then(|from| type_name(members.get(from..at)?)) {
                    return Some(name);
                }
                cast = None;
            }
            _ => {}
        }
    }
    cast.and_then(|from| type_name(members.get(from..)?))
}

/// The name of a type without its parameters, where nothing but a type is there.
fn type_name(tokens: &[&Token]) -> Option<String> {
    let mut name = String::new();
    let mut depth = 0_usize;
    for token in tokens {
        match (token.text.as_str(), token.kind) {
            ("(", _) => depth += 1,
            (")", _) => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            (".", _) => name.push('.'),
            (_, TokenKind::Word | TokenKind::QuotedName) => {
                if !name.is_empty() && !name.ends_with('.') {
                    name.push(' ');
                }
                name.push_str(&token.text);
            }
            _ => return None,
        }
    }
    match name.as_str() {
        "" => None,
        // Without a length these two are one long.
        "character" => Some("bpchar".to_owned()),
        "bit" => Some("\"bit\"".to_owned()),
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_converted_list_says_what_it_is_made_of() {
        for (printed, respelled) in [
            (
                "((s)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))",
                "((s)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying]::character varying[])::text[]))",
            ),
            ("s = ANY (ARRAY['a]'::bpchar]::text[])", "s = ANY (ARRAY['a]'::bpchar]::bpchar[]::text[])"),
            ("(ARRAY[x, ('b'::character(3))])::text[]", "(ARRAY[x, ('b'::character(3))])::text[]"),
            ("(ARRAY[x, 'b'::character(3)])::text[]", "(ARRAY[x, 'b'::character(3)]::bpchar[])::text[]"),
            ("(ARRAY['a'::app.\"My Type\"])::text[]", "(ARRAY['a'::app.\"My Type\"]::app.\"My Type\"[])::text[]"),
        ] {
            assert_eq!(respell(printed), respelled);
        }
    }

    #[test]
    fn a_list_of_conditions_in_another_stays_one() {
        for (printed, respelled) in [
            ("(((a >= 1) AND (a <= 2)) AND (b IS NULL))", "(((a >= 1) AND (a <= 2))::boolean AND (b IS NULL))"),
            ("WHERE (((a < 1) OR (a > 2)) OR b)", "WHERE (((a < 1) OR (a > 2))::boolean OR b)"),
        ] {
            assert_eq!(respell(printed), respelled);
        }
    }

    #[test]
    fn anything_else_stays() {
        for sql in [
            "((a >= 1) AND (a <= 2) AND (b IS NULL))",
            "(a AND (b AND c) AND d)",
            "((a OR b) AND c)",
            "(f(a, (b AND c)) AND d)",
            "((NOT (a AND b)) AND c)",
            "(a IN ('x') AND c)",
            "x = ANY (ARRAY['a'::text, 'b'::text])",
            "(ARRAY[a, b])::text[]",
            "ARRAY[]::text[]",
            "'(ARRAY[''a''::character varying])::text[]'::text",
            "$f$ (ARRAY['a'::character varying])::text[] $f$",
            "(ARRAY['a'::character varying",
        ] {
            assert_eq!(respell(sql), sql);
        }
    }
}
