//! What a dialect must know to make a schema canonical.

use std::fmt;

use trueup_schema::{Constraint, Schema, Table};

/// How one engine, at one version, reports a schema back.
///
/// Object safe. Implemented by the dialect crate for each engine; [`Snapshot::of`](crate::Snapshot::of) takes it.
pub trait Normalise: fmt::Debug + Send + Sync {
    /// Brings `schema` into the form that the engine would report after making it: spelling of types, names that it
    /// would generate, defaults that it would leave out. Doing it twice changes nothing more.
    fn normalise(&self, schema: &mut Schema);

    /// Whether the constraint's name is the one that the engine would give it on this table. Such a name is not hashed.
    fn is_generated(&self, table: &Table, constraint: &Constraint) -> bool;

    /// Whether a table with its columns in another order is another table.
    fn hashes_column_order(&self) -> bool;
}
