//! Lexical rules of PostgreSQL, with `standard_conforming_strings` on.

use crate::{Token, TokenKind};

/// Splits `sql` into tokens. Joined again, they give `sql` back, whatever it holds: what never ends runs to the end of the text.
pub(super) fn tokens(sql: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = token(rest, first);
        let length = length.max(first.len_utf8()).min(rest.len());
        let (text, after) = rest.split_at(length);
        found.push(Token { kind, text: text.to_owned() });
        rest = after;
    }
    found
}

fn token(rest: &str, first: char) -> (TokenKind, usize) {
    let second = rest[first.len_utf8()..].chars().next();
    match (first, second) {
        ('-', Some('-')) => (TokenKind::Comment, rest.find(['\n', '\r']).unwrap_or(rest.len())),
        ('/', Some('*')) => (TokenKind::Comment, block_comment(rest)),
        ('\'', _) => (TokenKind::Text, quoted(rest, '\'', false)),
        ('"', _) => (TokenKind::QuotedName, quoted(rest, '"', false)),
        ('e' | 'E', Some('\'')) => (TokenKind::Text, 1 + quoted(&rest[1..], '\'', true)),
        ('b' | 'B' | 'x' | 'X' | 'n' | 'N', Some('\'')) => (TokenKind::Text, 1 + quoted(&rest[1..], '\'', false)),
        ('u' | 'U', Some('&')) if rest[2..].starts_with('\'') => (TokenKind::Text, 2 + quoted(&rest[2..], '\'', false)),
        // Its escapes are not undone here, so it is no plain quoted name.
        ('u' | 'U', Some('&')) if rest[2..].starts_with('"') => (TokenKind::Text, 2 + quoted(&rest[2..], '"', false)),
        ('$', Some('0'..='9')) => (TokenKind::Parameter, 1 + digits(&rest[1..])),
        ('$', _) => match dollar_quoted(rest) {
            Some(length) => (TokenKind::Text, length),
            None => (TokenKind::Symbol, 1),
        },
        ('0'..='9', _) | ('.', Some('0'..='9')) => (TokenKind::Number, number(rest)),
        _ if first.is_whitespace() => (TokenKind::Space, rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())),
        _ if is_word_start(first) => (TokenKind::Word, rest.find(|c| !is_word_part(c)).unwrap_or(rest.len())),
        (':', Some(':' | '=')) | ('.', Some('.')) | ('=', Some('>')) => (TokenKind::Symbol, 2),
        _ if is_operator(first) => (TokenKind::Symbol, operator(rest)),
        _ => (TokenKind::Symbol, first.len_utf8()),
    }
}

/// Whether a bare name may start with `c`: a letter of any alphabet or an underscore.
pub(super) const fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

const fn is_word_part(c: char) -> bool {
    is_word_start(c) || c.is_ascii_digit() || c == '$'
}

const fn is_operator(c: char) -> bool {
    matches!(c, '+' | '-' | '*' | '/' | '<' | '>' | '=' | '~' | '!' | '@' | '#' | '%' | '^' | '&' | '|' | '`' | '?')
}

/// An operator ends where it stops being made of operator characters, or where a comment starts.
fn operator(rest: &str) -> usize {
    let mut length = 0;
    for (at, c) in rest.char_indices() {
        let comment = rest[at..].starts_with("--") || rest[at..].starts_with("/*");
        if !is_operator(c) || (comment && at > 0) {
            break;
        }
        length = at + c.len_utf8();
    }
    // A longer operator ends in + or - only if it holds one of these.
    let special = |text: &str| text.contains(['~', '!', '@', '#', '%', '^', '&', '|', '`', '?']);
    while length > 1 && rest[..length].ends_with(['+', '-']) && !special(&rest[..length]) {
        length -= 1;
    }
    length
}

/// The length of a quoted piece that starts with `quote`; a doubled quote does not end it, nor a backslashed one where `escapes`.
fn quoted(rest: &str, quote: char, escapes: bool) -> usize {
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if escapes && c == '\\' {
            chars.next();
        } else if c == quote {
            if chars.peek().is_none_or(|(_, next)| *next != quote) {
                return at + 1;
            }
            chars.next();
        }
    }
    rest.len()
}

/// Comments nest.
fn block_comment(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0usize, 0usize);
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'/', b'*') => {
                depth += 1;
                at += 2;
            }
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

/// `$tag$ … $tag$`, or nothing if what starts here is no such text.
fn dollar_quoted(rest: &str) -> Option<usize> {
    let tag_end = 1 + rest[1..].find('$')?;
    let tag = &rest[1..tag_end];
    let mut chars = tag.chars();
    let fits = chars.next().is_none_or(is_word_start) && chars.all(|c| is_word_part(c) && c != '$');
    if !fits {
        return None;
    }
    let delimiter = &rest[..=tag_end];
    let body = &rest[delimiter.len()..];
    Some(body.find(delimiter).map_or(rest.len(), |end| delimiter.len() + end + delimiter.len()))
}

fn digits(rest: &str) -> usize {
    rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
}

/// Digits with underscores, a fraction, an exponent; `0x`, `0o`, `0b`. Letters that trail it are a word of their own.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let radix = |c: &u8| matches!(c, b'x' | b'X' | b'o' | b'O' | b'b' | b'B');
    if bytes.first() == Some(&b'0') && bytes.get(1).is_some_and(radix) {
        let end = rest[2..].find(|c: char| !c.is_ascii_hexdigit() && c != '_').unwrap_or(rest.len() - 2);
        if end > 0 {
            return 2 + end;
        }
    }
    let part = |at: usize| rest[at..].find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(rest.len() - at);
    let mut at = part(0);
    // `1..10` is a range, not a fraction.
    if bytes.get(at) == Some(&b'.') && bytes.get(at + 1) != Some(&b'.') {
        at += 1 + part(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(&rest[at + 1 + sign..]);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solid(sql: &str) -> Vec<(TokenKind, String)> {
        tokens(sql).into_iter().filter(Token::is_solid).map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn texts_of_every_form_are_one_token() {
        for text in [
            "'it''s'",
            "E'a\\'b'",
            "e'\\\\'",
            "U&'d\\0061t'",
            "B'101'",
            "x'ff'",
            "$$a $ b$$",
            "$fn$ a $$ b; $fn$",
            "'back\\'",
            "'line\nend'",
        ] {
            assert_eq!(solid(text), [(TokenKind::Text, text.to_owned())], "{text}");
        }
    }

    #[test]
    fn casts_operators_and_parameters_are_told_apart() {
        let words: Vec<String> =
            solid("$1::int4[]<>-2 and a->>'b'||c.d@-3").into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            words,
            ["$1", "::", "int4", "[", "]", "<>", "-", "2", "and", "a", "->>", "'b'", "||", "c", ".", "d", "@-", "3"]
        );
    }

    #[test]
    fn comments_nest_and_end_operators() {
        assert_eq!(
            solid("a/* x /* y */ z */b"),
            [(TokenKind::Word, "a".to_owned()), (TokenKind::Word, "b".to_owned())]
        );
        assert_eq!(solid("1*--two\n3").len(), 3);
        assert_eq!(solid("1 +/*c*/ 2").len(), 3);
    }

    #[test]
    fn names_and_numbers() {
        assert_eq!(solid("größe$1 \"a\"\"b\"").len(), 2);
        assert_eq!(tokens("\"a\"\"b\"")[0].name().as_deref(), Some("a\"b"));
        for number in ["1", "1.5", ".5", "1e10", "1.5E-3", "0xFF", "1_000"] {
            assert_eq!(solid(number), [(TokenKind::Number, number.to_owned())]);
        }
        assert_eq!(solid("1..2").len(), 3);
    }

    #[test]
    fn whatever_is_split_joins_again() {
        for sql in [
            "'open",
            "\"open",
            "/* open",
            "$a$ open",
            "$",
            "a$b$c",
            "\u{0}é😀-- x",
            "U&\"d\\0061\"",
            "E'",
            "0x",
            "1e",
            "$é$",
        ] {
            assert_eq!(tokens(sql).iter().map(|token| token.text.as_str()).collect::<String>(), sql);
        }
    }
}
