//! Checked names and the one place that quotes them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::DialectId;

/// Longest name that any supported engine could hold, in bytes. Engines have tighter limits of their own.
const MAX_BYTES: usize = 1024;

/// A name as the server stores it: never empty, never with a NUL, never quoted.
///
/// Two names are equal when their bytes are. Folding by a server's own rule is the dialect's business.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ident(Arc<str>);

/// Why a text cannot be a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentError {
    /// The text is empty.
    #[error("a name is empty")]
    Empty,
    /// The text holds a NUL character, which no server can store.
    #[error("name `{}` holds a NUL character", .0.escape_debug())]
    Nul(String),
    /// The text is longer than any engine allows.
    #[error("name `{start}…` is {bytes} bytes long; no engine takes more than {MAX_BYTES}")]
    TooLong {
        /// Its first characters.
        start: String,
        /// Its length in bytes.
        bytes: usize,
    },
}

impl Ident {
    /// Checks `text` and makes a name of it.
    ///
    /// # Errors
    /// [`IdentError`] if the text is empty, holds a NUL or is longer than 1024 bytes.
    pub fn new(text: impl AsRef<str>) -> Result<Self, IdentError> {
        let text = text.as_ref();
        if text.is_empty() {
            return Err(IdentError::Empty);
        }
        if text.contains('\0') {
            return Err(IdentError::Nul(text.to_owned()));
        }
        if text.len() > MAX_BYTES {
            return Err(IdentError::TooLong { start: text.chars().take(40).collect(), bytes: text.len() });
        }
        Ok(Self(Arc::from(text)))
    }

    /// A name for something whose own is no name, inside a builder that is sure to fail.
    pub(crate) fn stand_in() -> Self {
        Self(Arc::from("?"))
    }

    /// The bare text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as SQL text of `dialect`, always quoted.
    #[must_use]
    pub fn quoted(&self, dialect: DialectId) -> String {
        let quote = dialect.quote_char();
        let mut sql = String::with_capacity(self.0.len() + 2);
        sql.push(quote);
        for c in self.0.chars() {
            if c == quote {
                sql.push(quote);
            }
            sql.push(c);
        }
        sql.push(quote);
        sql
    }

    /// The name as a part of a path that people read and write: bare where that is unambiguous, else in double quotes.
    #[must_use]
    pub fn path_part(&self) -> String {
        let plain = self.0.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
        if plain { self.0.to_string() } else { format!("\"{}\"", self.0.replace('"', "\"\"")) }
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path_part())
    }
}

impl fmt::Debug for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for Ident {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Ident {
    type Error = IdentError;
    fn try_from(text: String) -> Result<Self, IdentError> {
        Self::new(text)
    }
}

impl TryFrom<&str> for Ident {
    type Error = IdentError;
    fn try_from(text: &str) -> Result<Self, IdentError> {
        Self::new(text)
    }
}

impl From<Ident> for String {
    fn from(name: Ident) -> Self {
        name.0.as_ref().to_owned()
    }
}

/// A name inside a namespace. SQLite has one namespace that is never written: there it is `None`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QualName {
    /// PostgreSQL schema, or MySQL and MariaDB database.
    pub namespace: Option<Ident>,
    /// The object's own name.
    pub name: Ident,
}

impl QualName {
    /// A name in a namespace, or in the only one.
    #[must_use]
    pub const fn new(namespace: Option<Ident>, name: Ident) -> Self {
        Self { namespace, name }
    }

    /// Another name in the same namespace.
    #[must_use]
    pub fn sibling(&self, name: Ident) -> Self {
        Self { namespace: self.namespace.clone(), name }
    }

    /// The name as SQL text of `dialect`: quoted, qualified where there is a namespace.
    #[must_use]
    pub fn quoted(&self, dialect: DialectId) -> String {
        match &self.namespace {
            Some(namespace) => format!("{}.{}", namespace.quoted(dialect), self.name.quoted(dialect)),
            None => self.name.quoted(dialect),
        }
    }

    /// Reads `name` or `namespace.name`, parts in double quotes where they hold odd characters.
    ///
    /// # Errors
    /// [`PathError`] if the text is not one or two names.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut parts = split_path(text)?;
        match (parts.len(), parts.pop(), parts.pop()) {
            (1 | 2, Some(name), namespace) => Ok(Self { namespace, name }),
            _ => Err(PathError::Parts { path: text.to_owned(), expected: "`name` or `namespace.name`" }),
        }
    }
}

impl fmt::Display for QualName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}.")?;
        }
        fmt::Display::fmt(&self.name, f)
    }
}

impl fmt::Debug for QualName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for QualName {
    type Error = PathError;
    fn try_from(text: String) -> Result<Self, PathError> {
        Self::parse(&text)
    }
}

impl From<QualName> for String {
    fn from(name: QualName) -> Self {
        name.to_string()
    }
}

/// Why a text is not a path of names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// A part is not a name.
    #[error("path `{path}` holds a bad name")]
    Ident {
        /// The whole path.
        path: String,
        /// What is wrong with the part.
        source: IdentError,
    },
    /// A double quote is never closed, or something follows a closing one.
    #[error("path `{0}` has a stray double quote")]
    Quote(String),
    /// Too few or too many parts.
    #[error("path `{path}` should be {expected}")]
    Parts {
        /// The whole path.
        path: String,
        /// The form it should have.
        expected: &'static str,
    },
}

/// Splits a path such as `shop."odd.name".id` at its dots.
///
/// # Errors
/// [`PathError`] for an unclosed quote or a part that cannot be a name.
pub fn split_path(text: &str) -> Result<Vec<Ident>, PathError> {
    let bad = |source| PathError::Ident { path: text.to_owned(), source };
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => take_quoted(quoted).ok_or_else(|| PathError::Quote(text.to_owned()))?,
            None => match rest.find('.') {
                Some(dot) => (rest[..dot].to_owned(), &rest[dot..]),
                None => (rest.to_owned(), ""),
            },
        };
        parts.push(Ident::new(part).map_err(bad)?);
        if after.is_empty() {
            return Ok(parts);
        }
        rest = after.strip_prefix('.').ok_or_else(|| PathError::Quote(text.to_owned()))?;
    }
}

/// The text up to the closing quote, doubled quotes undone, and what follows it.
fn take_quoted(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '"' {
            part.push(c);
        } else if chars.peek().is_some_and(|(_, next)| *next == '"') {
            part.push('"');
            chars.next();
        } else {
            return Some((part, &text[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_inside_a_name_stays_inside() {
        let name = Ident::new("a\"b`c").unwrap();
        assert_eq!(name.quoted(DialectId::Postgres), "\"a\"\"b`c\"");
        assert_eq!(name.quoted(DialectId::MySql), "`a\"b``c`");
    }

    #[test]
    fn bad_names_are_refused() {
        assert_eq!(Ident::new(""), Err(IdentError::Empty));
        assert!(matches!(Ident::new("a\0b"), Err(IdentError::Nul(_))));
        assert!(matches!(Ident::new("x".repeat(2000)), Err(IdentError::TooLong { bytes: 2000, .. })));
    }

    #[test]
    fn paths_survive_a_round_trip() {
        for text in ["users", "shop.users", "\"odd.name\".\"with \"\"quotes\"\"\"", "größe.naïve"] {
            assert_eq!(QualName::parse(text).unwrap().to_string(), text);
        }
        assert!(QualName::parse("a.b.c").is_err());
        assert!(QualName::parse("\"a").is_err());
        assert!(QualName::parse("a.").is_err());
    }
}
