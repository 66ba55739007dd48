//! The words of SQLite.

mod renderer;

pub(crate) use renderer::Sqlite;
