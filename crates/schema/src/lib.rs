//! Schema values with their dependencies as data, checked identifiers and the builder.

mod dialect_id;
mod ident;

pub use dialect_id::DialectId;
pub use ident::{Ident, IdentError, PathError, QualName, split_path};
