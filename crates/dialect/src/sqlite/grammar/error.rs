//! What can be wrong with a declared text.

use trueup_schema::IdentError;

/// Why a text of `sqlite_schema` is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// Something else should stand here.
    #[error("expected {expected}, found `{found}` at byte {at}")]
    Expected {
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
        /// Where, from zero.
        at: usize,
    },
    /// The text ends too early.
    #[error("expected {expected}, found the end")]
    End {
        /// What should follow.
        expected: &'static str,
    },
    /// A name that cannot be one.
    #[error("a name at byte {at} cannot be used")]
    Name {
        /// Where, from zero.
        at: usize,
        /// What is wrong with it.
        source: IdentError,
    },
    /// SQLite's own grammar reads the text otherwise than its clauses were cut.
    #[error("the text can be read in two ways: {what}")]
    Disagrees {
        /// What differs.
        what: String,
    },
}
