//! Namespaces and extensions.

use std::collections::BTreeSet;

use trueup_plan::{Change, Flavor, Object};
use trueup_schema::{Common, Extension, Ident, Namespace, ObjectRef};

use super::common::{common, of_new};
use super::context::Settled;
use super::{Context, Findings, Remark};

/// Compares namespaces. One that declared objects imply is made, too.
pub(crate) fn namespaces(cx: &Context<'_>, out: &mut Findings) {
    let implied = implied(cx);
    let wanted: BTreeSet<&Ident> = cx.after.namespaces.keys().chain(&implied).collect();
    for name in wanted {
        let object = ObjectRef::Namespace(name.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match (cx.before.namespaces.get(name), cx.after.namespaces.get(name)) {
            (Some(before), Some(after)) => {
                out.found(cx, &object);
                namespace(cx, out, before, after);
            }
            (Some(_), None) => {}
            (None, after) => create(cx, out, name, after),
        }
    }
    for (name, namespace) in &cx.before.namespaces {
        let object = ObjectRef::Namespace(name.clone());
        let is_wanted = cx.after.namespaces.contains_key(name) || implied.contains(name);
        if !is_wanted && cx.in_scope(&object) && cx.rights.may_drop(&object, cx.before, cx.after) {
            out.drop_undeclared(cx, Object::Namespace(namespace.clone()));
        }
    }
}

/// Namespaces that declared objects live in, and the live ones do not yet.
fn implied(cx: &Context<'_>) -> BTreeSet<Ident> {
    let of = |schema: &trueup_schema::Schema| {
        schema
            .object_refs()
            .iter()
            .filter(|each| cx.in_scope(each))
            .filter_map(|each| each.namespace().cloned())
            .collect()
    };
    let (live, mut declared): (BTreeSet<Ident>, BTreeSet<Ident>) = (of(cx.before), of(cx.after));
    let default = cx.facts.server.default_namespace.as_ref();
    declared.retain(|name| !live.contains(name) && default != Some(name));
    declared
}

fn create(cx: &Context<'_>, out: &mut Findings, name: &Ident, declared: Option<&Namespace>) {
    let plain = Namespace { name: name.clone(), options: Default::default(), common: Common::default() };
    let declared = declared.unwrap_or(&plain);
    let object = ObjectRef::Namespace(name.clone());
    let created = Namespace { common: bare(cx, &declared.common), ..declared.clone() };
    out.push(cx, Remark::new(Change::Create { object: Object::Namespace(created) }, cx.declared(&object)));
    of_new(cx, out, &object, Flavor::Plain, &declared.common);
}

/// What a new object has before its comment, privileges and owner are set.
pub(super) fn bare(cx: &Context<'_>, common: &Common) -> Common {
    let Common { comment, owner: _, grants: _, depends_on, renamed_from: _ } = common;
    let comment = comment.clone().filter(|_| !cx.separate_comments());
    Common { comment, depends_on: depends_on.clone(), ..Common::default() }
}

fn namespace(cx: &Context<'_>, out: &mut Findings, before: &Namespace, after: &Namespace) {
    let object = ObjectRef::Namespace(after.name.clone());
    let Namespace { name: _, options, common: own } = after;
    let Namespace { name: _, options: old_options, common: old } = before;
    if options != old_options {
        let change = Change::AlterNamespace { before: before.clone(), after: after.clone() };
        out.push(cx, Remark::new(change, "options differ"));
    }
    common(cx, out, &object, Flavor::Plain, old, own);
}

/// Compares extensions.
pub(crate) fn extensions(cx: &Context<'_>, out: &mut Findings) {
    for (name, after) in &cx.after.extensions {
        let object = ObjectRef::Extension(name.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.before.extensions.get(name) {
            Some(before) => {
                out.found(cx, &object);
                extension(cx, out, before, after);
            }
            None => create_extension(cx, out, after),
        }
    }
    for (name, before) in &cx.before.extensions {
        let object = ObjectRef::Extension(name.clone());
        if !cx.after.extensions.contains_key(name) && cx.in_scope(&object) {
            out.drop_undeclared(cx, Object::Extension(before.clone()));
        }
    }
}

fn create_extension(cx: &Context<'_>, out: &mut Findings, after: &Extension) {
    let object = ObjectRef::Extension(after.name.clone());
    let created = Extension { common: bare(cx, &after.common), ..after.clone() };
    out.push(cx, Remark::new(Change::Create { object: Object::Extension(created) }, cx.declared(&object)));
    of_new(cx, out, &object, Flavor::Plain, &after.common);
}

fn extension(cx: &Context<'_>, out: &mut Findings, before: &Extension, after: &Extension) {
    let object = ObjectRef::Extension(after.name.clone());
    let Extension { name: _, namespace, version, common: own } = after;
    let Extension { name: _, namespace: old_namespace, version: old_version, common: old } = before;
    let is_moved = namespace.is_some() && namespace != old_namespace;
    if is_moved || (version.is_some() && version != old_version) {
        let why = if is_moved { "namespace differs" } else { "version differs" };
        let change = Change::AlterExtension { before: before.clone(), after: after.clone() };
        if let Settled::Replace(why) = out.settle(cx, vec![Remark::new(change, why)]) {
            out.push(cx, Remark::new(Change::Drop { object: Object::Extension(before.clone()) }, why));
            create_extension(cx, out, after);
            return;
        }
    }
    // An extension brings its own comment, which no declaration can name: one that says nothing leaves what is there.
    if own.comment.is_some() {
        common(cx, out, &object, Flavor::Plain, old, own);
    } else if old.comment.is_some() {
        out.notes
            .push(format!("the comment on extension `{}` is not its own, and is left: none is declared", after.name));
    }
}
