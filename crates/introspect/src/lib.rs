//! From a live catalog to a schema and live facts, in a fixed number of statements.
//!
//! One folder per engine. Queries are set-based: their number does not grow with the number of objects.

mod dispatch;
mod error;
mod kinds;
pub mod mariadb;
pub mod mysql;
pub mod postgres;
mod request;
pub mod sqlite;

pub use dispatch::{introspect, measure, settings, shown_tables};
pub use error::IntrospectError;
pub use kinds::{kept_as_text, unmanaged};
pub use request::{Introspected, NamespaceFilter, Request};
