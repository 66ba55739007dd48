//! Desired schemas from documents, SQL files and folders, through a dev database.
//!
//! [`read_sources`] finds and reads files. SQL is cut into statements by [`split`], screened against an allow-list of statement
//! heads, loaded into a scratch database and read back by [`load_sql`]: the server itself says what the declaration means.
//! Documents are read by the snapshot crate.

mod dev;
mod directive;
mod error;
mod lex;
mod modes;
mod provenance;
mod screen;
mod screen_mysql;
mod source;
mod split;

pub use dev::{DevTarget, LoadOptions, Loaded, load_sql};
pub use error::LoadError;
pub use screen::Allowances;
pub use source::{Source, SourceKind, read_sources};
pub use split::{Aside, Script, SqlStatement, split, split_under};
