//! Constraints of tables.

use trueup_dialect::Verdict;
use trueup_plan::{Change, Class, Flavor};
use trueup_schema::{Constraint, ConstraintKind, ExprSlot, ObjectRef, PartId, QualName, Table};

use super::common::{comment, comment_of_new};
use super::context::Settled;
use super::{Context, Findings, Remark};
use crate::draft::Draft;
use crate::matching::{Pairs, constraint_pairs, same_rule};

/// The reference to a constraint; none has one that has no name.
pub(super) fn reference(table: &QualName, constraint: &Constraint) -> Option<ObjectRef> {
    let name = constraint.name.clone()?;
    Some(ObjectRef::Constraint(PartId { table: table.clone(), name }))
}

/// Compares the constraints of a table that stays.
pub(super) fn constraints(cx: &Context<'_>, out: &mut Findings, before: &Table, after: &Table) {
    let table = &after.name;
    let pairs = constraint_pairs(cx.dialect, before, after);
    if is_open(cx, table, &pairs) {
        blocked(out, table, &pairs);
        return;
    }
    for constraint in pairs.only_before {
        let change = Change::DropConstraint { table: table.clone(), constraint: constraint.clone() };
        out.push(cx, Remark::new(change, "no longer declared"));
    }
    for (live, declared) in pairs.both {
        let is_named = declared.name.is_some() && !cx.dialect.is_generated(after, declared);
        constraint(cx, out, table, (live, declared), is_named);
    }
    for constraint in pairs.only_after {
        add(cx, out, table, constraint);
    }
}

/// Whether conditions without names are left on both sides, and nobody could tell whether they mean the same.
fn is_open(cx: &Context<'_>, table: &QualName, pairs: &Pairs<'_>) -> bool {
    let site = |slot| cx.texts.unverified.contains_key(&(ObjectRef::Table(table.clone()), slot));
    let nameless = |list: &[&Constraint]| list.iter().any(|each| each.name.is_none() && is_condition(each));
    (site(ExprSlot::Check) || site(ExprSlot::Exclude)) && nameless(&pairs.only_before) && nameless(&pairs.only_after)
}

const fn is_condition(constraint: &Constraint) -> bool {
    matches!(constraint.kind, ConstraintKind::Check { .. } | ConstraintKind::Exclude { .. })
}

fn blocked(out: &mut Findings, table: &QualName, pairs: &Pairs<'_>) {
    for constraint in pairs.only_after.iter().filter(|each| each.name.is_none() && is_condition(each)) {
        let change = Change::AddConstraint { table: table.clone(), constraint: (*constraint).clone() };
        let mut draft = Draft::new(change, Verdict::InPlace, "declared");
        draft.class = Class::Blocked {
            code: "expression-not-elaborated".to_owned(),
            why: format!("table `{table}` has conditions without names that may mean the same as the declared ones"),
            fix: "give a dev database (--dev-url), or name the constraints".to_owned(),
        };
        out.drafts.push(draft);
    }
}

fn add(cx: &Context<'_>, out: &mut Findings, table: &QualName, constraint: &Constraint) {
    let mut added = constraint.clone();
    let on = reference(table, constraint);
    if cx.separate_comments() {
        added.comment = None;
    }
    let declared = cx.declared(on.as_ref().unwrap_or(&ObjectRef::Table(table.clone())));
    out.push(cx, Remark::new(Change::AddConstraint { table: table.clone(), constraint: added }, declared));
    if let Some(on) = on {
        comment_of_new(cx, out, &on, Flavor::Plain, constraint.comment.as_ref());
    }
}

/// Compares a constraint that is on both sides; `is_named` where the declaration names it, and not the engine.
fn constraint(
    cx: &Context<'_>,
    out: &mut Findings,
    table: &QualName,
    (before, after): (&Constraint, &Constraint),
    is_named: bool,
) {
    let on_live = reference(table, before);
    if same_rule(before, after) {
        let is_renamed = before.name != after.name && !cx.capabilities().rename_constraint;
        if is_renamed && (cx.capabilities().rebuilds_tables || is_named) {
            // A table that is written anew has the names that are declared; elsewhere there is no other way to a name.
            let change = Change::DropConstraint { table: table.clone(), constraint: before.clone() };
            out.push(cx, Remark::new(change, "declared under another name"));
            add(cx, out, table, after);
            return;
        }
        if let (Some(a), Some(b), false) = (&before.name, &after.name, cx.capabilities().rename_constraint)
            && a != b
        {
            out.notes
                .push(format!("constraint `{a}` of `{table}` keeps its name: the engine cannot rename it to `{b}`"));
        }
        if let Some(on) = on_live {
            comment(cx, out, &on, Flavor::Plain, before.comment.as_ref(), after.comment.as_ref());
        }
        return;
    }
    let as_validated = Constraint { validated: after.validated, ..before.clone() };
    let change = if after.validated && same_rule(&as_validated, after) {
        Change::ValidateConstraint {
            table: table.clone(),
            constraint: Constraint { name: before.name.clone(), ..after.clone() },
        }
    } else {
        Change::AlterConstraint { table: table.clone(), before: before.clone(), after: after.clone() }
    };
    match out.settle(cx, vec![Remark::new(change, "definition differs")]) {
        Settled::Done => {
            if let Some(on) = on_live {
                comment(cx, out, &on, Flavor::Plain, before.comment.as_ref(), after.comment.as_ref());
            }
        }
        Settled::Replace(why) => {
            let change = Change::DropConstraint { table: table.clone(), constraint: before.clone() };
            out.push(cx, Remark::new(change, why));
            add(cx, out, table, after);
        }
    }
}
