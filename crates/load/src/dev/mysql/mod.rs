//! MySQL and MariaDB: a scratch database for each declared one, on the target's server or another one.
//!
//! There is no way back from DDL here, so nothing is loaded under its real name: every statement runs in the scratch database of its
//! home, and every name of a declared database in it is rewritten. A name of any other database refuses the load.

mod events;
mod loader;
mod names;
mod scratch;
mod statement;

pub(super) use loader::load;
pub(super) use statement::used;
