//! What differs, kind by kind.
//!
//! Every comparison takes both sides apart without `..`: a new property does not compile until somebody says how it is compared.

mod column;
mod common;
mod constraint;
mod context;
mod index;
mod namespace;
mod routine;
mod sequence;
mod table;
mod types;
mod view;

pub(crate) use context::{Context, Findings, Remark};
pub(crate) use index::differs as index_differs;

/// Compares everything in scope.
pub(crate) fn compare(cx: &Context<'_>, out: &mut Findings) {
    namespace::namespaces(cx, out);
    namespace::extensions(cx, out);
    types::types(cx, out);
    sequence::sequences(cx, out);
    table::tables(cx, out);
    view::views(cx, out);
    routine::routines(cx, out);
    routine::triggers(cx, out);
    routine::policies(cx, out);
    routine::opaques(cx, out);
}
