//! SQLite's lexical rules.

use crate::{Token, TokenKind};

/// Operators of more than one character, longest first.
const OPERATORS: [&str; 11] = ["->>", "->", "||", "<>", "!=", "==", "<=", ">=", "<<", ">>", "::"];

/// Splits SQL text. Joined again, the tokens give the text back.
#[must_use]
pub fn tokens(sql: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = measure(rest, first);
        let (text, after) = rest.split_at_checked(length.max(first.len_utf8())).unwrap_or((rest, ""));
        found.push(Token { kind, text: text.to_owned() });
        rest = after;
    }
    found
}

/// Kind and length in bytes of the token at the start of `rest`.
fn measure(rest: &str, first: char) -> (TokenKind, usize) {
    let run = |belongs: fn(char) -> bool| rest.find(|c: char| !belongs(c)).unwrap_or(rest.len());
    match first {
        ' ' | '\t' | '\n' | '\r' | '\x0c' => (TokenKind::Space, run(is_space)),
        '-' if rest.starts_with("--") => (TokenKind::Comment, rest.find('\n').unwrap_or(rest.len())),
        '/' if rest.starts_with("/*") => (TokenKind::Comment, block_comment(rest)),
        '\'' => (TokenKind::Text, quoted(rest, '\'')),
        '"' | '`' => (TokenKind::QuotedName, quoted(rest, first)),
        '[' => (TokenKind::QuotedName, rest.find(']').map_or(rest.len(), |at| at + 1)),
        'x' | 'X' if rest[1..].starts_with('\'') => (TokenKind::Text, 1 + quoted(&rest[1..], '\'')),
        '0'..='9' => (TokenKind::Number, number(rest)),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => (TokenKind::Number, number(rest)),
        '?' => (TokenKind::Parameter, 1 + rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1)),
        ':' | '@' | '$' | '#' if rest[1..].starts_with(is_name_char) => (TokenKind::Parameter, parameter(rest)),
        _ if is_name_char(first) => (TokenKind::Word, run(is_name_char)),
        _ => {
            let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
            (TokenKind::Symbol, operator.map_or(first.len_utf8(), |operator| operator.len()))
        }
    }
}

const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

/// Whether `c` may be part of a bare word.
pub(crate) const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

fn block_comment(rest: &str) -> usize {
    rest[2..].find("*/").map_or(rest.len(), |at| at + 4)
}

/// Length of a text in quotes, doubled quotes included; up to the end where it is never closed.
fn quoted(rest: &str, quote: char) -> usize {
    let mut from = 1;
    while let Some(at) = rest[from..].find(quote) {
        from += at + 1;
        if !rest[from..].starts_with(quote) {
            return from;
        }
        from += 1;
    }
    rest.len()
}

/// Length of a number: hexadecimal, or decimal with fraction, exponent and underscores.
fn number(rest: &str) -> usize {
    let digits = |from: usize, is_digit: fn(char) -> bool| {
        from + rest[from..].find(|c: char| !is_digit(c) && c != '_').unwrap_or(rest.len() - from)
    };
    let decimal = |c: char| c.is_ascii_digit();
    if rest.starts_with("0x") || rest.starts_with("0X") {
        return digits(2, |c| c.is_ascii_hexdigit());
    }
    let mut end = if rest.starts_with('.') { 0 } else { digits(0, decimal) };
    if rest[end..].starts_with('.') {
        end = digits(end + 1, decimal);
    }
    let exponent = &rest[end..];
    if exponent.starts_with(['e', 'E']) {
        let sign = usize::from(exponent[1..].starts_with(['+', '-']));
        if exponent[1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
            end = digits(end + 1 + sign, decimal);
        }
    }
    end
}

/// Length of `:name`, `@name`, `#1` or `$name`, which may go on as `$a::b(c)`.
fn parameter(rest: &str) -> usize {
    let mut end = 1 + rest[1..].find(|c: char| !is_name_char(c)).unwrap_or(rest.len() - 1);
    while rest[end..].starts_with("::") {
        end += 2;
        end += rest[end..].find(|c: char| !is_name_char(c)).unwrap_or(rest.len() - end);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(sql: &str) -> Vec<(TokenKind, String)> {
        let found = tokens(sql);
        assert_eq!(found.iter().map(|token| token.text.as_str()).collect::<String>(), sql);
        found.into_iter().filter(Token::is_solid).map(|token| (token.kind, token.text)).collect()
    }

    fn one(sql: &str) -> TokenKind {
        let found = kinds(sql);
        assert_eq!(found.len(), 1, "{sql}: {found:?}");
        found[0].0
    }

    #[test]
    fn each_kind_is_told_apart() {
        for sql in ["a", "_b", "größe", "a$1", "SELECT"] {
            assert_eq!(one(sql), TokenKind::Word, "{sql}");
        }
        for sql in ["\"a \"\" b\"", "[a ' b]", "`a `` \" b`"] {
            assert_eq!(one(sql), TokenKind::QuotedName, "{sql}");
        }
        for sql in ["'it''s; -- not'", "x'AB01'", "X''"] {
            assert_eq!(one(sql), TokenKind::Text, "{sql}");
        }
        for sql in ["1", "1.5", ".5", "1.", "1e10", "1.5E-3", "0xFFp".trim_end_matches('p'), "1_000"] {
            assert_eq!(one(sql), TokenKind::Number, "{sql}");
        }
        for sql in ["?", "?12", ":a", "@a", "$a", "$a::b"] {
            assert_eq!(one(sql), TokenKind::Parameter, "{sql}");
        }
        for sql in ["||", "->", "->>", "<>", "!=", "==", "<<", "(", ";", "~"] {
            assert_eq!(one(sql), TokenKind::Symbol, "{sql}");
        }
    }

    #[test]
    fn nothing_inside_a_comment_or_text_counts() {
        let found = kinds("a -- ' \" (\n/* ' */ , 'b -- c' /* open");
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["a", ",", "'b -- c'"]);
    }

    #[test]
    fn texts_that_never_end_are_one_token() {
        for sql in ["'open", "\"open", "[open", "`open", "/* open", "x'open"] {
            assert_eq!(tokens(sql).len(), 1, "{sql}");
        }
    }

    #[test]
    fn no_text_loses_a_character() {
        // Every text over the characters that begin or end something, up to four of them.
        let alphabet = ["'", "\"", "`", "[", "]", "-", "/", "*", "x", "1", ".", "e", "+", "$", ":", "\n", "ä", ";"];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            texts = texts.iter().flat_map(|text| alphabet.iter().map(move |c| format!("{text}{c}"))).collect();
            for text in &texts {
                let joined: String = tokens(text).iter().map(|token| token.text.as_str()).collect();
                assert_eq!(joined, *text);
            }
        }
    }

    #[test]
    fn an_exponent_needs_digits() {
        let found = kinds("1e+x 2 e 3.e5");
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["1", "e", "+", "x", "2", "e", "3.e5"]);
    }
}
