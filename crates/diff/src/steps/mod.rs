//! From drafts to a plan: folding, one graph, steps, order, segments.

mod arrange;
mod counter;
mod finish;
mod fold;
mod merge;
mod order;
mod rank;
mod rebuild;
mod room;
mod units;

pub(crate) use arrange::arrange;
