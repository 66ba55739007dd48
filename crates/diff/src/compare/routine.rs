//! Routines, triggers, policies, and objects kept as text.

use std::collections::BTreeSet;

use trueup_plan::{Change, Flavor, Object};
use trueup_schema::{Common, ObjectRef, Opaque, Policy, QualName, Routine, Table, Trigger, View};

use super::common::{check_roles, comment, comment_of_new, common, of_new};
use super::context::Settled;
use super::namespace::bare;
use super::{Context, Findings, Remark};

/// Compares routines.
pub(crate) fn routines(cx: &Context<'_>, out: &mut Findings) {
    for (id, after) in &cx.after.routines {
        let object = ObjectRef::Routine(id.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.before.routines.get(id) {
            Some(before) => {
                out.found(cx, &object);
                if !cx.same.contains(&object) {
                    routine(cx, out, before, after);
                }
            }
            None => create_routine(cx, out, after),
        }
    }
    for (id, before) in &cx.before.routines {
        if !cx.after.routines.contains_key(id) && cx.in_scope(&ObjectRef::Routine(id.clone())) {
            out.drop_undeclared(cx, Object::Routine(before.clone()));
        }
    }
}

fn create_routine(cx: &Context<'_>, out: &mut Findings, after: &Routine) {
    let object = ObjectRef::Routine(after.id.clone());
    let created = Routine { common: bare(cx, &after.common), ..after.clone() };
    out.push(cx, Remark::new(Change::Create { object: Object::Routine(created) }, cx.declared(&object)));
    of_new(cx, out, &object, after.kind.into(), &after.common);
}

fn routine(cx: &Context<'_>, out: &mut Findings, before: &Routine, after: &Routine) {
    let Routine { id, kind, definition, signature, tracked: _, settings, common: own } = after;
    let remake = |out: &mut Findings, why: String| {
        out.push(cx, Remark::new(Change::Drop { object: Object::Routine(before.clone()) }, why));
        create_routine(cx, out, after);
    };
    if *kind != before.kind {
        remake(out, "kind differs".to_owned());
        return;
    }
    let other_signature = !signature.is_empty() && !before.signature.is_empty() && *signature != before.signature;
    if *definition != before.definition || *settings != before.settings || other_signature {
        let why = if other_signature { "signature differs" } else { "definition differs" };
        let change = Change::ReplaceRoutine { before: before.clone(), after: after.clone() };
        if let Settled::Replace(why) = out.settle(cx, vec![Remark::new(change, why)]) {
            remake(out, why);
            return;
        }
    }
    common(cx, out, &ObjectRef::Routine(id.clone()), (*kind).into(), &before.common, own);
}

/// Tables and views that are dropped, for good or to be made anew: what hangs on them goes with them.
fn gone(out: &Findings) -> BTreeSet<QualName> {
    let mut gone = BTreeSet::new();
    for draft in &out.drafts {
        if let Change::Drop { object: Object::Table(Table { name, .. }) | Object::View(View { name, .. }) } =
            &draft.change
        {
            gone.insert(name.clone());
        }
    }
    gone
}

/// Compares triggers.
pub(crate) fn triggers(cx: &Context<'_>, out: &mut Findings) {
    let gone = gone(out);
    for (id, before) in &cx.before.triggers {
        let is_declared = cx.after.triggers.contains_key(id);
        if !is_declared && cx.in_scope(&ObjectRef::Trigger(id.clone())) && !gone.contains(&id.table) {
            out.drop_undeclared(cx, Object::Trigger(before.clone()));
        }
    }
    for (id, after) in &cx.after.triggers {
        let object = ObjectRef::Trigger(id.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.before.triggers.get(id) {
            Some(before) if !gone.contains(&id.table) => {
                out.found(cx, &object);
                if !cx.same.contains(&object) {
                    trigger(cx, out, before, after);
                }
            }
            Some(_) | None => create_trigger(cx, out, after),
        }
    }
}

fn create_trigger(cx: &Context<'_>, out: &mut Findings, after: &Trigger) {
    let object = ObjectRef::Trigger(after.id.clone());
    out.push(
        cx,
        Remark::new(Change::Create { object: Object::Trigger(bare_trigger(cx, after)) }, cx.declared(&object)),
    );
    comment_of_new(cx, out, &object, Flavor::Plain, after.comment.as_ref());
}

fn bare_trigger(cx: &Context<'_>, after: &Trigger) -> Trigger {
    let mut created = after.clone();
    if cx.separate_comments() {
        created.comment = None;
    }
    created
}

fn trigger(cx: &Context<'_>, out: &mut Findings, before: &Trigger, after: &Trigger) {
    let Trigger { id, definition, enabled, settings, comment: _, depends_on: _, source: _ } = after;
    let object = ObjectRef::Trigger(id.clone());
    if *definition != before.definition || *settings != before.settings {
        let create = Change::Create { object: Object::Trigger(bare_trigger(cx, after)) };
        if out.may_replace(cx, &create, "definition differs") {
            let drop = Change::Drop { object: Object::Trigger(before.clone()) };
            out.push(cx, Remark::new(drop, "definition differs"));
            create_trigger(cx, out, after);
            return;
        }
    }
    if *enabled != before.enabled {
        let change = Change::SetTriggerEnabled { before: before.clone(), after: after.clone() };
        out.push(cx, Remark::new(change, format!("is `{}`, declared `{enabled}`", before.enabled)));
    }
    comment(cx, out, &object, Flavor::Plain, before.comment.as_ref(), after.comment.as_ref());
}

/// Compares policies.
pub(crate) fn policies(cx: &Context<'_>, out: &mut Findings) {
    let gone = gone(out);
    for (id, before) in &cx.before.policies {
        let is_declared = cx.after.policies.contains_key(id);
        if !is_declared && cx.in_scope(&ObjectRef::Policy(id.clone())) && !gone.contains(&id.table) {
            out.drop_undeclared(cx, Object::Policy(before.clone()));
        }
    }
    for (id, after) in &cx.after.policies {
        let object = ObjectRef::Policy(id.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.before.policies.get(id) {
            Some(before) if !gone.contains(&id.table) => {
                out.found(cx, &object);
                if !cx.same.contains(&object) {
                    policy(cx, out, before, after);
                }
            }
            Some(_) | None => create_policy(cx, out, after),
        }
    }
}

fn create_policy(cx: &Context<'_>, out: &mut Findings, after: &Policy) {
    let object = ObjectRef::Policy(after.id.clone());
    check_roles(cx, out, &object, after.roles.iter().map(String::as_str));
    let mut created = after.clone();
    if cx.separate_comments() {
        created.comment = None;
    }
    out.push(cx, Remark::new(Change::Create { object: Object::Policy(created) }, cx.declared(&object)));
    comment_of_new(cx, out, &object, Flavor::Plain, after.comment.as_ref());
}

fn policy(cx: &Context<'_>, out: &mut Findings, before: &Policy, after: &Policy) {
    let Policy { id, restrictive, command, roles, using, check, comment: _, depends_on: _ } = after;
    let object = ObjectRef::Policy(id.clone());
    let remake = |out: &mut Findings, why: String| {
        out.push(cx, Remark::new(Change::Drop { object: Object::Policy(before.clone()) }, why));
        create_policy(cx, out, after);
    };
    if *restrictive != before.restrictive || *command != before.command {
        remake(out, "kind or command differs".to_owned());
        return;
    }
    if *roles != before.roles || *using != before.using || *check != before.check {
        check_roles(cx, out, &object, roles.iter().map(String::as_str));
        let change = Change::AlterPolicy { before: before.clone(), after: after.clone() };
        if let Settled::Replace(why) = out.settle(cx, vec![Remark::new(change, "roles or conditions differ")]) {
            remake(out, why);
            return;
        }
    }
    comment(cx, out, &object, Flavor::Plain, before.comment.as_ref(), after.comment.as_ref());
}

/// Compares objects kept as text.
pub(crate) fn opaques(cx: &Context<'_>, out: &mut Findings) {
    let gone = gone(out);
    for (id, before) in &cx.before.objects {
        let is_gone = id.table.as_ref().is_some_and(|table| gone.contains(table));
        if !cx.after.objects.contains_key(id) && cx.in_scope(&ObjectRef::Opaque(id.clone())) && !is_gone {
            out.drop_undeclared(cx, Object::Opaque(before.clone()));
        }
    }
    for (id, after) in &cx.after.objects {
        let object = ObjectRef::Opaque(id.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        let is_gone = id.table.as_ref().is_some_and(|table| gone.contains(table));
        match cx.before.objects.get(id) {
            Some(before) if !is_gone => {
                out.found(cx, &object);
                if !cx.same.contains(&object) {
                    opaque(cx, out, before, after);
                }
            }
            Some(_) | None => create_opaque(cx, out, after),
        }
    }
}

fn create_opaque(cx: &Context<'_>, out: &mut Findings, after: &Opaque) {
    let object = ObjectRef::Opaque(after.id.clone());
    check_roles(cx, out, &object, after.roles.iter().map(String::as_str));
    let created = Opaque { common: bare_opaque(cx, after), ..after.clone() };
    out.push(cx, Remark::new(Change::Create { object: Object::Opaque(created) }, cx.declared(&object)));
    let made =
        Common { comment: after.common.comment.clone().filter(|_| !cx.separate_comments()), ..Common::default() };
    opaque_common(cx, out, &made, after);
}

/// Without a target for comments, a comment stays inside the text that makes the object.
fn bare_opaque(cx: &Context<'_>, after: &Opaque) -> Common {
    let mut common = bare(cx, &after.common);
    if after.comment_target.is_none() {
        common.comment.clone_from(&after.common.comment);
    }
    common
}

fn opaque_common(cx: &Context<'_>, out: &mut Findings, before: &Common, after: &Opaque) {
    if after.comment_target.is_some() {
        common(cx, out, &ObjectRef::Opaque(after.id.clone()), Flavor::Plain, before, &after.common);
    }
}

fn opaque(cx: &Context<'_>, out: &mut Findings, before: &Opaque, after: &Opaque) {
    let Opaque { id, create, drop: _, comment_target: _, parts, roles, common: _ } = after;
    if *create != before.create {
        let change =
            Change::Create { object: Object::Opaque(Opaque { common: bare_opaque(cx, after), ..after.clone() }) };
        if out.may_replace(cx, &change, "definition differs") {
            let drop = Change::Drop { object: Object::Opaque(before.clone()) };
            out.push(cx, Remark::new(drop, "definition differs"));
            create_opaque(cx, out, after);
            return;
        }
    } else if *parts != before.parts {
        check_roles(cx, out, &ObjectRef::Opaque(id.clone()), roles.iter().map(String::as_str));
        let change = Change::AlterOpaque { before: before.clone(), after: after.clone() };
        let remark = Remark::new(change, "parts differ");
        if let Settled::Replace(why) = out.settle(cx, vec![remark]) {
            out.push(cx, Remark::new(Change::Drop { object: Object::Opaque(before.clone()) }, why));
            create_opaque(cx, out, after);
            return;
        }
    }
    opaque_common(cx, out, &before.common, after);
}
