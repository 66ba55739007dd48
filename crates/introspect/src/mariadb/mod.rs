//! MariaDB: what differs from MySQL, whose reader does the rest.
//!
//! Columns of type `json` are long texts with a hidden check here, and are read as `json` again. System versioning and periods are the
//! table's `versioning` option, their clauses separated by commas; columns of the system period carry the attribute `row`.

mod flavour;
mod queries;

pub use flavour::{introspect, settings};
