//! The control tables: what they are called, how they are made, and whether they are there.

mod mysql;
mod postgres;
mod shared;
mod sqlite;
mod tables;

pub use tables::{HISTORY, LEDGER, LOCK, OBJECTS, TABLES, default_control_namespace};

pub(crate) use shared::FORMAT;
pub(crate) use tables::Control;
