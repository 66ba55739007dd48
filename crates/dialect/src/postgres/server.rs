//! The answers of PostgreSQL, each from the file that knows.

use trueup_schema::Ident;

use super::{names, tokens};
use crate::{NameKind, Token};

/// PostgreSQL at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Postgres {
    version: [u32; 3],
}

impl Postgres {
    /// PostgreSQL of `version`: major, minor.
    #[must_use]
    pub const fn new(version: [u32; 3]) -> Self {
        Self { version }
    }

    /// Whether `name` is what the server chooses by itself, a number behind it included.
    #[must_use]
    pub fn is_generated_name(kind: NameKind, table: &Ident, columns: &[Ident], name: &Ident) -> bool {
        names::is_generated(kind, table, columns, name)
    }

    /// Splits SQL text into tokens, whatever the version.
    #[must_use]
    pub fn split(sql: &str) -> Vec<Token> {
        tokens::tokens(sql)
    }
}
