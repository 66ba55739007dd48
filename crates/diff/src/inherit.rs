//! What a table makes of changes to the tables that it has its columns from.
//!
//! The engine carries a change of a parent to its heirs: partitions, and tables of classic inheritance. A plan must neither repeat such
//! a change on an heir nor forget that it overwrites what the heir had of its own.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::Change;
use trueup_schema::{Column, Ident, QualName, Schema, Table};

use crate::ownership::Rights;

/// The tables that `table` has its columns from.
pub(crate) fn parents(table: &Table) -> impl Iterator<Item = &QualName> {
    table.inherits.iter().chain(table.partition_of.as_ref().map(|place| &place.parent))
}

/// Who has columns from whom.
#[derive(Debug, Default)]
pub(crate) struct Families(BTreeMap<QualName, Vec<QualName>>);

impl Families {
    /// The families of a schema.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut families = Self::default();
        for table in schema.tables.values() {
            for parent in parents(table) {
                families.0.entry(parent.clone()).or_default().push(table.name.clone());
            }
        }
        families
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tables that have their columns from `table`, directly or not.
    pub(crate) fn heirs(&self, table: &QualName) -> BTreeSet<&QualName> {
        let mut found = BTreeSet::new();
        let mut open = vec![table];
        while let Some(parent) = open.pop() {
            for each in self.0.get(parent).into_iter().flatten() {
                if found.insert(each) {
                    open.push(each);
                }
            }
        }
        found
    }
}

/// Brings `schema`, the live one, to where the changes of parents to their declared form will take the heirs, and returns these.
pub(crate) fn project(schema: &mut Schema, desired: &Schema, rights: &Rights<'_>) -> BTreeSet<QualName> {
    let mut changed = BTreeSet::new();
    let order = parents_first(schema);
    if order.is_empty() {
        return changed;
    }
    let now = schema.clone();
    for name in order {
        let (Some(live), Some(declared)) = (now.tables.get(&name), desired.tables.get(&name)) else { continue };
        let mut heir = live.clone();
        for parent in parents(live).filter(|parent| parents(declared).any(|other| other == *parent)) {
            let object = trueup_schema::ObjectRef::Table(parent.clone());
            if !rights.in_scope(&object) {
                continue;
            }
            if let (Some(before), Some(after)) = (now.tables.get(parent), desired.tables.get(parent)) {
                let elsewhere = |column: &Ident| others_have(desired, declared, parent, column);
                pass_on(&mut heir, before, after, Some(declared), &elsewhere);
            }
        }
        if live.inherits != declared.inherits {
            untie(&mut heir, &declared.inherits, &now);
        }
        if heir != *live {
            changed.insert(name);
            schema.insert(heir);
        }
    }
    changed
}

/// Carries what `change` did to a table on to its heirs. `before` is the table as it was.
pub(crate) fn carry(schema: &mut Schema, change: &Change, before: &Table) {
    let mut was = BTreeMap::from([(before.name.clone(), before.clone())]);
    if let Change::AlterTable { after, .. } = change
        && before.inherits != after.inherits
        && let Some(mut own) = schema.tables.get(&after.name).cloned()
    {
        untie(&mut own, &after.inherits, schema);
        schema.insert(own);
        return;
    }
    for name in parents_first(schema) {
        let Some(live) = schema.tables.get(&name).cloned() else { continue };
        let mut heir = live.clone();
        for parent in parents(&live) {
            if let (Some(old), Some(new)) = (was.get(parent), schema.tables.get(parent)) {
                pass_on(&mut heir, old, new, None, &|column| others_have(schema, &live, parent, column));
            }
        }
        if heir != live {
            was.insert(name, live);
            schema.insert(heir);
        }
    }
}

/// Whether a parent other than `parent` has the column.
fn others_have(schema: &Schema, heir: &Table, parent: &QualName, column: &Ident) -> bool {
    parents(heir)
        .filter(|each| *each != parent)
        .any(|each| schema.tables.get(each).is_some_and(|table| table.column(column).is_some()))
}

/// Tables that have parents, these before their heirs.
fn parents_first(schema: &Schema) -> Vec<QualName> {
    let mut order = Vec::new();
    let mut rest: Vec<&Table> = schema.tables.values().filter(|table| parents(table).next().is_some()).collect();
    while !rest.is_empty() {
        let waits = |table: &Table| parents(table).any(|parent| rest.iter().any(|each| each.name == *parent));
        let (later, now): (Vec<&Table>, Vec<&Table>) = rest.iter().partition(|table| waits(table));
        if now.is_empty() {
            break;
        }
        order.extend(now.iter().map(|table| table.name.clone()));
        rest = later;
    }
    order
}

/// Changes `heir` as the engine does when its parent goes from `before` to `after`. Where it is `declared` under another name that a column
/// refuses NULL, that is left to the heir, which must have the rule before its parent has.
fn pass_on(
    heir: &mut Table,
    before: &Table,
    after: &Table,
    declared: Option<&Table>,
    elsewhere: &dyn Fn(&Ident) -> bool,
) {
    let is_partition = heir.partition_of.is_some();
    let names_it = |column: &Column| {
        let own = declared.and_then(|declared| declared.column(&column.name));
        is_partition && own.is_some_and(|own| names_otherwise(column, own))
    };
    let gone = before.columns.iter().filter(|column| after.column(&column.name).is_none());
    for column in gone {
        let goes = |each: &Column| each.name == column.name && (is_partition || each.inherited);
        if !elsewhere(&column.name) {
            heir.columns.retain(|each| !goes(each));
        }
    }
    for column in &after.columns {
        match (before.column(&column.name), heir.columns.iter_mut().find(|each| each.name == column.name)) {
            (None, None) if names_it(column) => {
                heir.columns.push(given(&Column { not_null: false, not_null_clause: None, ..column.clone() }, true));
            }
            (None, None) => heir.columns.push(given(column, is_partition)),
            (Some(was), Some(own)) if names_it(column) => {
                follow(own, was, &Column { not_null: was.not_null, ..column.clone() }, true);
            }
            (Some(was), Some(own)) => follow(own, was, column, is_partition),
            (None, Some(_)) | (Some(_), None) => {}
        }
    }
}

/// Whether both columns refuse NULL, by rules of different names.
fn names_otherwise(of_parent: &Column, of_heir: &Column) -> bool {
    of_parent.not_null && of_heir.not_null && of_parent.not_null_clause != of_heir.not_null_clause
}

/// Whether a partition of `table` that stays calls the rule otherwise that `column` of both refuses NULL.
pub(crate) fn partitions_name_it(table: &Table, column: &Column, before: &Schema, after: &Schema) -> bool {
    // most tables have none, and looking for families is a look at every table
    if table.partitioning.is_none() || !column.not_null {
        return false;
    }
    let families = Families::of(after);
    let heirs = families.heirs(&table.name);
    heirs.into_iter().filter(|heir| before.tables.contains_key(*heir)).any(|heir| {
        let heir = after.tables.get(heir).filter(|heir| heir.partition_of.is_some());
        heir.and_then(|heir| heir.column(&column.name)).is_some_and(|own| names_otherwise(column, own))
    })
}

/// A column as an heir gets it from its parent.
fn given(column: &Column, is_partition: bool) -> Column {
    let mut given = column.clone();
    given.inherited = !is_partition;
    given.identity = None;
    given.not_null_clause = given.not_null_clause.take().filter(|_| is_partition);
    given.comment = None;
    given.attributes.retain(|name, _| is_passed_on(name));
    given
}

/// Storage and statistics targets go to the heirs, options and compression stay where they are set.
fn is_passed_on(attribute: &str) -> bool {
    matches!(attribute, "storage" | "statistics" | "not_null")
}

fn follow(own: &mut Column, was: &Column, is: &Column, is_partition: bool) {
    if was.data_type != is.data_type || was.collation != is.collation {
        own.data_type.clone_from(&is.data_type);
        own.collation.clone_from(&is.collation);
    }
    if was.default != is.default {
        own.default.clone_from(&is.default);
        own.depends_on.clone_from(&is.depends_on);
    }
    if was.generated != is.generated {
        own.generated.clone_from(&is.generated);
        own.depends_on.clone_from(&is.depends_on);
    }
    // a rule of its own stays as it is called
    if was.not_null != is.not_null && own.not_null != is.not_null {
        own.not_null = is.not_null;
        own.not_null_clause = is.not_null_clause.clone().filter(|_| is_partition);
    }
    for name in was.attributes.keys().chain(is.attributes.keys()).filter(|name| is_passed_on(name)) {
        match is.attributes.get(name) {
            value if value == was.attributes.get(name) => {}
            Some(value) => drop(own.attributes.insert(name.clone(), value.clone())),
            None => drop(own.attributes.remove(name)),
        }
    }
}

/// Columns that none of `parents` has are the table's own.
fn untie(table: &mut Table, parents: &[QualName], schema: &Schema) {
    let given = |column: &Ident| {
        parents.iter().any(|parent| schema.tables.get(parent).is_some_and(|table| table.column(column).is_some()))
    };
    table.columns.iter_mut().filter(|column| !given(&column.name)).for_each(|column| column.inherited = false);
}

/// `table`, which is new, as its parents alone make it: what it says besides is said later.
pub(crate) fn as_given(table: &Table, schema: &Schema) -> Table {
    let mut made = table.clone();
    let is_partition = table.partition_of.is_some();
    for column in made.columns.iter_mut().filter(|column| is_partition || column.inherited) {
        let of_parents = parents(table).filter_map(|parent| schema.tables.get(parent)?.column(&column.name));
        let mut of_parents: Vec<&Column> = of_parents.collect();
        let Some(first) = of_parents.first() else { continue };
        let mut base = given(first, is_partition);
        of_parents.retain(|each| each.default.is_some());
        base.default = of_parents.first().and_then(|each| each.default.clone());
        base.not_null = parents(table)
            .filter_map(|parent| schema.tables.get(parent)?.column(&column.name))
            .any(|each| each.not_null);
        base.depends_on.clone_from(&column.depends_on);
        base.generated.clone_from(&column.generated);
        base.attributes.remove("statistics");
        base.source.clone_from(&column.source);
        base.renamed_from.clone_from(&column.renamed_from);
        base.using.clone_from(&column.using);
        base.backfill.clone_from(&column.backfill);
        *column = base;
    }
    if !is_partition {
        made.columns.iter_mut().filter(|column| !column.inherited).for_each(|column| merge(column, table, schema));
    }
    made
}

/// What a new heir's own column takes from those of its parents where it says nothing itself (PostgreSQL manual, "CREATE TABLE", INHERITS).
fn merge(own: &mut Column, table: &Table, schema: &Schema) {
    let has_value = own.default.is_some() || own.generated.is_some() || own.identity.is_some();
    for parent in parents(table) {
        let Some(of_parent) = schema.tables.get(parent).and_then(|parent| parent.column(&own.name)) else { continue };
        if !has_value && own.default.is_none() {
            own.default.clone_from(&of_parent.default);
        }
        for name in ["storage", "compression"] {
            if let (None, Some(value)) = (own.attributes.get(name), of_parent.attributes.get(name)) {
                own.attributes.insert(name.to_owned(), value.clone());
            }
        }
    }
}
