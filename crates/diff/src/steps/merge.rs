//! Changes of one table that become one step.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::graph::NodeIndex;
use trueup_dialect::Verdict;
use trueup_plan::{Change, Class, Object, OpId, TxClass};
use trueup_schema::{ObjectRef, QualName};

use super::units::{Form, Units};
use crate::draft::{Draft, DraftPlan};
use crate::graph::Graph;

/// Joins what a rebuild absorbs, then what one ALTER can carry.
pub(super) fn merge(units: &mut Units<'_>, graph: &Graph, plan: &DraftPlan<'_>) {
    let mut tables = BTreeMap::<QualName, Vec<(OpId, NodeIndex)>>::new();
    for node in graph.node_indices() {
        let draft = &plan.drafts[graph[node]];
        if let Some(table) = draft.change.table() {
            tables.entry(table).or_default().push((OpId::of(&draft.change), node));
        }
    }
    for mut nodes in tables.into_values() {
        nodes.sort();
        let nodes: Vec<NodeIndex> = nodes.into_iter().map(|(_, node)| node).collect();
        if !rebuild(units, graph, plan, &nodes) {
            share(units, graph, plan, &nodes);
        }
    }
}

/// Puts the changes of a table that is written anew into one unit. Returns whether it is.
fn rebuild(units: &mut Units<'_>, graph: &Graph, plan: &DraftPlan<'_>, nodes: &[NodeIndex]) -> bool {
    let draft = |node: &NodeIndex| &plan.drafts[graph[*node]];
    let Some(first) = nodes.iter().find(|node| draft(node).verdict == Verdict::Rebuild) else { return false };
    let target = units.unit_of(*first);
    units.join(target, target, Form::Rebuild);
    for node in nodes.iter().filter(|node| is_absorbed(draft(node))) {
        units.join(target, units.unit_of(*node), Form::Rebuild);
    }
    // Indexes and triggers come along where nothing else stands between.
    for node in nodes.iter().filter(|node| may_be_absorbed(&draft(node).change)) {
        let own = units.unit_of(*node);
        if own != target && !units.is_apart(target, own) {
            units.join(target, own, Form::Rebuild);
        }
    }
    true
}

/// Whether a rebuild of its table does the change.
fn is_absorbed(draft: &Draft) -> bool {
    match &draft.change {
        Change::Rename { .. } => draft.verdict == Verdict::Rebuild,
        Change::AddColumn { .. }
        | Change::DropColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ValidateConstraint { .. }
        | Change::AlterConstraint { .. }
        | Change::AlterTable { .. } => true,
        Change::Create { .. }
        | Change::Drop { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::AlterIndex { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetComment { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => false,
    }
}

const fn may_be_absorbed(change: &Change) -> bool {
    matches!(
        change,
        Change::Create { object: Object::Index(_) | Object::Trigger(_) }
            | Change::Drop { object: Object::Index(_) | Object::Trigger(_) }
    )
}

/// Whether ALTER TABLE has an action for the change.
fn is_action(change: &Change) -> bool {
    match change {
        Change::Create { object } | Change::Drop { object } => matches!(object, Object::Index(_)),
        Change::Rename { from, .. } => {
            matches!(from, ObjectRef::Column(_) | ObjectRef::Index(_) | ObjectRef::Constraint(_))
        }
        Change::SetComment { on, .. } => matches!(on, ObjectRef::Table(_) | ObjectRef::Column(_)),
        Change::AlterTable { .. }
        | Change::SetRowSecurity { .. }
        | Change::AddColumn { .. }
        | Change::DropColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::ValidateConstraint { .. }
        | Change::AlterConstraint { .. }
        | Change::AlterIndex { .. } => true,
        Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::Backfill { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => false,
    }
}

/// Joins changes that the engine takes in one ALTER, first come first served. Where an ALTER restates what it changes, one that stands
/// alone is written from the whole table as well.
fn share(units: &mut Units<'_>, graph: &Graph, plan: &DraftPlan<'_>, nodes: &[NodeIndex]) {
    let change = |node: NodeIndex| &plan.drafts[graph[node]].change;
    let able = |node: &NodeIndex| {
        let draft = &plan.drafts[graph[*node]];
        is_action(&draft.change) && draft.verdict == Verdict::InPlace && !matches!(draft.class, Class::Blocked { .. })
    };
    let whole = plan.dialect.capabilities().whole_definitions;
    if let Some(table) = nodes.first().and_then(|node| change(*node).table()).filter(|_| whole) {
        super::counter::join(units, graph, plan, &table, nodes.iter().copied().filter(able));
    }
    let mut open: Vec<usize> = Vec::new();
    let mut seen = BTreeSet::new();
    for node in nodes.iter().copied().filter(able) {
        let class = plan.dialect.tx_class(change(node));
        if !matches!(class, TxClass::Inside | TxClass::Outside) {
            continue;
        }
        let own = units.unit_of(node);
        let joins = open.iter().copied().find(|unit| {
            let fits = units.drafts(*unit).all(|other| {
                let other = &plan.drafts[other].change;
                plan.dialect.tx_class(other) == class && plan.dialect.may_merge(other, change(node))
            });
            fits && !units.is_apart(*unit, own)
        });
        match joins {
            Some(unit) => units.join(unit, own, Form::Merged),
            None if seen.insert(own) => open.push(own),
            None => {}
        }
    }
    if whole {
        for node in nodes.iter().filter(|node| able(node)) {
            let own = units.unit_of(*node);
            units.join(own, own, Form::Merged);
        }
    }
}
