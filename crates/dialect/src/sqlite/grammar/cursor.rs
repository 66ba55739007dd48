//! Walks over the solid tokens of a text and gives back its bytes.

use trueup_schema::{Ident, SqlExpr};

use super::GrammarError;
use crate::sqlite::tokens::tokens;
use crate::{Token, TokenKind};

/// A solid token and where it stands in its text.
#[derive(Debug, Clone)]
struct Solid {
    token: Token,
    start: usize,
    end: usize,
}

/// A text cut into tokens.
#[derive(Debug, Clone)]
pub(crate) struct Text<'a> {
    sql: &'a str,
    solid: Vec<Solid>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(sql: &'a str) -> Self {
        let mut solid = Vec::new();
        let mut start = 0;
        for token in tokens(sql) {
            let end = start + token.text.len();
            if token.is_solid() {
                solid.push(Solid { token, start, end });
            }
            start = end;
        }
        while solid.last().is_some_and(|last| last.token.text == ";") {
            solid.pop();
        }
        Self { sql, solid }
    }

    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor { sql: self.sql, solid: &self.solid, at: 0 }
    }
}

/// A place in a run of tokens. The run may be the inside of a pair of parentheses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    sql: &'a str,
    solid: &'a [Solid],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn peek(&self) -> Option<&'a Token> {
        self.ahead(0)
    }

    pub(crate) fn ahead(&self, by: usize) -> Option<&'a Token> {
        self.solid.get(self.at + by).map(|solid| &solid.token)
    }

    pub(crate) const fn is_done(&self) -> bool {
        self.at >= self.solid.len()
    }

    /// Where the next token is, as a mark for [`Cursor::since`].
    pub(crate) const fn mark(&self) -> usize {
        self.at
    }

    pub(crate) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is_word(word))
    }

    pub(crate) fn at_symbol(&self, symbol: &str) -> bool {
        self.peek().is_some_and(|token| is_symbol(token, symbol))
    }

    /// Steps over `word` if it is next.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.at += usize::from(found);
        found
    }

    /// Steps over `words` if all of them are next.
    pub(crate) fn take_words(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(by, word)| self.ahead(by).is_some_and(|token| token.is_word(word)));
        if found {
            self.at += words.len();
        }
        found
    }

    pub(crate) fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn expect_word(&mut self, word: &'static str) -> Result<(), GrammarError> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(word)) }
    }

    pub(crate) fn expected(&self, expected: &'static str) -> GrammarError {
        match self.solid.get(self.at) {
            Some(solid) => GrammarError::Expected { expected, found: solid.token.text.clone(), at: solid.start },
            None => GrammarError::End { expected },
        }
    }

    /// Any word, as written.
    pub(crate) fn word(&mut self, expected: &'static str) -> Result<&'a str, GrammarError> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Word => {
                self.at += 1;
                Ok(&token.text)
            }
            _ => Err(self.expected(expected)),
        }
    }

    /// A name: bare, in any quotes, or in single quotes, which SQLite takes too.
    pub(crate) fn name(&mut self, expected: &'static str) -> Result<Ident, GrammarError> {
        let Some(solid) = self.solid.get(self.at) else { return Err(self.expected(expected)) };
        let text = name_of(&solid.token).ok_or_else(|| self.expected(expected))?;
        self.at += 1;
        Ident::new(text).map_err(|source| GrammarError::Name { at: solid.start, source })
    }

    /// `name` or `schema.name`, of which only the name is kept.
    pub(crate) fn qualified(&mut self, expected: &'static str) -> Result<Ident, GrammarError> {
        let first = self.name(expected)?;
        if self.take_symbol(".") { self.name(expected) } else { Ok(first) }
    }

    /// Steps over a pair of parentheses and gives their inside.
    pub(crate) fn group(&mut self) -> Result<Self, GrammarError> {
        if !self.at_symbol("(") {
            return Err(self.expected("("));
        }
        let inside = self.at + 1;
        let mut depth = 0_usize;
        for (at, solid) in self.solid.iter().enumerate().skip(self.at) {
            if is_symbol(&solid.token, "(") {
                depth += 1;
            } else if is_symbol(&solid.token, ")") {
                depth -= 1;
                if depth == 0 {
                    self.at = at + 1;
                    return Ok(Self { sql: self.sql, solid: self.solid.get(inside..at).unwrap_or_default(), at: 0 });
                }
            }
        }
        Err(GrammarError::End { expected: ")" })
    }

    /// Steps up to the next comma outside parentheses, or to the end, and gives what was passed.
    pub(crate) fn until_comma(&mut self) -> Self {
        let from = self.at;
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            if is_symbol(token, ",") && depth == 0 {
                break;
            }
            if is_symbol(token, "(") {
                depth += 1;
            } else if is_symbol(token, ")") {
                depth = depth.saturating_sub(1);
            }
            self.at += 1;
        }
        Self { sql: self.sql, solid: self.solid.get(from..self.at).unwrap_or_default(), at: 0 }
    }

    /// The same run without its last `count` tokens.
    pub(crate) fn without_last(&self, count: usize) -> Self {
        let end = self.solid.len().saturating_sub(count);
        Self { sql: self.sql, solid: self.solid.get(..end).unwrap_or_default(), at: self.at }
    }

    pub(crate) const fn len(&self) -> usize {
        self.solid.len() - self.at
    }

    /// The bytes from the token at `mark` to the last one that was passed.
    pub(crate) fn since(&self, mark: usize) -> &'a str {
        self.bytes(mark, self.at)
    }

    /// The bytes of everything that follows; the cursor goes to the end.
    pub(crate) fn rest(&mut self) -> &'a str {
        let from = self.at;
        self.at = self.solid.len();
        self.bytes(from, self.at)
    }

    /// [`Cursor::rest`] as SQL text.
    pub(crate) fn rest_expr(&mut self) -> SqlExpr {
        SqlExpr::new(self.rest())
    }

    /// Where the next token starts in the text.
    pub(crate) fn offset(&self) -> Option<usize> {
        self.solid.get(self.at).map(|solid| solid.start)
    }

    fn bytes(&self, from: usize, to: usize) -> &'a str {
        let start = self.solid.get(from).map_or(0, |solid| solid.start);
        let end = to.checked_sub(1).and_then(|last| self.solid.get(last)).map_or(start, |solid| solid.end);
        self.sql.get(start..end).unwrap_or_default()
    }
}

pub(crate) fn is_symbol(token: &Token, symbol: &str) -> bool {
    token.kind == TokenKind::Symbol && token.text == symbol
}

/// The name that `token` stands for where SQLite expects one: a string in single quotes counts as well.
pub(crate) fn name_of(token: &Token) -> Option<String> {
    if token.kind == TokenKind::Text {
        let inner = token.text.strip_prefix('\'')?.strip_suffix('\'')?;
        return Some(inner.replace("''", "'"));
    }
    token.name()
}
