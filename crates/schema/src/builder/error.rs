//! What a builder gathers.

use crate::{DialectId, IdentError, Invalid, PathError};

/// One mistake in what was built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A text cannot be a name.
    #[error("{place}: {source}")]
    Ident {
        /// What it was to name.
        place: String,
        /// Why not.
        source: IdentError,
    },
    /// A text cannot be a name in a namespace.
    #[error("{place}: {source}")]
    Path {
        /// What it was to name.
        place: String,
        /// Why not.
        source: PathError,
    },
    /// An object is built twice.
    #[error("{place} is built twice")]
    Twice {
        /// The object.
        place: String,
    },
    /// The engine has no such thing.
    #[error("{place}: {dialect} has no {what}")]
    Unsupported {
        /// The object that asks for it.
        place: String,
        /// What it asks for.
        what: &'static str,
        /// The engine.
        dialect: DialectId,
    },
    /// A text literal holds a NUL character, which no server stores.
    #[error("{place}: a text holds a NUL character")]
    Nul {
        /// The object that has it.
        place: String,
    },
    /// The finished schema contradicts itself.
    #[error("{0}")]
    Invalid(Invalid),
}

/// Every mistake, in the order of building.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", list(.0))]
pub struct BuildErrors(pub Vec<BuildError>);

fn list(errors: &[BuildError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
