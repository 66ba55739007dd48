//! The dev database: a scratch database that declared SQL is loaded into, so that the server itself says what it means.
//!
//! One file or folder per engine. What they share is in [`shared`]: statements are tried in the order given, and where the server misses
//! an object, the rest goes on and the statement is tried again, until all are in or none of the remaining ones succeeds.

mod declaration;
mod load;
mod mysql;
mod postgres;
mod shared;
mod sqlite;

use declaration::Declaration;
pub use load::{DevTarget, LoadOptions, Loaded, load_sql};
use shared::{admin, check_server, connect, may_come_right, refused};
