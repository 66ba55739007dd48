//! What each database engine can do and how it thinks, without touching one.
//!
//! One folder per engine, with the same file names in each, so that comparing two folders is a checklist for the next engine.
//! MariaDB's folder holds what differs from MySQL and calls it for the rest.

mod capabilities;
mod dialect;
pub mod mariadb;
pub mod mysql;
pub mod postgres;
mod registry;
pub mod sqlite;
mod token;

pub use capabilities::{Capabilities, Online};
pub use dialect::{BadName, Carries, Dialect, Indexable, LockTable, NameKind, Tables, TypeChange, Verdict};
pub use registry::{dialect_for, dialect_with};
pub use token::{Token, TokenKind};
