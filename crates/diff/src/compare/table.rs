//! Tables as a whole.

use trueup_dialect::NameKind;
use trueup_plan::{Change, Object};
use trueup_schema::{Index, ObjectRef, RowSecurity, Table};

use super::common::{comment_of_new, common, of_new};
use super::context::Settled;
use super::namespace::bare;
use super::{Context, Findings, Remark, column, constraint, index};
use crate::inherit;
use crate::project::flavor;

/// Compares tables and their parts.
pub(crate) fn tables(cx: &Context<'_>, out: &mut Findings) {
    for (name, after) in &cx.after.tables {
        let object = ObjectRef::Table(name.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.live_table(name) {
            Some(before) => {
                out.found(cx, &object);
                if cx.same.contains(&object) || table(cx, out, before, after) {
                    index::indexes(cx, out, index::Holder::of_table(before), index::Holder::of_table(after));
                }
            }
            None => create(cx, out, after),
        }
    }
    for (name, before) in &cx.before.tables {
        if !cx.after.tables.contains_key(name) && cx.in_scope(&ObjectRef::Table(name.clone())) {
            out.drop_undeclared(cx, Object::Table(before.clone()));
        }
    }
}

/// A new table with its columns and constraints. Whatever takes a statement of its own has an operation of its own.
fn create(cx: &Context<'_>, out: &mut Findings, after: &Table) {
    let object = ObjectRef::Table(after.name.clone());
    let flavor = flavor(cx.after, &object);
    let mut created = inherit::as_given(after, cx.after);
    let attached = after.partition_of.as_ref().filter(|_| column::names_its_rules(&created, after));
    if attached.is_some() {
        created = alone(cx, &created, after);
    }
    created.common = bare(cx, &after.common);
    let separate_indexes = !cx.capabilities().whole_definitions;
    if separate_indexes {
        created.indexes.clear();
    }
    let identity = created.options.replica_identity.take_if(|_| separate_indexes && identifying_index(after).is_some());
    created.row_security = RowSecurity::default();
    if cx.separate_comments() {
        created.columns.iter_mut().for_each(|column| column.comment = None);
        created.constraints.iter_mut().for_each(|constraint| constraint.comment = None);
    }
    let heir = created.clone();
    out.push(cx, Remark::new(Change::Create { object: Object::Table(created) }, cx.declared(&object)));
    if let Some(place) = attached {
        let change = Change::AttachPartition { table: after.name.clone(), partition_of: place.clone() };
        out.push(cx, Remark::new(change, "a partition of this parent, with names of its own"));
    }
    column::beyond_parents(cx, out, &heir, after);
    row_security(cx, out, RowSecurity::default(), after);
    of_new(cx, out, &object, flavor, &after.common);
    for each in &after.columns {
        comment_of_new(cx, out, &column::reference(after, each), flavor, each.comment.as_ref());
    }
    for each in &after.constraints {
        if let Some(on) = constraint::reference(&after.name, each) {
            comment_of_new(cx, out, &on, flavor, each.comment.as_ref());
        }
    }
    for each in after.indexes.iter().filter(|_| separate_indexes) {
        index::create(cx, out, index::Holder::of_table(after), each);
    }
    if identity.is_some() {
        let change = Change::AlterTable { before: heir, after: after.clone() };
        out.push(cx, Remark::new(change, "rows are known by an index"));
    }
}

/// The index that identifies rows for replication, where it is one of the table's indexes rather than of a constraint.
fn identifying_index(table: &Table) -> Option<&Index> {
    let name = table.options.identity_index()?;
    table.indexes.iter().find(|index| index.name.as_str() == name)
}

/// A partition as the table that it is before it is attached: what it is `given` then is not said, its NOT NULL are.
fn alone(cx: &Context<'_>, given: &Table, after: &Table) -> Table {
    let mut made = after.clone();
    made.partition_of = None;
    for (column, given) in made.columns.iter_mut().zip(&given.columns) {
        column.identity.clone_from(&given.identity);
        let chosen = cx.dialect.generated_name(NameKind::NotNull, &after.name.name, std::slice::from_ref(&column.name));
        column.not_null_clause =
            column.not_null_clause.take().filter(|name| chosen.is_none_or(|it| it.as_str() != name));
    }
    made
}

/// False if the table was made anew, so that nothing is left to compare.
fn table(cx: &Context<'_>, out: &mut Findings, before: &Table, after: &Table) -> bool {
    let Table {
        name,
        kind,
        columns: _,
        constraints: _,
        indexes: _,
        options,
        inherits,
        partitioning,
        partition_of: _,
        row_security: _,
        spelled: _,
        common: own,
        source: _,
    } = after;
    let mut reasons = Vec::new();
    let mut differs = |is_other: bool, what: &'static str| {
        if is_other {
            reasons.push(what);
        }
    };
    differs(*kind != before.kind, "kind");
    differs(*options != before.options, "options");
    differs(*inherits != before.inherits, "parents");
    differs(*partitioning != before.partitioning, "partitioning");
    if !reasons.is_empty() {
        let change = Change::AlterTable { before: before.clone(), after: after.clone() };
        let why = format!("{} differ", reasons.join(", "));
        if let Settled::Replace(why) = out.settle(cx, vec![Remark::new(change, why)]) {
            out.remade.insert(name.clone());
            out.push(cx, Remark::new(Change::Drop { object: Object::Table(before.clone()) }, why));
            create(cx, out, after);
            return false;
        }
    }
    partition(cx, out, before, after);
    row_security(cx, out, before.row_security, after);
    column::columns(cx, out, before, after);
    constraint::constraints(cx, out, before, after);
    let object = ObjectRef::Table(name.clone());
    common(cx, out, &object, flavor(cx.after, &object), &before.common, own);
    true
}

fn partition(cx: &Context<'_>, out: &mut Findings, before: &Table, after: &Table) {
    if before.partition_of == after.partition_of {
        return;
    }
    let mut remarks = Vec::new();
    let table = &after.name;
    if let Some(place) = &before.partition_of {
        let change = Change::DetachPartition { table: table.clone(), partition_of: place.clone() };
        remarks.push(Remark::new(change, format!("no longer declared as this partition of `{}`", place.parent)));
    }
    if let Some(place) = &after.partition_of {
        let change = Change::AttachPartition { table: table.clone(), partition_of: place.clone() };
        remarks.push(Remark::new(change, format!("declared as a partition of `{}`", place.parent)));
    }
    // An engine that can neither attach nor detach says so in its verdict: there is nothing to replace.
    if let Settled::Replace(why) = out.settle(cx, remarks) {
        out.notes.push(format!("table `{table}` stays where it is: {why}"));
    }
}

fn row_security(cx: &Context<'_>, out: &mut Findings, before: RowSecurity, after: &Table) {
    if before != after.row_security {
        let (table, after) = (after.name.clone(), after.row_security);
        out.push(cx, Remark::new(Change::SetRowSecurity { table, before, after }, "row security differs"));
    }
}
