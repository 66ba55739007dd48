//! Walks over everything of one sort in a schema: its SQL texts, its structured mentions of names.

mod exprs;
mod names;
mod rename;

pub use exprs::{ExprSite, ExprSlot};
pub use names::{Mention, PartKind};
pub use rename::RenameError;
