//! Indexes of tables and materialized views.

use std::collections::BTreeMap;

use trueup_dialect::Online;
use trueup_plan::{Change, Flavor, Object, TableIndex};
use trueup_schema::{Constraint, Index, ObjectRef, PartId, QualName, Table, View};

use super::common::{comment, comment_of_new};
use super::context::Settled;
use super::{Context, Findings, Remark};

/// What indexes hang on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holder<'a> {
    name: &'a QualName,
    indexes: &'a [Index],
    constraints: &'a [Constraint],
    flavor: Flavor,
}

impl<'a> Holder<'a> {
    pub(super) fn of_table(table: &'a Table) -> Self {
        Self { name: &table.name, indexes: &table.indexes, constraints: &table.constraints, flavor: Flavor::Plain }
    }

    pub(super) fn of_view(view: &'a View) -> Self {
        Self { name: &view.name, indexes: &view.indexes, constraints: &[], flavor: Flavor::Materialized }
    }

    fn reference(&self, index: &Index) -> ObjectRef {
        ObjectRef::Index(PartId { table: self.name.clone(), name: index.name.clone() })
    }
}

/// Compares the indexes of something that stays.
pub(super) fn indexes(cx: &Context<'_>, out: &mut Findings, before: Holder<'_>, after: Holder<'_>) {
    for index in before.indexes {
        let is_declared = after.indexes.iter().any(|each| each.name == index.name);
        if !is_declared && !goes_with_parent(cx, index) {
            if cx.capabilities().online != Online::Same && crate::online::is_leftover(index, after.constraints) {
                let why = "left by a run that was cut off";
                out.push(cx, Remark::new(Change::Drop { object: object(before, index) }, why));
            } else {
                out.drop_undeclared(cx, object(before, index));
            }
        }
    }
    for index in after.indexes {
        let on = after.reference(index);
        match before.indexes.iter().find(|each| each.name == index.name) {
            Some(live) if live.partition_of.as_ref().is_some_and(|parent| is_made_again(cx, parent)) => {
                out.found(cx, &on);
                create(cx, out, after, index);
            }
            Some(live) => {
                out.found(cx, &on);
                if !cx.same.contains(&on) {
                    self::index(cx, out, after, live, index);
                }
            }
            None => create(cx, out, after, index),
        }
    }
}

fn object(holder: Holder<'_>, index: &Index) -> Object {
    Object::Index(TableIndex { table: holder.name.clone(), index: index.clone() })
}

/// An index of a partition that is attached to one that is dropped is dropped by the engine.
fn goes_with_parent(cx: &Context<'_>, index: &Index) -> bool {
    index.partition_of.as_ref().is_some_and(|parent| !has_index(&cx.after.tables, parent) || is_made_again(cx, parent))
}

/// Whether an index that every partition has is to be one of the partitioned table alone: that is made anew, and takes those of the
/// partitions along when it goes.
fn is_made_again(cx: &Context<'_>, parent: &QualName) -> bool {
    let is_only = |tables| named(tables, parent).map(|index| index.only);
    (is_only(&cx.before.tables), is_only(&cx.after.tables)) == (Some(false), Some(true))
}

/// An index of a partition is made by the engine with that of the partitioned table.
fn comes_with_parent(cx: &Context<'_>, index: &Index) -> bool {
    let Some(parent) = &index.partition_of else { return false };
    named(&cx.after.tables, parent).is_some_and(|declared| !declared.only) && !has_index(&cx.before.tables, parent)
}

fn has_index(tables: &BTreeMap<QualName, Table>, name: &QualName) -> bool {
    named(tables, name).is_some()
}

fn named<'t>(tables: &'t BTreeMap<QualName, Table>, name: &QualName) -> Option<&'t Index> {
    tables.values().filter(|table| table.name.namespace == name.namespace).find_map(|table| table.index(&name.name))
}

/// Makes a declared index.
pub(super) fn create(cx: &Context<'_>, out: &mut Findings, holder: Holder<'_>, index: &Index) {
    if comes_with_parent(cx, index) {
        return;
    }
    let on = holder.reference(index);
    let mut created = index.clone();
    if cx.separate_comments() {
        created.comment = None;
    }
    out.push(cx, Remark::new(Change::Create { object: object(holder, &created) }, cx.declared(&on)));
    comment_of_new(cx, out, &on, holder.flavor, index.comment.as_ref());
}

fn index(cx: &Context<'_>, out: &mut Findings, holder: Holder<'_>, before: &Index, after: &Index) {
    let on = holder.reference(after);
    let says_comment = !cx.separate_comments() && before.comment != after.comment;
    if differs(before, after) || says_comment {
        let change = Change::AlterIndex { table: holder.name.clone(), before: before.clone(), after: after.clone() };
        let settled = if before.valid {
            out.settle(cx, vec![Remark::new(change, "definition differs")])
        } else {
            Settled::Replace("left unfinished by an interrupted build".to_owned())
        };
        if let Settled::Replace(why) = settled {
            out.push(cx, Remark::new(Change::Drop { object: object(holder, before) }, why));
            create(cx, out, holder, after);
            return;
        }
    }
    if !says_comment {
        comment(cx, out, &on, holder.flavor, before.comment.as_ref(), after.comment.as_ref());
    }
}

/// Whether anything but name and comment differs.
pub(crate) fn differs(before: &Index, after: &Index) -> bool {
    let Index {
        name: _,
        unique,
        method,
        parts,
        include,
        nulls_not_distinct,
        predicate,
        parameters,
        tablespace,
        partition_of,
        only,
        valid,
        clustered,
        comment: _,
        depends_on: _,
        source: _,
        renamed_from: _,
    } = after;
    *unique != before.unique
        || *method != before.method
        || *parts != before.parts
        || *include != before.include
        || *nulls_not_distinct != before.nulls_not_distinct
        || *predicate != before.predicate
        || *parameters != before.parameters
        || *tablespace != before.tablespace
        || *partition_of != before.partition_of
        // the other way, it is what it is to be once those of all partitions are attached
        || *only && !before.only
        || *valid != before.valid
        || *clustered != before.clustered
}
