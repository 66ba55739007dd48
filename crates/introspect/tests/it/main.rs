//! Catalogs of real servers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed step fails the test")]

mod counting;
mod declared;
mod mysql;
mod mysql_algorithms;
mod mysql_forms;
mod postgres;
mod shop;
