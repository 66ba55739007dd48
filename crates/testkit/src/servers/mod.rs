//! Real database servers that live as long as a test run.
//!
//! [`Home::start`] installs what is missing, starts a server unprivileged on a free port with its data in a private
//! folder (in memory where there is room) and durability off, and waits until it greets. Tests don't start servers:
//! they ask [`postgres`], [`mariadb`] or [`mysql`] for those that `cargo xtask test` has started.

mod account;
mod command;
mod debian;
mod environment;
mod error;
mod galera;
mod greeting;
mod home;
mod mariadb;
mod mysql;
mod name;
mod npm;
mod pair;
mod pooler;
mod postgres;
mod recipe;
mod running;

pub use environment::{CACHE_VARIABLE, MYSQL_VARIABLE, POSTGRES_VARIABLE, TestServer, cache, mariadb, mysql, postgres};
pub use error::ServerError;
pub use home::Home;
pub use name::{Engine, ServerName};
pub use running::{Lifetime, RunningServer, ServerRecord};
