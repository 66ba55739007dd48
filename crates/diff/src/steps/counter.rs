//! A column that counts by itself leads a key from its first moment to its last (MySQL manual, "Using AUTO_INCREMENT"; MariaDB
//! likewise). Where keys come and go, one ALTER does all of it.

use petgraph::graph::NodeIndex;
use trueup_plan::{Change, Object};
use trueup_schema::{Constraint, ConstraintKind, Ident, Index, IndexPart, QualName, Table};

use super::units::{Form, Units};
use crate::draft::DraftPlan;
use crate::graph::Graph;

/// Joins the changes of such a column and of the keys that it leads, unless a key of it stays. `nodes` are those of `table` that an ALTER
/// can carry.
pub(super) fn join(
    units: &mut Units<'_>,
    graph: &Graph,
    plan: &DraftPlan<'_>,
    table: &QualName,
    nodes: impl Iterator<Item = NodeIndex> + Clone,
) {
    let (before, after) = (plan.projected.tables.get(table), plan.desired.tables.get(table));
    let (was, is) = (before.and_then(counter), after.and_then(counter));
    for column in was.iter().chain(is.iter().filter(|is| was != Some(**is))) {
        let about = nodes.clone().filter(|node| is_about(&plan.drafts[graph[*node]].change, column));
        let dropped = about.clone().filter(|node| drops_key(&plan.drafts[graph[*node]].change)).count();
        let led = before.map_or(0, |table| keys(table).iter().filter(|key| key.first() == Some(column)).count());
        if was == is && led > dropped {
            continue;
        }
        let mut first = None;
        for node in about {
            let own = units.unit_of(node);
            match first {
                None => first = Some(own),
                Some(unit) if own != unit && !units.is_apart(unit, own) => units.join(unit, own, Form::Merged),
                Some(_) => {}
            }
        }
    }
}

/// The columns of a key, in their order.
type Key = Vec<Ident>;

fn counter(table: &Table) -> Option<&Ident> {
    table.columns.iter().find(|column| column.auto_increment).map(|column| &column.name)
}

const fn drops_key(change: &Change) -> bool {
    matches!(change, Change::Drop { .. } | Change::DropConstraint { .. })
}

/// Every key that a column can lead.
fn keys(table: &Table) -> Vec<Key> {
    let indexes = table.indexes.iter().filter(|index| is_ordered(index)).map(|index| names(&index.parts));
    table.constraints.iter().filter_map(parts).chain(indexes).collect()
}

fn is_ordered(index: &Index) -> bool {
    index.method.as_deref().is_none_or(|method| matches!(method, "btree" | "hash"))
}

fn parts(constraint: &Constraint) -> Option<Key> {
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => Some(names(&key.columns)),
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) | ConstraintKind::Exclude { .. } => None,
    }
}

/// The named columns in front.
fn names(parts: &[IndexPart]) -> Key {
    parts.iter().map_while(|part| part.column_name().cloned()).collect()
}

/// Whether a change makes, ends or alters the column's counting, or a key that it leads.
fn is_about(change: &Change, column: &Ident) -> bool {
    let leads = |key: Option<Key>| key.is_some_and(|key| key.first() == Some(column));
    if let Change::AddColumn { column: own, .. } | Change::DropColumn { column: own, .. } = change {
        own.auto_increment && own.name == *column
    } else if let Change::SetIdentity { before, after, .. } = change {
        after.name == *column && before.auto_increment != after.auto_increment
    } else if let Change::Create { object: Object::Index(each) } | Change::Drop { object: Object::Index(each) } = change
    {
        leads(is_ordered(&each.index).then(|| names(&each.index.parts)))
    } else if let Change::AddConstraint { constraint, .. } | Change::DropConstraint { constraint, .. } = change {
        leads(parts(constraint))
    } else {
        false
    }
}
