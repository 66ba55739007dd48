//! The port to a database.
//!
//! Everything in trueup that touches a live database goes through [`Session`]: one connection with its own state,
//! never a pool. A [`Connector`] opens sessions. Drivers on sqlx sit behind the features `postgres`, `mysql`
//! (which also serves MariaDB) and `sqlite`; an embedder may bring its own implementation of both traits.

mod clock;
mod connector;
mod drivers;
mod error;
mod future;
mod row;
mod session;
mod url;
mod value;

pub use clock::{Clock, SystemClock};
pub use connector::{ConnectOptions, Connector};
pub use drivers::connector;
#[cfg(feature = "sqlite")]
pub use drivers::sqlite::copy_database;
pub use error::{DbError, DbErrorKind};
pub use future::BoxFuture;
pub use row::{Row, RowBuilder};
pub use session::{BackendId, CancelHandle, ServerInfo, Session, TransactionMode};
pub use url::{DatabaseUrl, UrlError};
pub use value::Value;
