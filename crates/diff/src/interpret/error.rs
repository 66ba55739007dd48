//! Why a change does not fit a schema.

use trueup_schema::ObjectRef;

/// Why a change does not fit a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InterpretError {
    /// Something that the change is about is not there.
    #[error("{kind} `{object}` is not there", kind = .0.kind(), object = .0)]
    Missing(ObjectRef),
    /// Something that the change makes is there already.
    #[error("{kind} `{object}` is there already", kind = .0.kind(), object = .0)]
    Exists(ObjectRef),
    /// The reference names no object that can carry what the change sets on it.
    #[error("{kind} `{object}` cannot carry {what}", kind = .0.kind(), object = .0, what = .1)]
    Unfit(ObjectRef, &'static str),
    /// A constraint without a name is not there.
    #[error("constraint `{text}` of table `{table}` is not there")]
    MissingConstraint {
        /// The table.
        table: trueup_schema::QualName,
        /// Its short text.
        text: String,
    },
    /// A label of an enum, or an attribute or check of a type, is not there, or is there already.
    #[error("part `{part}` of type `{name}` is {state}", state = if *.exists { "there already" } else { "not there" })]
    TypePart {
        /// The type.
        name: trueup_schema::QualName,
        /// The part.
        part: String,
        /// Whether it is there.
        exists: bool,
    },
    /// A type is of another sort than the change says.
    #[error("type `{0}` is of another sort than the change says")]
    Sort(trueup_schema::QualName),
}

pub(super) type Done = Result<(), InterpretError>;
