//! The words of PostgreSQL, 14 and later.
//!
//! Statements are the same for every version; what a version lacks, the dialect refuses before there is a plan. One file says one kind
//! of object; [`renderer`] knows which.

mod check;
mod column;
mod comment;
mod constraint;
mod convert;
mod domain;
mod enums;
mod extension;
mod grant;
mod index;
mod namespace;
mod object;
mod opaque;
mod owner;
mod policy;
mod rename;
mod renderer;
mod routine;
mod sequence;
mod table;
mod table_options;
mod trigger;
mod types;
mod view;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use renderer::Postgres;
