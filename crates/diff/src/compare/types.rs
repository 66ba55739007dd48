//! Enums, domains, composites, ranges.

use std::collections::BTreeSet;

use trueup_plan::{AttributeChange, Change, DomainChange, EnumPosition, Object, TableColumn};
use trueup_schema::{Attribute, Domain, DomainCheck, ObjectRef, PartId, QualName, RangeType, UserType, UserTypeKind};

use super::common::{comment, common, of_new};
use super::context::Settled;
use super::namespace::bare;
use super::{Context, Findings, Remark};
use crate::project::flavor;

/// Compares named types.
pub(crate) fn types(cx: &Context<'_>, out: &mut Findings) {
    for (name, after) in &cx.after.types {
        let object = ObjectRef::Type(name.clone());
        if !cx.in_scope(&object) {
            continue;
        }
        match cx.before.types.get(name) {
            Some(before) => {
                out.found(cx, &object);
                if !cx.same.contains(&object) {
                    user_type(cx, out, before, after);
                }
            }
            None => create(cx, out, after),
        }
    }
    for (name, before) in &cx.before.types {
        if !cx.after.types.contains_key(name) && cx.in_scope(&ObjectRef::Type(name.clone())) {
            out.drop_undeclared(cx, Object::Type(before.clone()));
        }
    }
}

fn create(cx: &Context<'_>, out: &mut Findings, after: &UserType) {
    let object = ObjectRef::Type(after.name.clone());
    let mut created = after.clone();
    created.common = bare(cx, &after.common);
    if cx.separate_comments() {
        strip_part_comments(&mut created);
    }
    out.push(cx, Remark::new(Change::Create { object: Object::Type(created) }, cx.declared(&object)));
    of_new(cx, out, &object, flavor(cx.after, &object), &after.common);
    part_comments(cx, out, None, after);
}

fn strip_part_comments(user_type: &mut UserType) {
    match &mut user_type.kind {
        UserTypeKind::Domain(domain) => domain.checks.iter_mut().for_each(|check| check.comment = None),
        UserTypeKind::Composite { attributes } => attributes.iter_mut().for_each(|each| each.comment = None),
        UserTypeKind::Enum { .. } | UserTypeKind::Range(_) => {}
    }
}

/// Comments on checks of a domain and on attributes of a composite type.
fn part_comments(cx: &Context<'_>, out: &mut Findings, before: Option<&UserType>, after: &UserType) {
    let id = |name: &trueup_schema::Ident| PartId { table: after.name.clone(), name: name.clone() };
    match &after.kind {
        UserTypeKind::Domain(domain) => {
            let old = before.and_then(|before| match &before.kind {
                UserTypeKind::Domain(domain) => Some(&domain.checks),
                UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => None,
            });
            for check in &domain.checks {
                let old =
                    old.and_then(|old| old.iter().find(|each| each.name == check.name && each.expr == check.expr));
                let on = ObjectRef::Constraint(id(&check.name));
                let old = old.and_then(|old| old.comment.as_ref());
                comment(cx, out, &on, trueup_plan::Flavor::Domain, old, check.comment.as_ref());
            }
        }
        UserTypeKind::Composite { attributes } => {
            let old = before.and_then(|before| match &before.kind {
                UserTypeKind::Composite { attributes } => Some(attributes),
                UserTypeKind::Enum { .. } | UserTypeKind::Domain(_) | UserTypeKind::Range(_) => None,
            });
            for attribute in attributes {
                let old = old.and_then(|old| old.iter().find(|each| each.name == attribute.name));
                let on = ObjectRef::Column(id(&attribute.name));
                let old = old.and_then(|old| old.comment.as_ref());
                comment(cx, out, &on, trueup_plan::Flavor::Composite, old, attribute.comment.as_ref());
            }
        }
        UserTypeKind::Enum { .. } | UserTypeKind::Range(_) => {}
    }
}

fn user_type(cx: &Context<'_>, out: &mut Findings, before: &UserType, after: &UserType) {
    let UserType { name, kind, common: own } = after;
    let UserType { name: _, kind: old_kind, common: old } = before;
    let remarks = match (old_kind, kind) {
        (UserTypeKind::Enum { labels: old }, UserTypeKind::Enum { labels }) => {
            Some(enum_changes(cx, before, after, old, labels))
        }
        (UserTypeKind::Domain(old), UserTypeKind::Domain(domain)) => domain_changes(name, old, domain),
        (UserTypeKind::Composite { attributes: old }, UserTypeKind::Composite { attributes }) => {
            attribute_changes(name, old, attributes)
        }
        (UserTypeKind::Range(old), UserTypeKind::Range(range)) => same_range(old, range).then(Vec::new),
        (
            UserTypeKind::Enum { .. }
            | UserTypeKind::Domain(_)
            | UserTypeKind::Composite { .. }
            | UserTypeKind::Range(_),
            _,
        ) => None,
    };
    let settled = match remarks {
        Some(remarks) => out.settle(cx, remarks),
        None => Settled::Replace("made of something else".to_owned()),
    };
    if let Settled::Replace(why) = settled {
        out.push(cx, Remark::new(Change::Drop { object: Object::Type(before.clone()) }, why));
        create(cx, out, after);
        return;
    }
    let object = ObjectRef::Type(name.clone());
    common(cx, out, &object, flavor(cx.after, &object), old, own);
    part_comments(cx, out, Some(before), after);
}

/// New labels are added one by one; removed or reordered ones need another enum.
fn enum_changes(
    cx: &Context<'_>,
    before: &UserType,
    after: &UserType,
    old: &[String],
    labels: &[String],
) -> Vec<Remark> {
    let kept: Vec<&String> = labels.iter().filter(|label| old.contains(label)).collect();
    if kept != old.iter().collect::<Vec<_>>() {
        let columns = users(cx, &after.name);
        let change = Change::RebuildEnum { before: before.clone(), after: after.clone(), columns };
        return vec![Remark::new(change, "labels were removed or moved")];
    }
    let is_last = |at: usize| !labels.iter().skip(at).any(|label| old.contains(label));
    let mut remarks = Vec::new();
    for (at, value) in labels.iter().enumerate().filter(|(_, label)| !old.contains(label)) {
        let position = match at.checked_sub(1).and_then(|at| labels.get(at)) {
            Some(previous) if is_last(at) && old.last() == Some(previous) => EnumPosition::Last,
            Some(previous) => EnumPosition::After(previous.clone()),
            None => old.first().map_or(EnumPosition::Last, |first| EnumPosition::Before(first.clone())),
        };
        let change = Change::AddEnumValue { name: after.name.clone(), value: value.clone(), position };
        remarks.push(Remark::new(change, "label declared"));
    }
    remarks
}

/// Columns that have the type on both sides.
fn users(cx: &Context<'_>, name: &QualName) -> Vec<TableColumn> {
    let mut users = Vec::new();
    for table in cx.after.tables.values() {
        for column in table.columns.iter().filter(|column| column.data_type.type_name() == Some(name)) {
            let live = cx.live_table(&table.name).and_then(|live| live.column(&column.name));
            if live.is_some_and(|live| live.data_type.type_name() == Some(name)) {
                users.push(TableColumn { table: table.name.clone(), column: column.clone() });
            }
        }
    }
    users
}

/// `None` where another base makes it another domain.
fn domain_changes(name: &QualName, before: &Domain, after: &Domain) -> Option<Vec<Remark>> {
    let Domain { base, not_null, default, collation, checks } = after;
    let Domain { base: old_base, not_null: old_not_null, default: old_default, collation: old_collation, checks: old } =
        before;
    if base != old_base || collation != old_collation {
        return None;
    }
    let mut remarks = Vec::new();
    let mut push = |change: DomainChange, why: &str| {
        remarks.push(Remark::new(Change::AlterDomain { name: name.clone(), change }, why));
    };
    if default != old_default {
        push(DomainChange::Default { before: old_default.clone(), after: default.clone() }, "default differs");
    }
    if not_null != old_not_null {
        push(DomainChange::NotNull(*not_null), "NOT NULL differs");
    }
    let same_rule = |a: &DomainCheck, b: &DomainCheck| {
        let DomainCheck { name, expr, validated: _, comment: _, depends_on: _ } = a;
        *name == b.name && *expr == b.expr
    };
    for check in old.iter().filter(|check| !checks.iter().any(|each| same_rule(check, each))) {
        push(DomainChange::DropCheck(check.clone()), "no longer declared");
    }
    for check in checks {
        match old.iter().find(|each| same_rule(check, each)) {
            Some(old) if check.validated && !old.validated => {
                push(DomainChange::ValidateCheck(check.clone()), "not validated yet");
            }
            Some(old) if old.validated && !check.validated => {
                push(DomainChange::DropCheck(old.clone()), "declared NOT VALID");
                push(DomainChange::AddCheck(check.clone()), "declared NOT VALID");
            }
            Some(_) => {}
            None => push(DomainChange::AddCheck(check.clone()), "declared"),
        }
    }
    Some(remarks)
}

/// `None` where attributes that stay change their order.
fn attribute_changes(name: &QualName, before: &[Attribute], after: &[Attribute]) -> Option<Vec<Remark>> {
    let names = |list: &[Attribute]| list.iter().map(|each| each.name.clone()).collect::<Vec<_>>();
    let (old_names, new_names) = (names(before), names(after));
    let known: BTreeSet<_> = old_names.iter().collect();
    let kept: Vec<_> = new_names.iter().filter(|each| known.contains(each)).collect();
    let stays: Vec<_> = old_names.iter().filter(|each| new_names.contains(each)).collect();
    let new_at_end = new_names.iter().skip(kept.len()).all(|each| !known.contains(each));
    if kept != stays || !new_at_end {
        return None;
    }
    let mut remarks = Vec::new();
    let mut push = |change: AttributeChange, why: &str| {
        remarks.push(Remark::new(Change::AlterComposite { name: name.clone(), change }, why));
    };
    for attribute in before.iter().filter(|each| !new_names.contains(&each.name)) {
        push(AttributeChange::Drop(attribute.clone()), "no longer declared");
    }
    for attribute in after {
        let Attribute { name, data_type, collation, comment: _ } = attribute;
        match before.iter().find(|each| each.name == *name) {
            Some(old) if old.data_type != *data_type || old.collation != *collation => {
                push(AttributeChange::SetType { before: old.clone(), after: attribute.clone() }, "type differs");
            }
            Some(_) => {}
            None => push(AttributeChange::Add(attribute.clone()), "declared"),
        }
    }
    Some(remarks)
}

/// A declaration may leave the name of the multirange to the engine.
fn same_range(before: &RangeType, after: &RangeType) -> bool {
    let RangeType { subtype, opclass, collation, canonical, subtype_diff, multirange } = after;
    *subtype == before.subtype
        && *opclass == before.opclass
        && *collation == before.collation
        && *canonical == before.canonical
        && *subtype_diff == before.subtype_diff
        && (*multirange == before.multirange || multirange.is_none())
}
