//! `cargo xtask bench`: how long it takes to look at a large database and to change a part of it, beside the engines' own tools.

mod generate;
mod goals;
mod peers;
mod place;
mod process;
mod pure;
mod run;
mod table;

pub(crate) use run::run;
