//! The order of units and their segments.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use trueup_plan::{Change, OpId, TxClass};

use super::rank::rank;
use super::units::Units;
use crate::draft::DraftPlan;
use crate::graph::{Graph, Link};

/// Where a unit goes among those that nothing orders: slot, rank, kind and path.
type Key = (usize, u8, String, String);

/// Units in order, each with the slot that says with whom it shares a transaction. Even slots are transactions; each unit of an odd
/// slot runs by itself.
pub(super) fn order(contracted: &Graph, units: &Units<'_>, plan: &DraftPlan<'_>) -> Vec<(usize, usize)> {
    let classes: Vec<TxClass> = contracted.node_weights().map(|unit| class(units.drafts(*unit), plan)).collect();
    let places: Vec<(u8, String, String)> =
        contracted.node_weights().map(|unit| place(units.drafts(*unit), plan)).collect();
    let sorted = kahn(contracted, |node| (0, 0, String::new(), format!("{:09}", node.index())));
    let mut slots = vec![0_usize; contracted.node_count()];
    for node in sorted.iter().copied() {
        let before = contracted
            .edges_directed(node, Direction::Incoming)
            .map(|edge| (slots[edge.source().index()], *edge.weight() == Link::Commit));
        slots[node.index()] = fitting(before.max(), classes[node.index()]);
    }
    if classes.iter().all(|class| matches!(class, TxClass::Inside | TxClass::CommitAfter)) {
        let last = slots.iter().copied().max();
        postpone(contracted, &sorted, &mut slots, |node| classes[node.index()] == TxClass::Inside, last);
    } else {
        let goes = |draft: usize| goes(&plan.drafts[draft].change);
        let may =
            |node: NodeIndex| classes[node.index()] == TxClass::Inside && units.drafts(contracted[node]).all(goes);
        postpone(contracted, &sorted, &mut slots, may, None);
    }
    let sorted = kahn(contracted, |node| {
        let (rank, kind, path) = places[node.index()].clone();
        (slots[node.index()], rank, kind, path)
    });
    sorted.into_iter().map(|node| (contracted[node], slots[node.index()])).collect()
}

/// Where there must be several transactions, the first does what must be committed for the second and nothing else: what is dropped in
/// order to be made again is then missing to nobody.
fn postpone(
    contracted: &Graph,
    sorted: &[NodeIndex],
    slots: &mut [usize],
    may: impl Fn(NodeIndex) -> bool,
    last: Option<usize>,
) {
    for node in sorted.iter().rev().filter(|node| may(**node)) {
        let after = contracted.edges_directed(*node, Direction::Outgoing);
        let latest = after.map(|edge| {
            let slot = slots[edge.target().index()];
            let slot = if *edge.weight() == Link::Commit { slot.saturating_sub(2) } else { slot };
            // Before what runs by itself, the transaction in front of it.
            slot - slot % 2
        });
        if let Some(latest) = latest.min().or(last) {
            slots[node.index()] = latest.max(slots[node.index()]);
        }
    }
}

/// Whether the change takes something away that may be made again.
const fn goes(change: &Change) -> bool {
    matches!(change, Change::Drop { .. } | Change::DropConstraint { .. })
}

/// Members of a unit in the order in which they would run alone.
pub(super) fn members(
    graph: &Graph,
    nodes: &BTreeMap<usize, NodeIndex>,
    plan: &DraftPlan<'_>,
    drafts: &[usize],
) -> Vec<usize> {
    if drafts.len() < 2 {
        return drafts.to_vec();
    }
    let mut within = Graph::new();
    let inner: BTreeMap<usize, NodeIndex> = drafts.iter().map(|draft| (*draft, within.add_node(*draft))).collect();
    for draft in drafts {
        for edge in graph.edges(nodes[draft]) {
            if let Some(target) = inner.get(&graph[edge.target()]) {
                within.add_edge(inner[draft], *target, *edge.weight());
            }
        }
    }
    let sorted = kahn(&within, |node| {
        let (rank, kind, path) = place(std::iter::once(within[node]), plan);
        (0, rank, kind, path)
    });
    sorted.into_iter().map(|node| within[node]).collect()
}

/// How a unit stands to transactions: like its most demanding draft.
fn class(drafts: impl Iterator<Item = usize>, plan: &DraftPlan<'_>) -> TxClass {
    let weight = |class: &TxClass| match class {
        TxClass::Inside => 0,
        TxClass::CommitAfter => 1,
        TxClass::CommitBefore => 2,
        TxClass::Alone => 3,
        TxClass::Outside => 4,
    };
    drafts.map(|draft| plan.drafts[draft].tx(plan.dialect)).max_by_key(weight).unwrap_or(TxClass::Inside)
}

/// The rank, kind and path of a unit: those of its first draft.
fn place(drafts: impl Iterator<Item = usize>, plan: &DraftPlan<'_>) -> (u8, String, String) {
    let places = drafts.map(|draft| {
        let change = &plan.drafts[draft].change;
        (rank(change), change.kind(), OpId::of(change).0)
    });
    places.min().unwrap_or_default()
}

/// The first slot that fits the class, behind the last of what comes before and, if so said, behind its commit.
fn fitting(before: Option<(usize, bool)>, class: TxClass) -> usize {
    let (slot, committed) = before.unwrap_or_default();
    let next_odd = slot + usize::from(slot.is_multiple_of(2));
    let next_even = slot + slot % 2;
    match class {
        TxClass::Outside | TxClass::Alone => next_odd,
        TxClass::CommitBefore if before.is_some() => next_odd + 1,
        TxClass::Inside | TxClass::CommitAfter if committed => next_odd + 1,
        TxClass::Inside | TxClass::CommitAfter | TxClass::CommitBefore => next_even,
    }
}

/// Topological order; of what is ready, the least key first. Members of cycles come last, in order of their keys.
fn kahn(graph: &Graph, key: impl Fn(NodeIndex) -> Key) -> Vec<NodeIndex> {
    let mut waiting: Vec<usize> =
        graph.node_indices().map(|node| graph.edges_directed(node, Direction::Incoming).count()).collect();
    let mut ready: BinaryHeap<Reverse<(Key, NodeIndex)>> =
        graph.node_indices().filter(|node| waiting[node.index()] == 0).map(|node| Reverse((key(node), node))).collect();
    let mut sorted = Vec::with_capacity(graph.node_count());
    let mut done = vec![false; graph.node_count()];
    while let Some(Reverse((_, node))) = ready.pop() {
        done[node.index()] = true;
        sorted.push(node);
        for target in graph.neighbors_directed(node, Direction::Outgoing) {
            waiting[target.index()] -= 1;
            if waiting[target.index()] == 0 {
                ready.push(Reverse((key(target), target)));
            }
        }
    }
    let mut left: Vec<(Key, NodeIndex)> =
        graph.node_indices().filter(|node| !done[node.index()]).map(|node| (key(node), node)).collect();
    left.sort();
    sorted.extend(left.into_iter().map(|(_, node)| node));
    sorted
}
