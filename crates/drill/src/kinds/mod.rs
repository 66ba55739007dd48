//! Kinds of changes, each with what is there before, what is declared after, and the rows that must not change.

mod common;
mod kind;
mod mysql;
mod postgres;
mod sqlite;

pub(crate) use kind::{A, Kind, kind, kinds, over_a};
