//! SQL text inside a schema.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::DialectId;

/// SQL text that only a server can fully understand: a default, a check, a predicate, the query of a view.
///
/// Whether it is in the server's own spelling is said once for a whole schema, by [`Form`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SqlExpr(pub String);

impl SqlExpr {
    /// SQL text as given.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SqlExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who spelled the SQL texts of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Form {
    /// A person or a program: the server may print the same thing differently.
    #[default]
    Declared,
    /// The server itself, of this engine and major version.
    Canonical {
        /// The engine.
        dialect: DialectId,
        /// Its major version; SQLite counts as 3.
        major: u32,
    },
}

/// The type of a column, attribute, domain or sequence. In documents a type of the engine itself is its text alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(untagged)]
pub enum DataType {
    /// A type of the engine itself with its parameters and array marks, in its own spelling: `character varying(20)`, `integer[]`,
    /// `int unsigned`, `enum('a','b')`. On SQLite the declared words, which may be none.
    Builtin(String),
    /// A type with a name of its own: an enum, domain, composite, range, or a type that an extension brought.
    Named(NamedType),
}

/// A use of a named type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedType {
    /// The type.
    pub name: crate::QualName,
    /// Its parameters in parentheses, as the server prints them, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub modifiers: String,
    /// Number of array dimensions as the server prints them (`[]` each).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dimensions: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(n: &u8) -> bool {
    *n == 0
}

impl DataType {
    /// A type of the engine itself.
    #[must_use]
    pub fn builtin(text: impl Into<String>) -> Self {
        Self::Builtin(text.into())
    }

    /// A named type without parameters.
    #[must_use]
    pub const fn named(name: crate::QualName) -> Self {
        Self::Named(NamedType { name, modifiers: String::new(), dimensions: 0 })
    }

    /// The name of a named type.
    #[must_use]
    pub const fn type_name(&self) -> Option<&crate::QualName> {
        match self {
            Self::Builtin(_) => None,
            Self::Named(named) => Some(&named.name),
        }
    }

    /// The type as SQL text of `dialect`.
    #[must_use]
    pub fn sql(&self, dialect: DialectId) -> String {
        match self {
            Self::Builtin(text) => text.clone(),
            Self::Named(named) => {
                format!(
                    "{}{}{}",
                    named.name.quoted(dialect),
                    named.modifiers,
                    "[]".repeat(usize::from(named.dimensions))
                )
            }
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(text) => f.write_str(text),
            Self::Named(named) => {
                write!(f, "{}{}{}", named.name, named.modifiers, "[]".repeat(usize::from(named.dimensions)))
            }
        }
    }
}
