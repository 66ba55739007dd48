//! Whether a text is one statement. SQLite itself would run all of them.

use crate::{DbError, DbErrorKind};

/// What ends or names something; blanks and comments are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Semicolon,
    Other,
}

/// Refuses a text with anything but blanks and comments after its first statement.
///
/// A statement ends at its first semicolon, a trigger at the one after `; END`.
pub(super) fn check(sql: &str) -> Result<(), DbError> {
    let mut tokens = Tokens(sql);
    let is_trigger = starts_trigger(Tokens(sql));
    let (mut last, mut one_before) = (Token::Other, Token::Other);
    loop {
        let Some(token) = tokens.next() else { return Ok(()) };
        let at_end = !is_trigger || (one_before == Token::Semicolon && is_word(last, "END"));
        if token == Token::Semicolon && at_end {
            break;
        }
        (one_before, last) = (last, token);
    }
    if tokens.all(|token| token == Token::Semicolon) {
        return Ok(());
    }
    Err(DbError::new(DbErrorKind::Syntax, "several statements at once: each is run on its own"))
}

/// Whether the statement changes rows, so that the count of changed rows is its own and not that of the one before.
pub(super) fn changes_rows(sql: &str) -> bool {
    let first = Tokens(sql).next().unwrap_or(Token::Other);
    ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"].iter().any(|word| is_word(first, word))
}

fn is_word(token: Token<'_>, word: &str) -> bool {
    matches!(token, Token::Word(text) if text.eq_ignore_ascii_case(word))
}

/// CREATE [TEMP | TEMPORARY] TRIGGER, perhaps explained.
fn starts_trigger(tokens: Tokens<'_>) -> bool {
    let mut words = tokens.skip_while(|token| ["EXPLAIN", "QUERY", "PLAN"].iter().any(|word| is_word(*token, word)));
    if !words.next().is_some_and(|token| is_word(token, "CREATE")) {
        return false;
    }
    let mut words = words.skip_while(|token| is_word(*token, "TEMP") || is_word(*token, "TEMPORARY"));
    words.next().is_some_and(|token| is_word(token, "TRIGGER"))
}

struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.0 = self.0.trim_start();
            if let Some(comment) = self.0.strip_prefix("--") {
                self.0 = comment.split_once('\n').map_or("", |(_, after)| after);
            } else if let Some(comment) = self.0.strip_prefix("/*") {
                self.0 = comment.split_once("*/").map_or("", |(_, after)| after);
            } else {
                break;
            }
        }
        let first = self.0.chars().next()?;
        let word_end = self.0.find(|c: char| !is_word_char(c)).unwrap_or(self.0.len());
        let (token, length) = match first {
            ';' => (Token::Semicolon, 1),
            '\'' | '"' | '`' => (Token::Other, quoted(self.0, first)),
            '[' => (Token::Other, quoted(self.0, ']')),
            _ if word_end > 0 => (Token::Word(self.0.get(..word_end)?), word_end),
            _ => (Token::Other, first.len_utf8()),
        };
        self.0 = self.0.get(length..).unwrap_or_default();
        Some(token)
    }
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

/// Length of a quoted text. A doubled quote reads as two texts side by side, which comes to the same here.
fn quoted(text: &str, close: char) -> usize {
    let inner = text.get(1..).unwrap_or_default();
    inner.find(close).map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_statement_is_one_whatever_it_holds() {
        for sql in [
            "SELECT 1",
            "SELECT 1; ;-- done; really\n/* ; */",
            "SELECT ';' AS \"a;b\", [c;d], `e;f`, 'it''s;'",
            "CREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM y; END",
            "create temp trigger if not exists t after insert on x begin delete from y; end;",
            "",
            "-- nothing",
            "SELECT 'open",
        ] {
            assert_eq!(check(sql), Ok(()), "{sql}");
        }
    }

    #[test]
    fn two_statements_are_refused() {
        for sql in [
            "SELECT 1; SELECT 2",
            "SELECT 1;/* x */DROP TABLE t",
            "CREATE TRIGGER t AFTER INSERT ON x BEGIN DELETE FROM y; END; DROP TABLE y",
            "CREATE TABLE trigger_t (x); DROP TABLE y",
        ] {
            assert_eq!(check(sql).unwrap_err().kind, DbErrorKind::Syntax, "{sql}");
        }
    }

    #[test]
    fn only_some_statements_change_rows() {
        assert!(changes_rows("/* x */ insert into t values (1)") && !changes_rows("DROP TABLE t"));
    }
}
