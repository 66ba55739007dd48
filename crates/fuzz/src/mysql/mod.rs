//! MySQL and MariaDB: made-up schemas, and what the server says of them.

mod arena;
mod code;
mod expressions;
mod table;

pub(crate) use arena::Flavour;
pub use arena::MySql;
