//! Sequences.

use trueup_plan::{Change, Flavor, Object};
use trueup_schema::{ObjectRef, PartId, Sequence};

use super::common::{common, of_new};
use super::context::Settled;
use super::namespace::bare;
use super::{Context, Findings, Remark};

/// Compares sequences.
pub(crate) fn sequences(cx: &Context<'_>, out: &mut Findings) {
    for (name, after) in &cx.after.sequences {
        let object = ObjectRef::Sequence(name.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.before.sequences.get(name) {
            Some(before) => {
                out.found(cx, &object);
                if !cx.same.contains(&object) {
                    sequence(cx, out, before, after);
                }
            }
            None => create(cx, out, after),
        }
    }
    for (name, before) in &cx.before.sequences {
        if !cx.after.sequences.contains_key(name) && cx.in_scope(&ObjectRef::Sequence(name.clone())) {
            undeclared(cx, out, before);
        }
    }
}

/// A sequence that a column owns belongs to the column's table and goes with the column.
fn undeclared(cx: &Context<'_>, out: &mut Findings, before: &Sequence) {
    let drop = || Change::Drop { object: Object::Sequence(before.clone()) };
    let Some(owner) = &before.owned_by else {
        out.drop_undeclared(cx, Object::Sequence(before.clone()));
        return;
    };
    let table = ObjectRef::Table(owner.table.clone());
    let stays = cx.after.tables.get(&owner.table).is_some_and(|table| table.column(&owner.name).is_some());
    let has_right = cx.rights.may_drop(&ObjectRef::Sequence(before.name.clone()), cx.before, cx.after)
        || cx.rights.may_drop(&table, cx.before, cx.after);
    if stays && has_right {
        out.push(cx, Remark::new(drop(), "no longer declared"));
    }
}

/// Made without its owner: the column comes between.
fn create(cx: &Context<'_>, out: &mut Findings, after: &Sequence) {
    let object = ObjectRef::Sequence(after.name.clone());
    let created = Sequence { owned_by: None, common: bare(cx, &after.common), ..after.clone() };
    out.push(cx, Remark::new(Change::Create { object: Object::Sequence(created) }, cx.declared(&object)));
    if after.owned_by.is_some() {
        let change = Change::SetSequenceOwner {
            name: after.name.clone(),
            before: None,
            after: after.owned_by.clone(),
            resumes: after.owned_by.as_ref().is_some_and(|owner| counts(cx, owner)),
        };
        out.push(cx, Remark::new(change, "belongs to a column"));
    }
    of_new(cx, out, &object, Flavor::Plain, &after.common);
}

/// Whether the column counts already, by an identity or a sequence of its own.
fn counts(cx: &Context<'_>, owner: &PartId) -> bool {
    let column = cx.live_table(&owner.table).and_then(|table| table.column(&owner.name));
    column.is_some_and(|column| column.identity.is_some())
        || cx.before.sequences.values().any(|sequence| sequence.owned_by.as_ref() == Some(owner))
}

fn sequence(cx: &Context<'_>, out: &mut Findings, before: &Sequence, after: &Sequence) {
    let Sequence { name, options, unlogged, owned_by, common: own } = after;
    let Sequence { name: _, options: old_options, unlogged: old_unlogged, owned_by: old_owner, common: old } = before;
    let object = ObjectRef::Sequence(name.clone());
    if options != old_options || unlogged != old_unlogged {
        let change = Change::AlterSequence { before: before.clone(), after: after.clone() };
        if let Settled::Replace(why) = out.settle(cx, vec![Remark::new(change, "options differ")]) {
            out.push(cx, Remark::new(Change::Drop { object: Object::Sequence(before.clone()) }, why));
            create(cx, out, after);
            return;
        }
    }
    if owned_by != old_owner {
        let (name, before, after) = (name.clone(), old_owner.clone(), owned_by.clone());
        let change = Change::SetSequenceOwner { name, before, after, resumes: false };
        out.push(cx, Remark::new(change, "owning column differs"));
    }
    common(cx, out, &object, Flavor::Plain, old, own);
}
