//! Lexical pieces of SQL text.

/// A piece of SQL text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its text, exactly as written.
    pub text: String,
}

/// What a piece of SQL text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A bare word: keyword or unquoted name.
    Word,
    /// A quoted name.
    QuotedName,
    /// A string, of any form the engine knows.
    Text,
    /// A number.
    Number,
    /// A parameter or variable.
    Parameter,
    /// An operator or punctuation mark.
    Symbol,
    /// Blanks and line ends.
    Space,
    /// A comment.
    Comment,
}

impl Token {
    /// The name that a bare word or quoted name stands for: quotes undone, bare words as written. `None` for anything else.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        match self.kind {
            TokenKind::Word => Some(self.text.clone()),
            TokenKind::QuotedName => {
                let mut chars = self.text.chars();
                let open = chars.next()?;
                let close = if open == '[' { ']' } else { open };
                let inner = chars.as_str().strip_suffix(close)?;
                Some(inner.replace(&format!("{close}{close}"), &close.to_string()))
            }
            TokenKind::Text
            | TokenKind::Number
            | TokenKind::Parameter
            | TokenKind::Symbol
            | TokenKind::Space
            | TokenKind::Comment => None,
        }
    }

    /// Whether it is a bare word, whatever its letter case.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it matters to the meaning: not blank, not a comment.
    #[must_use]
    pub const fn is_solid(&self) -> bool {
        !matches!(self.kind, TokenKind::Space | TokenKind::Comment)
    }
}
