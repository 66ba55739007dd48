//! One graph over all drafts: an edge says which comes first, and why it must.

mod cycles;
mod edges;
mod families;
mod names;
mod nodes;
mod texts;
mod uses;

pub(crate) use cycles::break_cycles;
pub(crate) use edges::{Graph, Link, build, hold_back};
pub(crate) use names::Naming;
pub(crate) use nodes::{Node, NodeBuilder, Stage};
pub(crate) use uses::{Reader, Site, Use, key_columns, key_of_index, keys_of};
