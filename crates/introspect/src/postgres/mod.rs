//! PostgreSQL's catalog.
//!
//! [`introspect`] asks at most fourteen questions, whatever there is. Kinds of objects that a catalog holds none of are not asked
//! for. Everything that the server knows by number is resolved here, through small dictionaries; texts are asked for only where an
//! object has one. All of it runs under an empty search path, so that every name inside a text is qualified.

mod acl;
mod build;
mod columns;
mod comments;
mod constraints;
mod depends;
mod external;
mod facts;
mod indexes;
mod names;
mod objects;
mod raw;
mod reader;
mod relations;
mod routines;
mod scan;
mod sequences;
mod sql;
mod sql_objects;
mod sql_parts;
mod sql_unmanaged;
mod table;
mod texts;
mod types;
mod unmanaged;

pub use build::introspect;
pub use facts::measure;
pub(crate) use sql_objects::kinds as kept_as_text;
pub(crate) use sql_unmanaged::kinds as not_modelled;
