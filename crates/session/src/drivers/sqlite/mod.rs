//! SQLite.

mod cancel;
mod connect;
mod copy;
mod decode;
mod errors;
mod parameters;
mod session;
mod settings;
mod single;

pub(super) use connect::SqliteConnector;
pub use copy::copy_database;
