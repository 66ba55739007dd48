//! SQLite.

mod alters;
mod answers;
pub mod attributes;
mod capabilities;
mod changes;
pub mod grammar;
mod names;
mod normalize;
pub mod rowid;
mod texts;
mod tokens;
mod types;
mod words;
pub mod written;

pub use answers::Sqlite;
pub use tokens::tokens as split;
pub use types::Affinity;
