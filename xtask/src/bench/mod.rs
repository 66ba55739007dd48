//! `cargo xtask bench`: how long it takes to look at a large database, beside PostgreSQL's own dump.

mod generate;
mod run;
mod table;

pub(crate) use run::run;
