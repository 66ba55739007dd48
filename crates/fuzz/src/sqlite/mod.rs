//! SQLite: made-up schemas, and what SQLite says of them.

mod arena;
mod clauses;
mod dependents;
mod expressions;
mod names;
mod oracle;
mod table;
mod tokens;

pub use arena::Sqlite;
