//! SQL text without a grammar: words, names, literals. Quotes and comments are never mistaken for code.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    Name,
    Literal,
    Sign,
}

/// One token: what is compared, and what was written (a name without its quotes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) raw: String,
}

impl Token {
    pub(crate) fn is_word(&self, words: &[&str]) -> bool {
        self.kind == Kind::Word && words.contains(&self.text.as_str())
    }

    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }
}

const SIGNS: [&str; 10] = ["->>", "->", "||", "<>", "!=", "==", "<=", ">=", "<<", ">>"];

/// The tokens of `sql`. Bare words fold their case. A quoted name folds too if it is one of `names`: anything else in double
/// quotes may be a string, and stays as it is.
pub(crate) fn tokens(sql: &str, names: &(dyn Fn(&str) -> bool + Sync)) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if c.is_whitespace() => {
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
                continue;
            }
            '-' if rest.starts_with("--") => {
                rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.split_once("*/").map_or("", |(_, rest)| rest);
                continue;
            }
            '\'' => quoted(rest, '\''),
            '"' | '`' => quoted(rest, first),
            '[' => rest.find(']').map_or(rest.len(), |at| at + 1),
            'x' | 'X' if rest[1..].starts_with('\'') => 1 + quoted(&rest[1..], '\''),
            c if c.is_ascii_digit() => number(rest),
            c if c.is_alphabetic() || c == '_' => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len())
            }
            c => SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(c.len_utf8(), |sign| sign.len()),
        };
        let (text, after) = rest.split_at(length);
        let mut next = token(first, text, names);
        if next.kind == Kind::Name && out.last().is_some_and(|last: &Token| last.is_word(&["collate"])) {
            next.text = next.raw.to_lowercase();
        }
        out.push(next);
        rest = after;
    }
    out
}

fn token(first: char, text: &str, names: &(dyn Fn(&str) -> bool + Sync)) -> Token {
    let make = |kind, text: String, raw: &str| Token { kind, text, raw: raw.to_owned() };
    match first {
        '"' | '`' | '[' => {
            let name = unquoted(text);
            let folded = if names(&name.to_lowercase()) { name.to_lowercase() } else { text.to_owned() };
            make(Kind::Name, folded, &name)
        }
        '\'' => make(Kind::Literal, text.to_owned(), text),
        c if c.is_ascii_digit() || text.ends_with('\'') => make(Kind::Literal, text.to_lowercase(), text),
        c if c.is_alphabetic() || c == '_' => make(Kind::Word, text.to_lowercase(), text),
        _ => make(Kind::Sign, text.to_owned(), text),
    }
}

fn quoted(text: &str, quote: char) -> usize {
    let mut places = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = places.next() {
        if c != quote {
            continue;
        }
        if places.peek().is_some_and(|(_, next)| *next == quote) {
            places.next();
        } else {
            return at + c.len_utf8();
        }
    }
    text.len()
}

fn number(text: &str) -> usize {
    if text.starts_with("0x") || text.starts_with("0X") {
        return 2 + text[2..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len() - 2);
    }
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(text.len())
}

fn unquoted(text: &str) -> String {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    match text.chars().next() {
        Some(quote @ ('"' | '`')) => inner.replace(&format!("{quote}{quote}"), &quote.to_string()),
        _ => inner.to_owned(),
    }
}

/// Tokens as one text.
pub(crate) fn text_of(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The place just past the group that opens at `at`.
pub(crate) fn group_end(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        if token.is_sign("(") {
            depth += 1;
        } else if token.is_sign(")") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return place + 1;
            }
        }
    }
    tokens.len()
}

/// The pieces between commas that are in no group.
pub(crate) fn split_commas(tokens: &[Token]) -> Vec<&[Token]> {
    let mut out = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        if token.is_sign("(") {
            depth += 1;
        } else if token.is_sign(")") {
            depth = depth.saturating_sub(1);
        } else if token.is_sign(",") && depth == 0 {
            out.push(&tokens[start..at]);
            start = at + 1;
        }
    }
    out.push(&tokens[start..]);
    out.retain(|piece| !piece.is_empty());
    out
}
