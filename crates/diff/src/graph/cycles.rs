//! Cycles: what may be given up is, what is left is said.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::edges::{Graph, Link};

/// Gives up soft edges that close a cycle and returns the cycles that are left, members in order of their drafts.
pub(crate) fn break_cycles(graph: &mut Graph) -> Vec<Vec<usize>> {
    let cycles_found = cycles(graph);
    let mut cycle_of = vec![usize::MAX; graph.node_count()];
    for (at, cycle) in cycles_found.iter().enumerate() {
        for node in cycle {
            cycle_of[node.index()] = at;
        }
    }
    let closes = |edge: &petgraph::graph::EdgeReference<'_, Link>| {
        *edge.weight() == Link::Soft && cycle_of[edge.source().index()] == cycle_of[edge.target().index()]
    };
    let nodes = cycles_found.iter().flatten();
    let soft = nodes.flat_map(|node| graph.edges(*node)).filter(closes).map(|edge| edge.id()).collect();
    remove_edges(graph, soft);
    let mut left: Vec<Vec<usize>> = cycles(graph)
        .into_iter()
        .map(|cycle| {
            let mut members: Vec<usize> = cycle.into_iter().map(|node| graph[node]).collect();
            members.sort_unstable();
            members
        })
        .collect();
    left.sort();
    left
}

fn cycles(graph: &Graph) -> Vec<Vec<NodeIndex>> {
    // An edge never leads back to its own node, so a component of one node is no cycle.
    kosaraju_scc(graph).into_iter().filter(|component| component.len() > 1).collect()
}

fn remove_edges(graph: &mut Graph, mut edges: Vec<petgraph::graph::EdgeIndex>) {
    // The last edge takes the place of a removed one: from the highest index down no index that is still to be removed moves.
    edges.sort_unstable();
    for edge in edges.into_iter().rev() {
        graph.remove_edge(edge);
    }
}
