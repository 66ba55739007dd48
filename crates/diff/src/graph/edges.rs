//! Edges between drafts, found by looking up what each makes, removes, alters and names.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use trueup_plan::{Change, Object, OpId, TxClass};
use trueup_schema::{Column, ConstraintKind, ObjectRef, QualName, Strength, Table};

use super::names::Name;
use super::nodes::{Node, NodeBuilder, Stage};
use super::texts::mentions_label;
use super::uses::{Reader, Site, Use};
use crate::draft::{Draft, DraftPlan};
use crate::inherit::Families;
use crate::online::Manner;

/// Why one draft comes before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Link {
    /// Better so. Given up where it closes a cycle.
    Soft,
    /// Must be so if both happen.
    Order,
    /// The second cannot happen without the first.
    Need,
    /// The second cannot happen before the first is committed.
    Commit,
}

/// The graph; a node's weight is the index of its draft.
pub(crate) type Graph = DiGraph<usize, Link>;

/// What each site is made, removed and altered by.
#[derive(Debug, Default)]
struct Tables {
    makers: BTreeMap<Site, Vec<usize>>,
    removers: BTreeMap<Site, Vec<usize>>,
    alterers: BTreeMap<Site, Vec<usize>>,
    /// Changes that add or alter a column, by relation.
    shapers: BTreeMap<QualName, Vec<usize>>,
    /// Changes that drop a column, by relation.
    shrinkers: BTreeMap<QualName, Vec<usize>>,
    takers: BTreeMap<Name, Vec<usize>>,
    stages: BTreeMap<Site, BTreeMap<Stage, Vec<usize>>>,
    renamed_to: BTreeMap<ObjectRef, Vec<usize>>,
}

fn found<'m, K: Ord>(map: &'m BTreeMap<K, Vec<usize>>, key: &K) -> &'m [usize] {
    map.get(key).map_or(&[], Vec::as_slice)
}

impl Tables {
    fn of(nodes: &[Node]) -> Self {
        let mut tables = Self::default();
        let column = |site: &Site| matches!(site, Site::Object(ObjectRef::Column(_)));
        for (at, node) in nodes.iter().enumerate() {
            for (map, sites) in [
                (&mut tables.makers, &node.makes),
                (&mut tables.removers, &node.removes),
                (&mut tables.alterers, &node.alters),
            ] {
                for site in sites {
                    map.entry(site.clone()).or_default().push(at);
                }
            }
            for site in node.makes.iter().chain(&node.alters).filter(|site| column(site)) {
                if let Some(table) = site.container() {
                    tables.shapers.entry(table.clone()).or_default().push(at);
                }
            }
            for site in node.removes.iter().filter(|site| column(site)) {
                if let Some(table) = site.container() {
                    tables.shrinkers.entry(table.clone()).or_default().push(at);
                }
            }
            for name in &node.takes {
                tables.takers.entry(name.clone()).or_default().push(at);
            }
            if let Some((site, stage)) = &node.stage {
                tables.stages.entry(site.clone()).or_default().entry(*stage).or_default().push(at);
            }
            if let Some((_, to)) = &node.renames {
                tables.renamed_to.entry(to.clone()).or_default().push(at);
            }
        }
        tables
    }
}

/// Collects edges, the strongest between two drafts.
#[derive(Debug, Default)]
struct Edges(BTreeMap<(usize, usize), Link>);

impl Edges {
    fn add(&mut self, from: usize, to: usize, link: Link) {
        if from != to {
            self.0.entry((from, to)).and_modify(|known| *known = (*known).max(link)).or_insert(link);
        }
    }

    fn all(&mut self, from: &[usize], to: usize, link: Link) {
        for each in from {
            self.add(*each, to, link);
        }
    }
}

/// Builds the graph of every draft that is not held back by itself; see [`hold_back`].
pub(crate) fn build(plan: &DraftPlan<'_>) -> (Graph, Vec<Node>) {
    let changes = plan.drafts.iter().map(|draft| &draft.change);
    let builder = NodeBuilder {
        old: Reader { dialect: plan.dialect, schema: &plan.projected },
        new: Reader { dialect: plan.dialect, schema: plan.desired },
        naming: super::Naming::new(plan.dialect, plan.live, &plan.projected, changes),
        families: Families::of(&plan.projected),
    };
    let nodes: Vec<Node> = plan.drafts.iter().map(|draft| builder.node(draft)).collect();
    let tables = Tables::of(&nodes);
    let mut edges = Edges::default();
    for (at, node) in nodes.iter().enumerate() {
        creation(&mut edges, &tables, at, node);
        removal(&mut edges, &tables, at, node);
        names(&mut edges, &tables, &builder, at, node);
    }
    last_columns(&mut edges, &tables, &builder, &nodes);
    stages(&mut edges, &tables);
    causes(&mut edges, &plan.drafts, &nodes);
    beside(&mut edges, &plan.drafts);
    inherited_collations(&mut edges, &plan.drafts);
    counters(&mut edges, &plan.drafts, &nodes);
    labels(&mut edges, plan);
    positions(&mut edges, plan);
    let changes = plan.drafts.iter().map(|draft| &draft.change);
    super::families::order(changes, &builder.families, &mut |from, to| {
        // What makes way for a change of the parent goes before it, whatever else the parent's column is in for.
        let makes_way = nodes[to].is_removal && !plan.drafts[to].cause.is_empty();
        if !makes_way && !edges.0.contains_key(&(to, from)) {
            edges.add(from, to, Link::Order);
        }
    });
    let mut graph = Graph::with_capacity(nodes.len(), edges.0.len());
    let indices: Vec<NodeIndex> = (0..nodes.len()).map(|at| graph.add_node(at)).collect();
    for ((from, to), link) in edges.0 {
        graph.add_edge(indices[from], indices[to], link);
    }
    (graph, nodes)
}

const fn sure(used: &Use, link: Link) -> Link {
    match used.strength {
        Strength::Hard => link,
        Strength::Soft => Link::Soft,
    }
}

/// Whether users of the object feel it when it is altered.
const fn is_felt(site: &Site) -> bool {
    matches!(
        site,
        Site::Object(ObjectRef::Column(_) | ObjectRef::View(_) | ObjectRef::Type(_) | ObjectRef::Constraint(_))
    )
}

/// After the making and altering of whatever the object will need.
fn creation(edges: &mut Edges, tables: &Tables, at: usize, node: &Node) {
    for used in &node.new {
        for carrier in used.on.carriers() {
            edges.all(found(&tables.makers, &carrier), at, sure(used, Link::Need));
            let link = if is_felt(&carrier) && carrier == used.on { sure(used, Link::Need) } else { Link::Soft };
            edges.all(found(&tables.alterers, &carrier), at, link);
        }
        if used.whole
            && let Some(relation) = used.on.relation()
        {
            edges.all(found(&tables.shapers, relation), at, sure(used, Link::Order));
        }
        // Of two keys on the same columns, the one that goes must be gone: the server would lean on it.
        if matches!(used.on, Site::Key(..) | Site::PrimaryKey(_)) && !node.makes.is_empty() {
            edges.all(found(&tables.removers, &used.on), at, sure(used, Link::Order));
        }
    }
}

/// Before the removal of whatever the object needs as it is; a removal rather also before such things are altered.
fn removal(edges: &mut Edges, tables: &Tables, at: usize, node: &Node) {
    let leaves = node.is_removal || !node.removes.is_empty();
    for used in &node.old {
        let is_made_again = !found(&tables.makers, &used.on).is_empty();
        if !leaves && is_made_again && node.new.iter().any(|each| each.on == used.on) {
            continue;
        }
        for carrier in used.on.carriers() {
            for each in found(&tables.removers, &carrier) {
                edges.add(at, *each, sure(used, Link::Need));
            }
            if leaves {
                for each in found(&tables.alterers, &carrier) {
                    edges.add(at, *each, Link::Soft);
                }
            }
        }
        if used.whole
            && let Some(relation) = used.on.relation()
        {
            for each in found(&tables.shrinkers, relation) {
                edges.add(at, *each, sure(used, Link::Need));
            }
            if leaves {
                for each in found(&tables.shapers, relation) {
                    edges.add(at, *each, Link::Soft);
                }
            }
        }
    }
}

/// A freed name before its next owner; a rename before whatever spells the new name.
fn names(edges: &mut Edges, tables: &Tables, builder: &NodeBuilder<'_>, at: usize, node: &Node) {
    for name in &node.frees {
        for taker in found(&tables.takers, name) {
            match &node.renames {
                // The middle of a swap: taken first, then freed.
                Some((from, _)) if !builder.naming.is_live(from) => edges.add(*taker, at, Link::Need),
                _ => edges.add(at, *taker, Link::Need),
            }
        }
    }
    for object in &node.mentions {
        let is_own = node.removes.contains(&Site::Object(object.clone()));
        for rename in found(&tables.renamed_to, object) {
            // What is removed under the name that the rename is going to take is another object.
            if !(is_own && builder.naming.is_live(object)) {
                edges.add(*rename, at, Link::Need);
            }
        }
    }
}

/// A table that loses every column gets the new ones first: few engines have tables without any.
fn last_columns(edges: &mut Edges, tables: &Tables, builder: &NodeBuilder<'_>, nodes: &[Node]) {
    for (table, drops) in &tables.shrinkers {
        if drops.len() < builder.naming.live_columns(table) {
            continue;
        }
        let adds = found(&tables.shapers, table).iter().filter(|at| !nodes[**at].makes.is_empty());
        for (add, drop) in adds.flat_map(|add| drops.iter().map(move |drop| (*add, *drop))) {
            edges.add(add, drop, Link::Soft);
        }
    }
}

/// The order of changes of one column.
fn stages(edges: &mut Edges, tables: &Tables) {
    for stages in tables.stages.values() {
        for ((before, first), (after, second)) in stages.iter().zip(stages.iter().skip(1)) {
            let link = match (before, after) {
                (Stage::Add | Stage::Prove | Stage::Look, _)
                | (Stage::Backfill, Stage::Prove | Stage::NotNull)
                | (_, Stage::Proven) => Link::Need,
                _ => Link::Order,
            };
            for each in second {
                edges.all(first, *each, link);
            }
        }
    }
}

/// Dependents make way before the change that they were in the way of, and come back after it.
fn causes(edges: &mut Edges, drafts: &[Draft], nodes: &[Node]) {
    if drafts.iter().all(|draft| draft.cause.is_empty() && draft.before.is_empty()) {
        return;
    }
    let ids: BTreeMap<OpId, usize> =
        drafts.iter().enumerate().map(|(at, draft)| (OpId::of(&draft.change), at)).collect();
    for (at, draft) in drafts.iter().enumerate() {
        for cause in draft.cause.iter().filter_map(|id| ids.get(id)) {
            if nodes[at].is_removal {
                edges.add(at, *cause, Link::Need);
            } else {
                edges.add(*cause, at, Link::Need);
            }
        }
        for next in draft.before.iter().filter_map(|id| ids.get(id)) {
            edges.add(at, *next, Link::Need);
        }
    }
}

/// What is built beside readers and writers is there before what it may stand in for goes.
fn beside(edges: &mut Edges, drafts: &[Draft]) {
    let builds: Vec<(usize, QualName)> = drafts
        .iter()
        .enumerate()
        .filter(|(_, draft)| draft.manner == Manner::Concurrently && matches!(draft.change, Change::Create { .. }))
        .filter_map(|(at, draft)| Some((at, draft.change.table()?)))
        .collect();
    if builds.is_empty() {
        return;
    }
    for (at, draft) in drafts.iter().enumerate() {
        let is_key = |kind: &ConstraintKind| matches!(kind, ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_));
        let goes = matches!(draft.change, Change::Drop { object: Object::Index(_) })
            || matches!(&draft.change, Change::DropConstraint { constraint, .. } if is_key(&constraint.kind));
        let table = draft.change.table().filter(|_| goes && draft.cause.is_empty());
        for (build, _) in builds.iter().filter(|(_, on)| Some(on) == table.as_ref()) {
            if !edges.0.contains_key(&(at, *build)) {
                edges.add(*build, at, Link::Soft);
            }
        }
    }
}

/// The column whose definition a change writes.
const fn written(change: &Change) -> Option<&Column> {
    if let Change::AddColumn { column, .. } = change {
        return Some(column);
    }
    if let Change::AlterColumnType { after, .. }
    | Change::SetDefault { after, .. }
    | Change::SetNotNull { after, .. }
    | Change::DropNotNull { after, .. }
    | Change::SetIdentity { after, .. }
    | Change::SetGenerated { after, .. }
    | Change::SetColumnAttributes { after, .. } = change
    {
        Some(after)
    } else {
        None
    }
}

/// A table's new collation comes before the columns that are to have it from the table: written before, they must say it themselves,
/// and some servers remember that they did.
fn inherited_collations(edges: &mut Edges, drafts: &[Draft]) {
    for (at, draft) in drafts.iter().enumerate() {
        let Change::AlterTable { before, after } = &draft.change else { continue };
        let collation = |table: &Table| table.options.parameters.get("collation").cloned();
        let Some(new) = collation(after).filter(|new| Some(new) != collation(before).as_ref()) else { continue };
        let columns = drafts.iter().enumerate().filter_map(|(at, draft)| Some((at, written(&draft.change)?, draft)));
        let own: Vec<(usize, &Column)> = columns
            .filter(|(_, _, draft)| draft.change.table().as_ref() == Some(&after.name))
            .map(|(at, column, _)| (at, column))
            .collect();
        // the same ALTER may part the table by a new column
        let waits = own.iter().any(|(column, _)| edges.0.get(&(*column, at)).is_some_and(|link| *link > Link::Soft));
        let link = if waits { Link::Soft } else { Link::Order };
        for (column, _) in
            own.iter().filter(|(_, column)| column.collation.as_ref().is_some_and(|own| own.name.as_str() == new))
        {
            if !edges.0.contains_key(&(*column, at)) {
                edges.add(at, *column, link);
            }
        }
    }
}

/// Whether a change adds or drops a computed column or a check.
const fn is_computed(change: &Change) -> bool {
    if let Change::DropColumn { column, .. } | Change::AddColumn { column, .. } = change {
        return column.generated.is_some();
    }
    matches!(change, Change::DropConstraint { constraint, .. } | Change::AddConstraint { constraint, .. }
        if matches!(constraint.kind, ConstraintKind::Check { .. }))
}

/// What is computed from a column, or checks it, goes before the column counts by itself, and comes after it no longer does: no server
/// has both.
fn counters(edges: &mut Edges, drafts: &[Draft], nodes: &[Node]) {
    let reads = |uses: &[Use], site: &Site| uses.iter().any(|each| each.on == *site);
    for (at, draft) in drafts.iter().enumerate() {
        let Change::SetIdentity { table, before, after } = &draft.change else { continue };
        if before.auto_increment == after.auto_increment {
            continue;
        }
        let site = Site::column(table, &after.name);
        for (other, node) in nodes.iter().enumerate() {
            if !is_computed(&drafts[other].change) {
                continue;
            }
            if after.auto_increment && node.is_removal && reads(&node.old, &site) {
                edges.add(other, at, Link::Order);
            } else if before.auto_increment && !node.is_removal && reads(&node.new, &site) {
                edges.add(at, other, Link::Order);
            }
        }
    }
}

/// First uses of a new label wait until it is committed, where the engine asks for that.
fn labels(edges: &mut Edges, plan: &DraftPlan<'_>) {
    for (at, draft) in plan.drafts.iter().enumerate() {
        let Change::AddEnumValue { value, .. } = &draft.change else { continue };
        let waits = plan.dialect.tx_class(&draft.change) == TxClass::CommitAfter;
        for (other, user) in plan.drafts.iter().enumerate() {
            if other != at && mentions_label(&user.change, value) {
                edges.add(at, other, if waits { Link::Commit } else { Link::Need });
            }
        }
    }
}

/// Columns are added and moved in the order in which they are declared.
fn positions(edges: &mut Edges, plan: &DraftPlan<'_>) {
    let mut placed = BTreeMap::<&QualName, Vec<(usize, usize)>>::new();
    for (at, draft) in plan.drafts.iter().enumerate() {
        if let Change::AddColumn { table, column, .. } | Change::MoveColumn { table, column, .. } = &draft.change
            && let Some(declared) = plan.desired.tables.get(table)
            && let Some(position) = declared.columns.iter().position(|each| each.name == column.name)
        {
            placed.entry(table).or_default().push((position, at));
        }
    }
    let link = if plan.dialect.capabilities().column_order { Link::Order } else { Link::Soft };
    for mut columns in placed.into_values() {
        columns.sort_unstable();
        for ((_, first), (_, second)) in columns.iter().zip(columns.iter().skip(1)) {
            edges.add(*first, *second, link);
        }
    }
}

/// Holds back whatever cannot happen without something that is held back, and closures of changes that are.
pub(crate) fn hold_back(graph: &Graph, drafts: &mut [Draft]) {
    let ids: BTreeMap<OpId, usize> =
        drafts.iter().enumerate().map(|(at, draft)| (OpId::of(&draft.change), at)).collect();
    let mut closures: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, draft) in drafts.iter().enumerate() {
        for cause in draft.cause.iter().filter_map(|id| ids.get(id)) {
            closures.entry(*cause).or_default().push(at);
        }
    }
    let mut open: BTreeSet<usize> = (0..drafts.len()).filter(|at| drafts[*at].held_back).collect();
    while let Some(at) = open.pop_first() {
        let needing = graph.edges_directed(NodeIndex::new(at), Direction::Outgoing);
        let needing = needing.filter(|edge| *edge.weight() >= Link::Need).map(|edge| edge.target().index());
        let orphans = closures.get(&at).into_iter().flatten().copied();
        let orphans = orphans.filter(|each| {
            drafts[*each].cause.iter().filter_map(|id| ids.get(id)).all(|cause| drafts[*cause].held_back)
        });
        let next: Vec<usize> = needing.chain(orphans).filter(|each| !drafts[*each].held_back).collect();
        for each in next {
            drafts[each].held_back = true;
            open.insert(each);
        }
    }
}
