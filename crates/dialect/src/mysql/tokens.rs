//! The lexical rules of MySQL and MariaDB, which depend on the `sql_mode`.

use crate::{Token, TokenKind};

/// Operators of more than one character, longest first.
const OPERATORS: [&str; 12] = ["->>", "<=>", "->", "||", "&&", "<>", "!=", "<=", ">=", "<<", ">>", ":="];

/// What quotes and backslashes mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quoting {
    /// Double quotes are for names, not for strings.
    pub ansi_quotes: bool,
    /// A backslash in a string is a character like any other.
    pub no_backslash_escapes: bool,
}

impl Quoting {
    /// Every way there is, the servers' own default first.
    pub const ALL: [Self; 4] = [
        Self { ansi_quotes: false, no_backslash_escapes: false },
        Self { ansi_quotes: true, no_backslash_escapes: false },
        Self { ansi_quotes: false, no_backslash_escapes: true },
        Self { ansi_quotes: true, no_backslash_escapes: true },
    ];

    /// Under this `sql_mode`, as the server prints it or as somebody sets it.
    #[must_use]
    pub fn of(sql_mode: &str) -> Self {
        let has = |words: &[&str]| {
            sql_mode.split(',').any(|mode| words.iter().any(|word| mode.trim().eq_ignore_ascii_case(word)))
        };
        Self {
            // The others stand for several modes, of which this is one.
            ansi_quotes: has(&["ANSI_QUOTES", "ANSI", "ORACLE", "MSSQL", "DB2", "POSTGRESQL", "MAXDB"]),
            no_backslash_escapes: has(&["NO_BACKSLASH_ESCAPES"]),
        }
    }
}

/// Splits SQL text by the servers' own default quoting. Joined again, the tokens give the text back.
pub fn tokens(sql: &str) -> Vec<Token> {
    tokens_under(sql, Quoting::default())
}

/// Splits SQL text. Joined again, the tokens give the text back.
///
/// What stands in `/*! … */` or `/*M! … */` is code for a server: the marks are symbols and the words between them are words.
pub fn tokens_under(sql: &str, quoting: Quoting) -> Vec<Token> {
    let mut found = Vec::new();
    let mut open = false;
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = if open && rest.starts_with("*/") {
            open = false;
            (TokenKind::Symbol, 2)
        } else if let Some(length) = executable(rest) {
            open = true;
            (TokenKind::Symbol, length)
        } else {
            measure(rest, first, quoting)
        };
        let (text, after) = rest.split_at_checked(length.max(first.len_utf8())).unwrap_or((rest, ""));
        found.push(Token { kind, text: text.to_owned() });
        rest = after;
    }
    found
}

/// Length of the mark that opens an executable comment, its version number included.
fn executable(rest: &str) -> Option<usize> {
    let mark = ["/*!", "/*M!"].into_iter().find(|mark| rest.starts_with(mark))?;
    let after = &rest[mark.len()..];
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    Some(mark.len() + if matches!(digits, 5 | 6) { digits } else { 0 })
}

/// Kind and length in bytes of the token at the start of `rest`.
fn measure(rest: &str, first: char, quoting: Quoting) -> (TokenKind, usize) {
    let escapes = !quoting.no_backslash_escapes;
    match first {
        _ if is_space(first) => (TokenKind::Space, run(rest, is_space)),
        '#' => (TokenKind::Comment, line(rest)),
        '-' if rest.starts_with("--")
            && rest[2..].chars().next().is_none_or(|c| c.is_whitespace() || c.is_control()) =>
        {
            (TokenKind::Comment, line(rest))
        }
        '/' if rest.starts_with("/*") => (TokenKind::Comment, rest[2..].find("*/").map_or(rest.len(), |at| at + 4)),
        '"' if quoting.ansi_quotes => (TokenKind::QuotedName, name(rest, first)),
        '\'' | '"' => (TokenKind::Text, text(rest, first, escapes)),
        '`' => (TokenKind::QuotedName, name(rest, first)),
        'x' | 'X' | 'b' | 'B' | 'n' | 'N' if rest[1..].starts_with('\'') => {
            (TokenKind::Text, 1 + text(&rest[1..], '\'', escapes))
        }
        '@' => (TokenKind::Parameter, variable(rest, escapes)),
        '?' => (TokenKind::Parameter, 1),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => (TokenKind::Number, number(rest)),
        '0'..='9' => {
            let (word, number) = (run(rest, is_name_char), number(rest));
            // A name may begin with digits, if something else follows.
            if word > number { (TokenKind::Word, word) } else { (TokenKind::Number, number) }
        }
        _ if is_name_char(first) => (TokenKind::Word, run(rest, is_name_char)),
        _ => {
            let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
            (TokenKind::Symbol, operator.map_or(first.len_utf8(), |operator| operator.len()))
        }
    }
}

fn run(rest: &str, belongs: fn(char) -> bool) -> usize {
    rest.find(|c: char| !belongs(c)).unwrap_or(rest.len())
}

const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// Whether `c` may be part of a bare word.
pub(crate) const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

fn line(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// Length of a string: doubled quotes escape, backslashes where they do; up to the end where it is never closed.
fn text(rest: &str, quote: char, escapes: bool) -> usize {
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if escapes && c == '\\' {
            chars.next();
        } else if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    rest.len()
}

/// Length of a quoted name; up to the end where it is never closed.
fn name(rest: &str, quote: char) -> usize {
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

/// Length of `@name`, `@@global.name`, or `` @`name` `` as in an account.
fn variable(rest: &str, escapes: bool) -> usize {
    let system = rest.starts_with("@@");
    let from = if system { 2 } else { 1 };
    match rest[from..].chars().next() {
        Some('`') => from + name(&rest[from..], '`'),
        Some(quote @ ('\'' | '"')) => from + text(&rest[from..], quote, escapes),
        _ => from + run(&rest[from..], |c| is_name_char(c) || c == '.'),
    }
}

/// Length of a number: hexadecimal, bits, or decimal with fraction and exponent.
fn number(rest: &str) -> usize {
    let digits = |from: usize, is_digit: fn(char) -> bool| from + run(&rest[from..], is_digit);
    let decimal = |c: char| c.is_ascii_digit();
    if rest.starts_with("0x") && rest[2..].starts_with(|c: char| c.is_ascii_hexdigit()) {
        return digits(2, |c| c.is_ascii_hexdigit());
    }
    if rest.starts_with("0b") && rest[2..].starts_with(['0', '1']) {
        return digits(2, |c| matches!(c, '0' | '1'));
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

/// The tokens without blanks and comments, and without the character set in front of a text that is the same bytes in all of them: MySQL
/// turns `_utf8mb4'a'` beside a column of another character set into `_latin1'a'` whenever it writes the table anew.
pub(crate) fn meaning(sql: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    for token in tokens(sql).into_iter().filter(Token::is_solid) {
        if token.kind == TokenKind::Text && token.text.is_ascii() {
            found.pop_if(|before| before.kind == TokenKind::Word && is_introducer(&before.text));
        }
        found.push(token);
    }
    found
}

/// Whether it names a character set in which ASCII is what it is everywhere.
fn is_introducer(word: &str) -> bool {
    let wide = ["ucs2", "utf16", "utf16le", "utf32", "binary"];
    word.strip_prefix('_').is_some_and(|charset| !wide.iter().any(|wide| charset.eq_ignore_ascii_case(wide)))
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

    fn texts(sql: &str) -> Vec<String> {
        kinds(sql).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn each_kind_is_told_apart() {
        for sql in ["a", "_b", "größe", "a$1", "SELECT", "1a", "_utf8mb4", "0xg"] {
            assert_eq!(one(sql), TokenKind::Word, "{sql}");
        }
        assert_eq!(one("`a `` \" b\\`"), TokenKind::QuotedName);
        for sql in ["'it''s; -- not'", "'it\\'s'", "\"a \\\" ' \"\" b\"", "x'AB01'", "B'01'", "N'ä'", "'\\\\'"] {
            assert_eq!(one(sql), TokenKind::Text, "{sql}");
        }
        for sql in ["1", "1.5", ".5", "1.", "1e10", "1.5E-3", "0xFF", "0b01"] {
            assert_eq!(one(sql), TokenKind::Number, "{sql}");
        }
        for sql in ["?", "@a", "@@global.sql_mode", "@`a b`", "@'%'"] {
            assert_eq!(one(sql), TokenKind::Parameter, "{sql}");
        }
        for sql in ["||", "->", "->>", "<=>", "<>", ":=", "(", ";", "~", "&&"] {
            assert_eq!(one(sql), TokenKind::Symbol, "{sql}");
        }
    }

    #[test]
    fn comments_need_their_blank_and_code_in_comments_is_code() {
        assert_eq!(texts("a -- ' \" (\n# x '\n/* ' */ , 'b -- c' 5--1"), ["a", ",", "'b -- c'", "5", "-", "-", "1"]);
        assert_eq!(
            texts("/*!40101 SET x */ /*M!100301 COMPRESSED*/"),
            ["/*!40101", "SET", "x", "*/", "/*M!100301", "COMPRESSED", "*/"]
        );
        assert_eq!(texts("/*! a */ b */"), ["/*!", "a", "*/", "b", "*", "/"]);
        assert_eq!(texts("_utf8mb4'a' `u`@`h`"), ["_utf8mb4", "'a'", "`u`", "@`h`"]);
    }

    #[test]
    fn a_character_set_before_a_text_matters_where_it_changes_the_bytes() {
        let same = |a: &str, b: &str| meaning(a) == meaning(b);
        assert!(same("`a` <> _utf8mb4'' or b", "`a` <> _latin1'' /* */ or b"));
        assert!(same("_utf8mb4'x'", "'x'"));
        assert!(!same("_utf8mb4'ä'", "_latin1'ä'"));
        assert!(!same("_utf16'x'", "'x'") && !same("_binary'x'", "'x'"));
        assert!(!same("_a . 'x'", ". 'x'"));
    }

    #[test]
    fn texts_that_never_end_are_one_token() {
        for sql in ["'open", "\"open", "`open", "/* open", "x'open", "'open\\"] {
            assert_eq!(tokens(sql).len(), 1, "{sql}");
        }
    }

    #[test]
    fn the_mode_decides_what_quotes_mean() {
        let kinds = |sql: &str, mode: &str| {
            let list = tokens_under(sql, Quoting::of(mode)).into_iter().filter(Token::is_solid);
            list.map(|token| token.name().unwrap_or(token.text)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kinds(r#""a"".b" . x"#, ""), r#""a"".b" . x"#);
        assert_eq!(kinds(r#""a"".b" . x"#, "STRICT_ALL_TABLES,ANSI_QUOTES"), r#"a".b . x"#);
        assert_eq!(kinds(r"'a' , b'", ""), r"'a' , b'");
        assert_eq!(kinds(r"'a' , b", "no_backslash_escapes"), r"'a' , b");
        assert_eq!(Quoting::of("ORACLE"), Quoting::ALL[1]);
    }
}
