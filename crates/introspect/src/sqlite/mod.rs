//! SQLite.
//!
//! The catalog is `sqlite_schema`: the declared texts. Pragmas hide most of what they say, so that the texts themselves are read; only
//! what is a shadow table of a virtual one is asked. Attached and temporary databases are not looked at.

mod assemble;
mod catalog;
mod depends;
mod read;

pub use read::introspect;
