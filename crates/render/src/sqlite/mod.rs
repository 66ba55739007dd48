//! The words of SQLite.
//!
//! Texts that a person declared go back byte for byte where they still say what is wanted; everything else is said anew.

mod check;
mod closing;
mod column;
mod constraint;
mod convert;
mod object;
mod rebuild;
mod references;
mod renderer;
mod rows;
mod table;
mod words;

pub(crate) use renderer::Sqlite;
