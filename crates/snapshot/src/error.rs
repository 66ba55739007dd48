//! What can keep a schema from becoming a snapshot.

use trueup_schema::{Invalid, ObjectRef};

/// Why a schema has no canonical form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The schema contradicts itself.
    #[error("the schema contradicts itself: {}", list(.0))]
    Invalid(Vec<Invalid>),
    /// Two objects are one for the engine.
    #[error("{kind} `{before}` and another one are both called `{name}` in this engine")]
    SameName {
        /// Their kind.
        kind: &'static str,
        /// The name that both have in canonical form.
        name: String,
        /// The declared name of the second one.
        before: String,
    },
    /// An object cannot be written as canonical bytes.
    #[error("{} `{object}` cannot be written as canonical bytes", object.kind())]
    Encode {
        /// The object.
        object: Box<ObjectRef>,
        /// Why.
        source: serde_json::Error,
    },
}

fn list(found: &[Invalid]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
