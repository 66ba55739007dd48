//! MySQL's words, and those that MariaDB shares: one file per kind of object. MariaDB's folder holds what differs.
//!
//! Texts of a schema name their own database nowhere, so whatever carries one runs after a `USE` of that database; every name that is
//! written here is qualified. Strings are escaped for a mode without `NO_BACKSLASH_ESCAPES`, which every session of ours pins.

mod alter;
mod check;
mod column;
mod columns;
mod constraint;
mod convert;
mod flavour;
mod index;
mod namespace;
mod object;
mod opaque;
mod options;
mod partition;
mod rename;
mod renderer;
mod routine;
mod table;
mod trigger;
mod view;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use flavour::{Attribute, Flavour, MYSQL, SequenceChange};
pub(crate) use renderer::MySql;
pub(crate) use words::{Rendered, run, unsupported};
