//! SQLite.

mod answers;
mod attributes;
mod capabilities;
mod changes;
pub mod grammar;
mod names;
mod normalize;
mod texts;
mod tokens;
mod types;
mod words;

pub use answers::Sqlite;
pub use types::Affinity;
