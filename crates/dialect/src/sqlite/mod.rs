//! SQLite.

mod attributes;
mod capabilities;
mod changes;
pub mod grammar;
mod names;
mod normalize;
mod sqlite;
mod texts;
mod tokens;
mod types;
mod words;

pub use sqlite::Sqlite;
pub use types::Affinity;
