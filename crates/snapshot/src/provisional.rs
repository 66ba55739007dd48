//! Stands in until the canonical form lands; delete this file with it.

use trueup_schema::Schema;

/// A canonical schema.
#[derive(Debug, Clone)]
pub struct Snapshot {
    schema: Schema,
}

impl Snapshot {
    /// The schema, canonical.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }
}
