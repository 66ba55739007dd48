//! Random schemas of every dialect, taken from one to another, with a judge that is not ours.
//!
//! A [`Generator`] makes schemas up as SQL, and edits them; the server says which of it is valid ([`settle`]). A pair is
//! carried out through the facade and compared with what the server itself tells of the wanted schema ([`judge`]). What fails
//! is made smaller ([`minimise`]) and kept as a [`case`].

mod arena;
mod cache;
mod campaign;
pub mod case;
mod dice;
mod generator;
mod judge;
mod minimise;
mod mysql;
mod postgres;
mod sqlite;
mod world;

pub use arena::{Arena, Rows, TableRows, lost_rows, settle};
pub use campaign::{Failure, Field, Hear, Tally, Wanted, campaign, worlds};
pub use dice::Dice;
pub use generator::{Generator, edited, random_world};
pub use judge::{Pair, Verdict, judge, judge_in, script};
pub use minimise::{Worlds, minimise};
pub use mysql::MySql;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
pub use world::{Family, Object, Part, PartKind, World, key};
