//! One order for everything that has none, and no hints.

use std::collections::BTreeMap;

use trueup_schema::{Column, Common, Constraint, ConstraintKind, Index, Keyed, Schema, Table, UserTypeKind};

use crate::SnapshotError;

/// Takes the hints out of `schema`: they say how to get there, not what there is.
pub(crate) fn clear_hints(schema: &mut Schema) {
    for common in commons(schema) {
        common.renamed_from = None;
    }
    for table in schema.tables.values_mut() {
        table.columns.iter_mut().for_each(clear_column_hints);
        table.indexes.iter_mut().for_each(|index| index.renamed_from = None);
    }
    for index in schema.views.values_mut().flat_map(|view| &mut view.indexes) {
        index.renamed_from = None;
    }
}

fn clear_column_hints(column: &mut Column) {
    column.renamed_from = None;
    column.using = None;
    column.backfill = None;
}

fn commons(schema: &mut Schema) -> impl Iterator<Item = &mut Common> {
    let namespaces = schema.namespaces.values_mut().map(|each| &mut each.common);
    let extensions = schema.extensions.values_mut().map(|each| &mut each.common);
    let types = schema.types.values_mut().map(|each| &mut each.common);
    let sequences = schema.sequences.values_mut().map(|each| &mut each.common);
    let tables = schema.tables.values_mut().map(|each| &mut each.common);
    let views = schema.views.values_mut().map(|each| &mut each.common);
    let routines = schema.routines.values_mut().map(|each| &mut each.common);
    let objects = schema.objects.values_mut().map(|each| &mut each.common);
    namespaces.chain(extensions).chain(types).chain(sequences).chain(tables).chain(views).chain(routines).chain(objects)
}

/// Sorts whatever has no order of its own.
pub(crate) fn sort(schema: &mut Schema) {
    for common in commons(schema) {
        sort_set(&mut common.depends_on);
        if let Some(grants) = &mut common.grants {
            sort_set(grants);
        }
    }
    for user_type in schema.types.values_mut() {
        if let UserTypeKind::Domain(domain) = &mut user_type.kind {
            domain.checks.sort_by(|a, b| (&a.name, &a.expr).cmp(&(&b.name, &b.expr)));
            domain.checks.iter_mut().for_each(|check| sort_set(&mut check.depends_on));
        }
    }
    schema.tables.values_mut().for_each(sort_table);
    for view in schema.views.values_mut() {
        sort_indexes(&mut view.indexes);
    }
    for trigger in schema.triggers.values_mut() {
        sort_set(&mut trigger.depends_on);
    }
    for policy in schema.policies.values_mut() {
        sort_set(&mut policy.roles);
        sort_set(&mut policy.depends_on);
    }
}

fn sort_set<T: Ord>(list: &mut Vec<T>) {
    list.sort();
    list.dedup();
}

fn sort_table(table: &mut Table) {
    table.columns.iter_mut().for_each(|column| sort_set(&mut column.depends_on));
    table.constraints.iter_mut().for_each(|constraint| sort_set(&mut constraint.depends_on));
    // writing them out is dear, and names alone nearly always decide
    let written = |each: &Constraint| format!("{:?}", each.kind);
    table.constraints.sort_by(|a, b| {
        (&a.name, rank(&a.kind)).cmp(&(&b.name, rank(&b.kind))).then_with(|| written(a).cmp(&written(b)))
    });
    sort_indexes(&mut table.indexes);
    // a schema is kept for long, and lists that grew one by one have room for half as much again
    table.columns.shrink_to_fit();
    table.constraints.shrink_to_fit();
    table.indexes.shrink_to_fit();
}

fn sort_indexes(indexes: &mut [Index]) {
    indexes.iter_mut().for_each(|index| sort_set(&mut index.depends_on));
    indexes.sort_by(|a, b| a.name.cmp(&b.name));
}

/// The customary order of constraints without names.
const fn rank(kind: &ConstraintKind) -> u8 {
    match kind {
        ConstraintKind::PrimaryKey(_) => 0,
        ConstraintKind::Unique(_) => 1,
        ConstraintKind::Check { .. } => 2,
        ConstraintKind::Exclude { .. } => 3,
        ConstraintKind::ForeignKey(_) => 4,
    }
}

/// Puts every object under the name that it has now.
///
/// # Errors
/// [`SnapshotError::SameName`] if two objects of a kind have one name now.
pub(crate) fn rekey(schema: &mut Schema) -> Result<(), SnapshotError> {
    rekey_map(&mut schema.namespaces, "namespace")?;
    rekey_map(&mut schema.extensions, "extension")?;
    rekey_map(&mut schema.types, "type")?;
    rekey_map(&mut schema.sequences, "sequence")?;
    rekey_map(&mut schema.tables, "table")?;
    rekey_map(&mut schema.views, "view")?;
    rekey_map(&mut schema.routines, "routine")?;
    rekey_map(&mut schema.triggers, "trigger")?;
    rekey_map(&mut schema.policies, "policy")?;
    rekey_map(&mut schema.objects, "object")
}

fn rekey_map<V: Keyed>(map: &mut BTreeMap<V::Key, V>, kind: &'static str) -> Result<(), SnapshotError> {
    if map.iter().all(|(key, value)| *key == value.key()) {
        return Ok(());
    }
    for (before, value) in std::mem::take(map) {
        let key = value.key();
        if map.contains_key(&key) {
            let (name, before) = (key.to_string(), before.to_string());
            return Err(SnapshotError::SameName { kind, name, before });
        }
        map.insert(key, value);
    }
    Ok(())
}
