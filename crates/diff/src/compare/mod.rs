//! What differs, kind by kind.
//!
//! Every comparison takes both sides apart without `..`: a new property does not compile until somebody says how it is compared.

mod column;
mod common;
mod constraint;
mod context;
mod default_grants;
mod index;
mod namespace;
mod routine;
mod run;
mod sequence;
mod table;
mod types;
mod view;

pub(crate) use context::{Context, Findings, Remark};
pub(crate) use index::differs as index_differs;
pub(crate) use run::compare;
