//! PostgreSQL: made-up schemas, and what its catalog says of them.

mod arena;
mod code;
mod expressions;
mod names;
mod relations;
mod table;
mod types;

pub use arena::Postgres;
