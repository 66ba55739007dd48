//! Changes that the engine carries to heirs, and changes of the heirs themselves.

use std::collections::BTreeMap;

use trueup_plan::Change;
use trueup_schema::{Ident, ObjectRef, PartId, QualName, Schema};

use super::nodes::Node;
use super::uses::Site;
use crate::inherit::{Families, parents};

/// Adds the columns of heirs that a change of their parent's column makes, removes or alters. `old` is the schema in which the heirs
/// have followed their parents.
pub(super) fn spread(node: &mut Node, families: &Families, old: &Schema) {
    if families.is_empty() {
        return;
    }
    let column = |table: &QualName, name: &Ident| old.tables.get(table).and_then(|table| table.column(name)).is_some();
    let of_heirs = |sites: &[Site], wanted: bool| {
        let mut found = Vec::new();
        for site in sites {
            let Site::Object(ObjectRef::Column(part)) = site else { continue };
            for heir in families.heirs(&part.table).into_iter().filter(|heir| column(heir, &part.name) == wanted) {
                found.push(Site::column(heir, &part.name));
            }
        }
        found
    };
    let (made, removed, altered) =
        (of_heirs(&node.makes, true), of_heirs(&node.removes, false), of_heirs(&node.alters, true));
    node.makes.extend(made);
    node.removes.extend(removed);
    node.alters.extend(altered);
}

/// What happens to columns and rules of tables that have parents or heirs.
#[derive(Debug, Default)]
struct Family {
    columns: BTreeMap<PartId, Vec<usize>>,
    /// Columns that begin to refuse NULL.
    refusing: BTreeMap<PartId, Vec<usize>>,
    added: BTreeMap<PartId, Vec<usize>>,
    dropped: BTreeMap<PartId, Vec<usize>>,
    by_table: BTreeMap<QualName, Vec<usize>>,
}

impl Family {
    fn of<'c>(changes: impl Iterator<Item = &'c Change>) -> Self {
        let mut family = Self::default();
        for (at, change) in changes.enumerate() {
            let object = change.object();
            let map = match (change, &object) {
                (Change::SetComment { .. } | Change::SetGrants { .. } | Change::Rename { .. }, _) => continue,
                (Change::AddConstraint { .. }, ObjectRef::Constraint(_)) => &mut family.added,
                (Change::DropConstraint { .. }, ObjectRef::Constraint(_)) => &mut family.dropped,
                (Change::SetNotNull { before, .. }, _) if !before.not_null => &mut family.refusing,
                (_, ObjectRef::Column(_)) => &mut family.columns,
                _ => continue,
            };
            if let ObjectRef::Column(part) | ObjectRef::Constraint(part) = object {
                family.by_table.entry(part.table.clone()).or_default().push(at);
                map.entry(part).or_default().push(at);
            }
        }
        family
    }
}

fn found<'m, K: Ord>(map: &'m BTreeMap<K, Vec<usize>>, key: &K) -> &'m [usize] {
    map.get(key).map_or(&[], Vec::as_slice)
}

/// A parent's change comes before what its heirs still need, and ties between tables are cut before and made after all else.
pub(super) fn order<'c>(
    changes: impl Iterator<Item = &'c Change> + Clone,
    families: &Families,
    add: &mut dyn FnMut(usize, usize),
) {
    let family = Family::of(changes.clone());
    if !families.is_empty() {
        heirs(&family, families, add);
    }
    for (at, change) in changes.enumerate() {
        let Some((table, cut, made)) = ties(change) else { continue };
        let both = cut.is_some() && made.is_some();
        let own = found(&family.by_table, table).iter().filter(|_| !both);
        for other in cut.iter().flatten().flat_map(|parent| found(&family.by_table, parent)) {
            add(at, *other);
        }
        for other in made.iter().flatten().flat_map(|parent| found(&family.by_table, parent)) {
            add(*other, at);
        }
        for other in own {
            if cut.is_some() {
                add(at, *other);
            } else {
                add(*other, at);
            }
        }
    }
}

/// Parents that a change takes from a table, and those that it gives to it.
type Ties<'c> = (&'c QualName, Option<Vec<&'c QualName>>, Option<Vec<&'c QualName>>);

fn ties(change: &Change) -> Option<Ties<'_>> {
    if let Change::AttachPartition { table, partition_of } = change {
        return Some((table, None, Some(vec![&partition_of.parent])));
    }
    if let Change::DetachPartition { table, partition_of } = change {
        return Some((table, Some(vec![&partition_of.parent]), None));
    }
    let Change::AlterTable { before, after } = change else { return None };
    if before.inherits == after.inherits {
        return None;
    }
    let cut: Vec<_> = parents(before).filter(|parent| !after.inherits.contains(parent)).collect();
    let made: Vec<_> = parents(after).filter(|parent| !before.inherits.contains(parent)).collect();
    Some((&after.name, (!cut.is_empty()).then_some(cut), (!made.is_empty()).then_some(made)))
}

fn heirs(family: &Family, families: &Families, add: &mut dyn FnMut(usize, usize)) {
    let mut pairs = |first: &BTreeMap<PartId, Vec<usize>>, then: &BTreeMap<PartId, Vec<usize>>, parent_first: bool| {
        for (part, of_parent) in first {
            for heir in families.heirs(&part.table) {
                let id = PartId { table: heir.clone(), name: part.name.clone() };
                for (parent, heir) in of_parent.iter().flat_map(|one| found(then, &id).iter().map(|two| (*one, *two))) {
                    if parent_first { add(parent, heir) } else { add(heir, parent) }
                }
            }
        }
    };
    pairs(&family.columns, &family.columns, true);
    pairs(&family.columns, &family.refusing, true);
    pairs(&family.refusing, &family.columns, true);
    // an heir that calls the rule otherwise than its parent keeps that name only if it has the rule first
    pairs(&family.refusing, &family.refusing, false);
    pairs(&family.dropped, &family.dropped, true);
    pairs(&family.added, &family.dropped, false);
    pairs(&family.added, &family.added, true);
}
