//! The control tables: what they are called, how they are made, and whether they are there.

mod mysql;
mod postgres;
mod rows;
mod shared;
mod sqlite;
mod store;
mod tables;

pub use store::ControlTables;
pub use tables::{HISTORY, LEDGER, LOCK, OBJECTS, TABLES, default_control_namespace};

pub(crate) use shared::FORMAT;
pub(crate) use tables::Control;
