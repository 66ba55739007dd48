//! MySQL, and what MariaDB shares with it.
//!
//! Unique keys are indexes here: `ConstraintKind::Unique` is made one when a schema is made canonical. Texts name their own database
//! nowhere (see [`drop_qualifier`]). Columns of texts always carry their collation and, as the attribute `charset`, its character set,
//! so that another default of the table is a change of those columns alone that it would change.

mod algorithm;
mod capabilities;
mod changes;
mod charsets;
mod conversions;
mod defaults;
mod definition;
mod demands;
mod dependents;
mod engine;
mod flavour;
mod forecast;
mod literals;
mod multivalued;
mod names;
mod normalize;
mod options;
mod partitions;
mod qualifiers;
mod tokens;
mod types;

pub use algorithm::{Algorithm, Lock, Prediction};
pub use charsets::charset_of;
pub use engine::Engine;
pub use literals::{quoted, unquoted};
pub use options::{create_options, default_method};
pub use partitions::{PartitionChange, partition_change};
pub use qualifiers::{Objects, drop_qualifier, drop_qualifier_under, replace_qualifier};
pub use tokens::{Quoting, tokens, tokens_under};
pub use types::Type;

pub(crate) use algorithm::{
    KeyMove, Shape, all, attributes, create_index, is_indexed, is_virtual, key_move, stand_ins, table_options,
};
pub(crate) use capabilities::CAPABILITIES;
pub(crate) use changes::{respelled, verdict};
pub(crate) use conversions::{type_change, varchar_bytes};
pub(crate) use defaults::Words;
pub(crate) use dependents::rest;
pub(crate) use flavour::Flavour;
pub(crate) use types::Spelling;
