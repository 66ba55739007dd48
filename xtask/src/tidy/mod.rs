//! `cargo xtask tidy`: the rules of the workspace that a compiler doesn't know.
//!
//! One file per rule. A rule is a function from what was read to findings, with a failing sample in its own test;
//! exceptions are named, in one table per rule, and an exception that nothing needs any more is a finding too.

mod docs;
mod layers;
mod licences;
mod owners;
mod pure;
mod run;
mod rust;
mod sizes;
mod tree;
mod words;

pub(crate) use run::run;
pub(crate) use tree::{Package, packages};
