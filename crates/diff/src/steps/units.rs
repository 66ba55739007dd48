//! What is carried out together: one draft, one ALTER of several, or one rebuild of a table.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use crate::graph::{Graph, Link};

/// How the drafts of a unit are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// One after the other.
    Single,
    /// In one ALTER TABLE.
    Merged,
    /// By writing the table anew.
    Rebuild,
}

/// A partition of the drafts into units, with the edges between drafts.
#[derive(Debug)]
pub(super) struct Units<'g> {
    graph: &'g Graph,
    /// The unit of each node of the graph.
    of: Vec<usize>,
    /// Nodes of each unit; empty for units that were put into another.
    members: Vec<Vec<NodeIndex>>,
    forms: Vec<Form>,
    /// When a unit was last visited, by search.
    stamps: Vec<usize>,
    search: usize,
}

impl<'g> Units<'g> {
    /// Every draft alone.
    pub(super) fn new(graph: &'g Graph) -> Self {
        let count = graph.node_count();
        Self {
            graph,
            of: (0..count).collect(),
            members: graph.node_indices().map(|node| vec![node]).collect(),
            forms: vec![Form::Single; count],
            stamps: vec![0; count],
            search: 0,
        }
    }

    pub(super) fn unit_of(&self, node: NodeIndex) -> usize {
        self.of[node.index()]
    }

    pub(super) fn form(&self, unit: usize) -> Form {
        self.forms[unit]
    }

    /// The drafts of a unit.
    pub(super) fn drafts(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        self.members[unit].iter().map(|node| self.graph[*node])
    }

    /// Puts everything of `other` into `unit`.
    pub(super) fn join(&mut self, unit: usize, other: usize, form: Form) {
        if unit == other {
            self.forms[unit] = form;
            return;
        }
        let moved = std::mem::take(&mut self.members[other]);
        for node in &moved {
            self.of[node.index()] = unit;
        }
        self.members[unit].extend(moved);
        self.forms[unit] = form;
    }

    /// Whether a path leads from one unit to the other through a third, or over an edge that needs a commit.
    pub(super) fn is_apart(&mut self, a: usize, b: usize) -> bool {
        self.leads_around(a, b) || self.leads_around(b, a)
    }

    fn leads_around(&mut self, from: usize, to: usize) -> bool {
        self.search += 1;
        let mut open = Vec::new();
        for (next, link) in self.successors(from) {
            if next == to {
                if link == Link::Commit {
                    return true;
                }
            } else if next != from && link != Link::Soft {
                open.push(next);
            }
        }
        while let Some(unit) = open.pop() {
            if self.stamps[unit] == self.search {
                continue;
            }
            self.stamps[unit] = self.search;
            for (next, link) in self.successors(unit) {
                if next == to {
                    return true;
                }
                if next != from && link != Link::Soft && self.stamps[next] != self.search {
                    open.push(next);
                }
            }
        }
        false
    }

    fn successors(&self, unit: usize) -> Vec<(usize, Link)> {
        let edges = self.members[unit].iter().flat_map(|node| self.graph.edges(*node));
        edges.map(|edge| (self.of[edge.target().index()], *edge.weight())).collect()
    }

    /// The graph of units: a node's weight is the unit. Edges keep the strongest reason.
    pub(super) fn contracted(&self) -> Graph {
        let mut contracted = Graph::new();
        let mut nodes = BTreeMap::new();
        for (unit, members) in self.members.iter().enumerate() {
            if !members.is_empty() {
                nodes.insert(unit, contracted.add_node(unit));
            }
        }
        let mut edges = BTreeMap::<(usize, usize), Link>::new();
        for edge in self.graph.edge_references() {
            let (from, to) = (self.of[edge.source().index()], self.of[edge.target().index()]);
            if from != to {
                let link = edges.entry((from, to)).or_insert(*edge.weight());
                *link = (*link).max(*edge.weight());
            }
        }
        for ((from, to), link) in edges {
            contracted.add_edge(nodes[&from], nodes[&to], link);
        }
        contracted
    }

    /// What each draft cannot do without, or must not overtake.
    pub(super) fn needs(graph: &Graph) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut needs = BTreeMap::<usize, BTreeSet<usize>>::new();
        for edge in graph.edge_references().filter(|edge| *edge.weight() != Link::Soft) {
            needs.entry(graph[edge.target()]).or_default().insert(graph[edge.source()]);
        }
        needs
    }
}
