//! PostgreSQL, 14 and newer.

mod names;
mod server;
mod tokens;

pub use server::Postgres;
