//! Disposable copies of a database, a file per engine.

#[expect(clippy::module_inception, reason = "the word is the field's")]
mod branch;
mod mysql;
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use branch::{Branch, BranchError, drop_branch, make_branch};
