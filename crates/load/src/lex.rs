//! The lexical rules that matter for finding where a statement ends.

use trueup_dialect::mysql::Quoting;
use trueup_schema::DialectId;

/// A lexical piece of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A bare word.
    Word,
    /// A string or quoted name.
    Quoted,
    /// A comment, line end not included.
    Comment,
    /// Blanks and line ends.
    Space,
    /// Anything else: one character.
    Symbol,
}

/// Kind and length in bytes of the first piece of `text`, or what is opened and never closed. `text` is not empty.
pub(crate) fn first_piece(dialect: DialectId, quoting: Quoting, text: &str) -> Result<(Piece, usize), &'static str> {
    let bytes = text.as_bytes();
    let first = text.chars().next().unwrap_or(' ');
    if first.is_whitespace() {
        return Ok((Piece::Space, text.find(|c: char| !c.is_whitespace()).unwrap_or(text.len())));
    }
    if let Some(length) = executable(dialect, text) {
        return Ok((Piece::Symbol, length));
    }
    if let Some(length) = comment(dialect, text)? {
        return Ok((Piece::Comment, length));
    }
    let mysql = matches!(dialect, DialectId::MySql | DialectId::MariaDb);
    let postgres = dialect == DialectId::Postgres;
    let escapes = mysql && !quoting.no_backslash_escapes;
    match first {
        '\'' => quoted(text, 1, '\'', escapes).map(|n| (Piece::Quoted, n)).ok_or("a string"),
        '"' => quoted(text, 1, '"', escapes && !quoting.ansi_quotes).map(|n| (Piece::Quoted, n)).ok_or("a quoted name"),
        '`' if !postgres => quoted(text, 1, '`', false).map(|n| (Piece::Quoted, n)).ok_or("a quoted name"),
        '[' if dialect == DialectId::Sqlite => {
            text.find(']').map(|end| (Piece::Quoted, end + 1)).ok_or("a quoted name")
        }
        'e' | 'E' if postgres && bytes.get(1) == Some(&b'\'') => {
            quoted(text, 2, '\'', true).map(|n| (Piece::Quoted, n)).ok_or("a string")
        }
        '$' if postgres => dollar_quoted(text),
        c if is_word_start(c) => Ok((
            Piece::Word,
            text.find(|c: char| !(is_word_start(c) || c.is_ascii_digit() || c == '$')).unwrap_or(text.len()),
        )),
        c if c.is_ascii_digit() => {
            let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(text.len());
            Ok((Piece::Symbol, end))
        }
        c => Ok((Piece::Symbol, c.len_utf8())),
    }
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || (!c.is_ascii() && !c.is_whitespace())
}

/// Length of the mark that opens a comment whose content is SQL to the server. Versions that no server has are for client programs.
fn executable(dialect: DialectId, text: &str) -> Option<usize> {
    let marks: &[&str] = match dialect {
        DialectId::MySql => &["/*!"],
        DialectId::MariaDb => &["/*!", "/*M!"],
        DialectId::Postgres | DialectId::Sqlite => &[],
    };
    let mark = marks.iter().find(|mark| text.starts_with(**mark))?;
    let digits = text[mark.len()..].bytes().take_while(u8::is_ascii_digit).count();
    let is_open = !text[mark.len()..].starts_with("999999");
    is_open.then(|| mark.len() + if matches!(digits, 5 | 6) { digits } else { 0 })
}

/// Length of a comment at the start of `text`.
fn comment(dialect: DialectId, text: &str) -> Result<Option<usize>, &'static str> {
    let mysql = matches!(dialect, DialectId::MySql | DialectId::MariaDb);
    let line_end = || text.find('\n').unwrap_or(text.len());
    if let Some(rest) = text.strip_prefix("--") {
        // MySQL wants a blank after the dashes: `5--3` is arithmetic there
        if !mysql || rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c.is_control()) {
            return Ok(Some(line_end()));
        }
    }
    if mysql && text.starts_with('#') {
        return Ok(Some(line_end()));
    }
    if !text.starts_with("/*") {
        return Ok(None);
    }
    let nests = dialect == DialectId::Postgres;
    let mut depth = 0_usize;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") && (nests || depth == 0) {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Ok(Some(at));
            }
        } else {
            at += 1;
        }
    }
    // SQLite takes the end of the file for the end of a comment
    if dialect == DialectId::Sqlite { Ok(Some(text.len())) } else { Err("a comment") }
}

/// Length of a quoted piece that starts at the beginning of `text`, its opening quote ending at byte `start`.
fn quoted(text: &str, start: usize, quote: char, backslash: bool) -> Option<usize> {
    let mut chars = text[start..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && backslash {
            chars.next();
        } else if c == quote {
            match chars.peek() {
                Some((_, next)) if *next == quote => {
                    chars.next();
                }
                _ => return Some(start + at + quote.len_utf8()),
            }
        }
    }
    None
}

/// A dollar-quoted string, a parameter, or a lone dollar sign.
fn dollar_quoted(text: &str) -> Result<(Piece, usize), &'static str> {
    let tag_end = text[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(text.len(), |end| end + 1);
    let tag = &text[..tag_end];
    let starts_with_digit = tag[1..].starts_with(|c: char| c.is_ascii_digit());
    if !text[tag_end..].starts_with('$') || starts_with_digit {
        return Ok((Piece::Symbol, 1));
    }
    let delimiter = &text[..=tag_end];
    match text[delimiter.len()..].find(delimiter) {
        Some(end) => Ok((Piece::Quoted, delimiter.len() + end + delimiter.len())),
        None => Err("a dollar-quoted string"),
    }
}
