//! What can be wrong with a document.

use std::fmt;

use trueup_schema::Invalid;

/// A place in a text, both numbers from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// The place of the byte at `offset`.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a text is no document that this binary reads, or a schema cannot be written as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The text is not JSON or TOML.
    #[error("{at}: {message}")]
    Syntax {
        /// Where.
        at: Position,
        /// What is wrong.
        message: String,
    },
    /// The top of the text is no object.
    #[error("{at}: a document is an object")]
    NotADocument {
        /// Where.
        at: Position,
    },
    /// The document does not say its version.
    #[error("the document does not say its format: the key `trueup` with the value 1 is missing at its top")]
    NoVersion,
    /// The document is of another version.
    #[error("{at}: the document is of format {found}; this binary reads format 1")]
    Version {
        /// Where it says so.
        at: Position,
        /// What it says.
        found: String,
    },
    /// A field is unknown, missing or of another type.
    #[error("{at}: {}{message}", prefix(path))]
    Field {
        /// Where.
        at: Position,
        /// The keys on the way there, such as `tables[0].columns[2].type`; empty at the top.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The document or a part of it is larger than any schema that makes sense.
    #[error("{place}{what}: {found} is more than {limit}")]
    Limit {
        /// Where, followed by a colon and a space; empty for the whole document.
        place: String,
        /// What is limited.
        what: &'static str,
        /// How much there is.
        found: usize,
        /// How much there may be.
        limit: usize,
    },
    /// The schema contradicts itself.
    #[error("the schema contradicts itself: {}", list(.0))]
    Invalid(Vec<Invalid>),
    /// The format cannot hold a value of the schema.
    #[error("the schema cannot be written: {message}")]
    Write {
        /// Why.
        message: String,
    },
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("`{path}`: ") }
}

fn list(found: &[Invalid]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
