//! The builder: a schema written in Rust.
//!
//! Every method adds something and returns a builder for it. Nothing panics and nothing fails half-way: what is wrong is gathered
//! and returned, all of it, by [`SchemaBuilder::finish`]. Types and literals are spelled for the engine at hand; foreign keys and
//! named types become hard dependencies.

mod column;
mod constraint;
mod error;
mod index;
mod name;
mod object;
mod schema;
mod table;
mod types;
mod value;

pub use column::ColumnBuilder;
pub use constraint::{ConstraintBuilder, ForeignKeyBuilder};
pub use error::{BuildError, BuildErrors};
pub use index::{IndexBuilder, PartSpec, asc, desc, expression};
pub use name::{ToIdent, ToQualName};
pub use object::{DomainBuilder, ObjectBuilder, SequenceBuilder, ViewBuilder};
pub use schema::SchemaBuilder;
pub use table::TableBuilder;
pub use types::{
    TypeSpec, bigint, binary, boolean, char, date, decimal, double, enumerated, integer, json, named, raw, real,
    smallint, text, time, timestamp, timestamptz, uuid, varchar,
};
pub use value::{Value, expr, new_uuid, now, null};

#[cfg(test)]
mod tests;
