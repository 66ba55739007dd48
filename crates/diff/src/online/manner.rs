//! How a draft is carried out.

use trueup_schema::{Ident, PartId};

use crate::graph::Stage;

/// How a draft is carried out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Manner {
    /// As always.
    #[default]
    Usual,
    /// An index that is built or dropped beside readers and writers, outside of a transaction.
    Concurrently,
    /// A key that takes over this index.
    UsingIndex(Ident),
    /// A look at the rows, in a transaction of its own: no lock from before is held meanwhile.
    Apart,
}

/// The place of a draft in the proof that a column holds no NULL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proof {
    /// The column.
    pub(crate) column: PartId,
    /// Its place among the changes of the column.
    pub(crate) stage: Stage,
}
