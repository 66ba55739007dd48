//! Reads what SQLite keeps in `sqlite_schema.sql`.
//!
//! SQLite keeps the declared bytes and nothing else, and its pragmas hide much of them: collations, conflict clauses, checks, generation
//! expressions, deferrability, AUTOINCREMENT. Every text is cut here by SQLite's lexical rules, so that the model holds declared bytes;
//! what comes out is compared with what SQLite's own grammar reads.

mod agree;
mod column;
mod constraint;
mod cursor;
mod error;
mod index;
mod key;
mod table;
mod trigger;
mod view;

pub use column::{ColumnClause, column};
pub use constraint::constraint;
pub(crate) use cursor::{Cursor, Text, is_symbol, name_of};
pub use error::GrammarError;
pub use index::index;
pub use table::table;
pub(crate) use trigger::trigger_body;
pub use trigger::{trigger, trigger_event};
pub use view::view;
