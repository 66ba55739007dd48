//! All kinds, one after the other: what hangs on a table comes after it.

use super::{Context, Findings, namespace, routine, sequence, table, types, view};

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
