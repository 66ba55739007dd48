//! The in-memory interpreter: what a schema looks like after a change.
//!
//! It is the first oracle of a plan. A server is the second.

mod apply;
mod attach;
mod columns;
mod error;
mod find;
mod objects;
mod rename;
mod tables;
mod types;

pub use apply::interpret;
pub(crate) use columns::{altered, with};
pub use error::InterpretError;
