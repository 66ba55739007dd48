//! PostgreSQL.

mod cancel;
mod connect;
mod decode;
mod errors;
mod parameters;
mod session;
mod settings;
mod statement;

pub(super) use connect::PostgresConnector;
