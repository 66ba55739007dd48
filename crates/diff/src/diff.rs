//! The whole way from two schemas to a plan.

use std::collections::BTreeSet;

use trueup_dialect::{Dialect, Verdict};
use trueup_plan::{Change, Class, Desired, Live, Object, OpId, Ownership, Plan, PlanOptions, Refusal, Unmanaged};
use trueup_schema::{Ident, ObjectRef, PartId, QualName, Table};

use crate::classify::{Ground, assess};
use crate::compare::{Context, Findings, compare};
use crate::draft::{Draft, DraftPlan};
use crate::ownership::Rights;
use crate::project::{Projection, Renames, project};
use crate::texts::{Rules, Texts, reconcile};
use crate::{ambiguous, inherit, matching, online, safe_mode, taken};

/// Says what has to happen to `live` for it to become what is `desired`: every operation with its cost, in order, and what stands in
/// the way. Pure: the same values give the same plan.
#[must_use]
pub fn diff(live: &Live, desired: &Desired, options: &PlanOptions, dialect: &dyn Dialect) -> Plan {
    let mut draft = draft(live, desired, options, dialect);
    crate::closure::close(&mut draft);
    write_anew(&mut draft);
    crate::steps::arrange(draft, live, desired, options)
}

/// Has tables written anew where dropping a column in place would touch others. What is dropped may be gone by then.
fn write_anew(plan: &mut DraftPlan<'_>) {
    let in_place =
        |draft: &Draft| matches!(draft.change, Change::DropColumn { .. }) && draft.verdict == Verdict::InPlace;
    if !plan.drafts.iter().any(in_place) {
        return;
    }
    let mut between = plan.projected.clone();
    for draft in plan.drafts.iter().filter(|draft| !draft.held_back) {
        if let Change::Drop { object: Object::Table(table) } = &draft.change {
            between.tables.remove(&table.name);
        } else if let Change::Drop { object: Object::View(view) } = &draft.change {
            between.views.remove(&view.name);
        } else if let Change::Drop { object: Object::Trigger(trigger) } = &draft.change {
            between.triggers.remove(&trigger.id);
        }
    }
    if !plan.dialect.drops_columns_alone(&between) {
        plan.drafts.iter_mut().filter(|draft| in_place(draft)).for_each(|draft| draft.verdict = Verdict::Rebuild);
    }
}

/// Everything but order: what differs, at what cost.
pub(crate) fn draft<'a>(
    live: &'a Live,
    desired: &'a Desired,
    options: &'a PlanOptions,
    dialect: &'a dyn Dialect,
) -> DraftPlan<'a> {
    let (now, declared) = (live.snapshot.schema(), desired.snapshot.schema());
    let mut projection = project(now, declared, &desired.hints, dialect);
    let texts = reconcile_texts(&mut projection, live, desired, dialect);
    rename_alike(&mut projection, live, desired, options, dialect);
    let renames = projection.renames.clone();
    let rights = Rights::of(desired, options, &live.facts, &renames);
    let passed_on = inherit::project(&mut projection.schema, declared, &rights);
    let mut same = if renames.is_empty() { same_objects(live, desired) } else { BTreeSet::new() };
    same.retain(|object| !matches!(object, ObjectRef::Table(name) if passed_on.contains(name)));
    let mut out = Findings { drafts: projection.drafts, refusals: projection.refusals, ..Findings::default() };
    out.notes.extend(desired.notes.iter().cloned());
    out.notes.extend(projection.notes);
    if texts.by_pairs > 0 {
        out.notes.push(format!("{} texts are taken as equal because an earlier run recorded it", texts.by_pairs));
    }
    let cx = Context {
        dialect,
        options,
        facts: &live.facts,
        hints: &desired.hints,
        provenance: &desired.provenance,
        privileges: desired.privileges,
        before: &projection.schema,
        after: declared,
        texts: &texts,
        rights: &rights,
        same,
    };
    compare(&cx, &mut out);
    unmodelled(live, desired, options, &rights, &mut out);
    if options.strict {
        nobodys(&mut out);
    }
    bad_names(desired, dialect, &mut out);
    judge(&cx, &renames, &mut out);
    DraftPlan {
        dialect,
        live: now,
        desired: declared,
        facts: &live.facts,
        unmanaged: &live.unmanaged,
        drafts: out.drafts,
        refusals: out.refusals,
        notes: out.notes,
        adopts: out.adopts,
        accepted: out.accepted,
        undeclared: out.unmanaged,
        projected: projection.schema,
    }
}

/// Says of every change what it may cost, and what a person has to decide.
fn judge(cx: &Context<'_>, renames: &Renames, out: &mut Findings) {
    let ground =
        Ground { dialect: cx.dialect, facts: cx.facts, before: cx.before, after: cx.after, renames, hints: cx.hints };
    out.drafts.iter_mut().for_each(|draft| assess(ground, draft));
    out.refusals.extend(taken::refuse(&out.drafts, cx.before, &cx.facts.taken, cx.capabilities()));
    adopt_differs(cx, out);
    if !cx.options.no_renames {
        ambiguous::block(&mut out.drafts, cx.facts, renames);
    }
    if cx.options.safe {
        safe_mode::hold_back(&mut out.drafts, cx.dialect, cx.facts);
    }
    refuse_blocked(out);
}

fn reconcile_texts(projection: &mut Projection, live: &Live, desired: &Desired, dialect: &dyn Dialect) -> Texts {
    let rules = Rules {
        dialect,
        elaborated: desired.elaborated,
        tracked: live.facts.tracked.as_ref(),
        major: live.facts.server.version[0],
    };
    let renames = &projection.renames;
    let is_same = |object: &ObjectRef| renames.is_empty() && live.snapshot.same_object(&desired.snapshot, object);
    reconcile(&mut projection.schema, desired.snapshot.schema(), &rules, is_same)
}

/// Constraints and indexes that differ only by name are renamed like hinted ones.
fn rename_alike(
    projection: &mut Projection,
    live: &Live,
    desired: &Desired,
    options: &PlanOptions,
    dialect: &dyn Dialect,
) {
    let renames = projection.renames.clone();
    let rights = Rights::of(desired, options, &live.facts, &renames);
    let alike = matching::renames(dialect, &projection.schema, desired.snapshot.schema(), &rights);
    projection.carry_out(alike, desired.snapshot.schema(), dialect);
}

fn same_objects(live: &Live, desired: &Desired) -> BTreeSet<ObjectRef> {
    let objects = desired.snapshot.objects();
    let respelled: BTreeSet<&QualName> = respelled(live, desired).collect();
    let is_respelled = |object: &ObjectRef| {
        let table = if let ObjectRef::Table(name) | ObjectRef::Index(PartId { table: name, .. }) = object {
            Some(name)
        } else {
            None
        };
        table.is_some_and(|name| respelled.contains(name))
    };
    objects
        .map(|(object, _)| object)
        .filter(|object| live.snapshot.same_object(&desired.snapshot, object) && !is_respelled(object))
        .cloned()
        .collect()
}

/// Tables that are spelled out in another way, which no hash tells.
fn respelled<'d>(live: &'d Live, desired: &'d Desired) -> impl Iterator<Item = &'d QualName> {
    let is_other = |after: &&Table| {
        live.snapshot.tables.get(&after.name).is_some_and(|before| before.spelling() != after.spelling())
    };
    desired.snapshot.tables.values().filter(is_other).map(|after| &after.name)
}

/// Kinds that are not modelled: declared ones are refused, live ones too where the declaration is the whole truth.
fn unmodelled(live: &Live, desired: &Desired, options: &PlanOptions, rights: &Rights<'_>, out: &mut Findings) {
    let refuse = |each: &Unmanaged, why: &str, fix: &str| Refusal {
        code: "unmodelled".to_owned(),
        object: each.name.clone(),
        operation: None,
        why: format!("{} `{}` {why}", each.kind, each.name),
        fix: fix.to_owned(),
    };
    for each in &desired.unmodelled {
        let why = "is declared, but such objects are not managed";
        out.refusals.push(refuse(each, why, "take it out of the declaration and make it by hand"));
    }
    if options.ownership != Ownership::All && !options.strict {
        return;
    }
    if options.ownership == Ownership::All {
        undeclared_namespaces(live, options, rights, out);
    }
    for each in live.unmanaged.iter().filter(|each| rights.covers(each)) {
        let alike = |other: &&Unmanaged| other.kind == each.kind && other.name == each.name;
        let declared = desired.unmodelled.iter().find(alike);
        if declared.is_some_and(|declared| declared.definition == each.definition) {
            continue;
        }
        let why = "exists, is not declared like that, and such objects are not managed";
        if options.ignore_unmanaged {
            out.notes.push(format!("{} `{}` {why}", each.kind, each.name));
        } else {
            out.refusals.push(refuse(each, why, "drop it by hand, or leave such objects alone: --ignore-unmanaged"));
        }
    }
}

/// Where the declaration is the whole truth, somebody has to say whose the namespaces are that it does not name.
fn undeclared_namespaces(live: &Live, options: &PlanOptions, rights: &Rights<'_>, out: &mut Findings) {
    if !options.scope.namespaces.is_empty() || !options.scope.include.is_empty() {
        return;
    }
    let is_open = |name: &&Ident| {
        let object = ObjectRef::Namespace((*name).clone());
        !rights.in_scope(&object) && !rights.is_ignored(&object) && !rights.is_excluded(name.as_str())
    };
    for name in live.facts.namespaces.iter().filter(is_open) {
        let why = format!("namespace `{name}` is not declared, and nobody said that it is not this declaration's");
        if options.ignore_unmanaged {
            out.notes.push(why);
            continue;
        }
        out.refusals.push(Refusal {
            code: "undeclared-namespace".to_owned(),
            object: name.to_string(),
            operation: None,
            why,
            fix: format!(
                "leave it alone: --exclude '{name}'; or take it in, and drop what it holds: --namespace '{name}'"
            ),
        });
    }
}

/// Objects that are nobody's: not declared, and not recorded by an earlier run.
fn nobodys(out: &mut Findings) {
    let refuse = |each: &Unmanaged| Refusal {
        code: "unmanaged".to_owned(),
        object: each.name.clone(),
        operation: None,
        why: format!("{} `{}` exists, is not declared, and is not this project's to drop", each.kind, each.name),
        fix: "declare it, exclude it from the scope, or drop it by hand".to_owned(),
    };
    let refusals: Vec<Refusal> = out.unmanaged.iter().map(refuse).collect();
    out.refusals.extend(refusals);
}

fn bad_names(desired: &Desired, dialect: &dyn Dialect, out: &mut Findings) {
    for bad in dialect.check_names(desired.snapshot.schema()) {
        out.refusals.push(Refusal {
            code: "bad-name".to_owned(),
            object: bad.object.to_string(),
            operation: None,
            why: bad.why,
            fix: "choose another name".to_owned(),
        });
    }
}

/// On a table that this run takes under management, undeclared parts are nobody's to drop until somebody says so.
fn adopt_differs(cx: &Context<'_>, out: &mut Findings) {
    let made: BTreeSet<ObjectRef> = out
        .drafts
        .iter()
        .map(|draft| &draft.change)
        .filter(|change| matches!(change, Change::AddColumn { .. } | Change::AddConstraint { .. }))
        .map(Change::object)
        .collect();
    for draft in &mut out.drafts {
        let (Change::DropColumn { table, .. } | Change::DropConstraint { table, .. }) = &draft.change else { continue };
        let id = OpId::of(&draft.change);
        let is_replaced = made.contains(&draft.change.object());
        let is_consented = cx.options.adopt_differs.contains(&id);
        let is_own = matches!(draft.change.object(), ObjectRef::Constraint(part) if online::is_own_name(&part.name));
        if !is_replaced && !is_consented && !is_own && cx.rights.is_adopted(table) && !draft.is_blocked() {
            draft.class = Class::Blocked {
                code: "adopt-differs".to_owned(),
                why: format!("table `{table}` was not managed so far, and this part of it is not declared"),
                fix: format!("declare it, or consent to `{id}`"),
            };
        }
    }
}

/// Whatever is blocked stands in the way of everything, unless safe mode keeps it back. A possible rename is not kept back: adding the
/// new name beside the old one would make it impossible.
fn refuse_blocked(out: &mut Findings) {
    for draft in &out.drafts {
        if let Class::Blocked { code, why, fix } = &draft.class
            && (!draft.held_back || code == ambiguous::CODE)
        {
            out.refusals.push(Refusal {
                code: code.clone(),
                object: draft.change.object().to_string(),
                operation: Some(draft.id()),
                why: why.clone(),
                fix: fix.clone(),
            });
        }
    }
    out.refusals.sort();
    out.refusals.dedup();
}
