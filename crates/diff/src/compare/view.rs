//! Views and materialized views.

use trueup_plan::{Change, Object};
use trueup_schema::{Ident, ObjectRef, PartId, View, ViewColumn};

use super::common::{comment, common, of_new};
use super::context::Settled;
use super::namespace::bare;
use super::{Context, Findings, Remark, index};
use crate::project::flavor;

/// Compares views.
pub(crate) fn views(cx: &Context<'_>, out: &mut Findings) {
    for (name, after) in &cx.after.views {
        let object = ObjectRef::View(name.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.before.views.get(name) {
            Some(before) => {
                out.found(cx, &object);
                if cx.same.contains(&object) || view(cx, out, before, after) {
                    index::indexes(cx, out, index::Holder::of_view(before), index::Holder::of_view(after));
                }
            }
            None => create(cx, out, after),
        }
    }
    for (name, before) in &cx.before.views {
        if !cx.after.views.contains_key(name) && cx.in_scope(&ObjectRef::View(name.clone())) {
            out.drop_undeclared(cx, Object::View(before.clone()));
        }
    }
}

fn create(cx: &Context<'_>, out: &mut Findings, after: &View) {
    let object = ObjectRef::View(after.name.clone());
    let mut created = after.clone();
    created.common = bare(cx, &after.common);
    created.indexes.clear();
    if cx.separate_comments() {
        created.columns.iter_mut().for_each(|column| column.comment = None);
    }
    out.push(cx, Remark::new(Change::Create { object: Object::View(created) }, cx.declared(&object)));
    of_new(cx, out, &object, flavor(cx.after, &object), &after.common);
    column_comments(cx, out, &[], after);
    for each in &after.indexes {
        index::create(cx, out, index::Holder::of_view(after), each);
    }
}

fn column_comments(cx: &Context<'_>, out: &mut Findings, before: &[ViewColumn], after: &View) {
    for column in &after.columns {
        let old = before.iter().find(|each| each.name == column.name).and_then(|each| each.comment.as_ref());
        let on = ObjectRef::Column(PartId { table: after.name.clone(), name: column.name.clone() });
        comment(cx, out, &on, flavor(cx.after, &on), old, column.comment.as_ref());
    }
}

/// False if the view was made anew, so that nothing is left to compare.
fn view(cx: &Context<'_>, out: &mut Findings, before: &View, after: &View) -> bool {
    let View { name, materialized, columns, query, options, indexes: _, populated: _, common: own, source: _ } = after;
    let remake = |out: &mut Findings, why: String| {
        out.remade.insert(name.clone());
        out.push(cx, Remark::new(Change::Drop { object: Object::View(before.clone()) }, why));
        create(cx, out, after);
    };
    if *materialized != before.materialized {
        let why = if *materialized { "declared as a materialized view" } else { "declared as a plain view" };
        remake(out, why.to_owned());
        return false;
    }
    let mut remarks = Vec::new();
    if *query != before.query || other_columns(cx, &before.columns, columns) {
        let change = Change::ReplaceView { before: before.clone(), after: after.clone() };
        remarks.push(Remark::new(change, "query differs"));
    }
    if *options != before.options || other_properties(&before.columns, columns) {
        let change = Change::AlterView { before: before.clone(), after: after.clone() };
        remarks.push(Remark::new(change, "options differ"));
    }
    if let Settled::Replace(why) = out.settle(cx, remarks) {
        remake(out, why);
        return false;
    }
    let object = ObjectRef::View(name.clone());
    common(cx, out, &object, flavor(cx.after, &object), &before.common, own);
    column_comments(cx, out, &before.columns, after);
    true
}

/// Whether both sides know their columns and name them differently. Where only the statement's own list is known, no list is another one.
fn other_columns(cx: &Context<'_>, before: &[ViewColumn], after: &[ViewColumn]) -> bool {
    let names = |columns: &[ViewColumn]| columns.iter().map(|each| each.name.clone()).collect::<Vec<_>>();
    let are_known = cx.capabilities().lists_view_columns || !before.is_empty() && !after.is_empty();
    are_known && names(before) != names(after)
}

fn other_properties(before: &[ViewColumn], after: &[ViewColumn]) -> bool {
    let plain = |name: &Ident| ViewColumn::new(name.clone());
    after.iter().any(|column| {
        let ViewColumn { name, data_type: _, default, attributes, comment: _ } = column;
        let old = before.iter().find(|each| each.name == *name).cloned().unwrap_or_else(|| plain(name));
        old.default != *default || old.attributes != *attributes
    })
}
