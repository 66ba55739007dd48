//! MySQL and MariaDB, which speak one protocol.

mod cancel;
mod connect;
mod decode;
mod errors;
mod implicit;
mod parameters;
mod session;
mod settings;

pub(super) use connect::MySqlConnector;
