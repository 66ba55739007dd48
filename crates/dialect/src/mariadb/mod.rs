//! MariaDB: what differs from MySQL, which answers the rest.

mod algorithm;
mod capabilities;
mod changes;
mod charsets;
mod dependents;
mod flavour;
mod names;

pub use flavour::engine;
