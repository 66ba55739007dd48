//! Drivers on sqlx, one folder per wire protocol, each behind its feature.
//!
//! Same file names in each: `connect` opens sessions, `settings` pins what changes meaning, `session` implements the
//! port, `decode` turns the driver's rows into ours, `errors` maps the engine's codes to kinds, `cancel` stops a
//! statement from outside.

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod common;
#[cfg(feature = "mysql")]
mod mysql;
mod pick;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

pub use pick::connector;
