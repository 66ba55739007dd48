//! Whether tables are what was read of them.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_introspect::mysql::spelling_of;
use trueup_introspect::{Introspected, shown_tables};
use trueup_plan::{Change, Desired, Live, Object, Plan, Refusal, Unmanaged};
use trueup_schema::{ObjectRef, QualName, Spelling, Table};
use trueup_session::Session;

use crate::Error;

/// Definitions of tables as the server printed them.
pub(crate) type Shown = BTreeMap<QualName, String>;

/// What a table is called that is declared with something that is not modelled.
const PART: &str = "a part of table";

/// Tables of a declaration of which the server says more than was read: what it says is declared, and would be forgotten in silence.
pub(crate) fn unmodelled_parts(dialect: &dyn Dialect, declared: &Introspected) -> Vec<Unmanaged> {
    let mut found = Vec::new();
    for (name, shown) in &declared.shown {
        let Some(table) = declared.schema.tables.get(name) else { continue };
        if unread(dialect, table, shown).is_some() {
            found.push(Unmanaged {
                kind: PART.to_owned(),
                name: name.to_string(),
                namespace: name.namespace.clone(),
                table: Some(name.clone()),
                definition: shown.clone(),
                depends_on: Vec::new(),
            });
        }
    }
    found
}

/// What the server prints and was not read.
fn unread(dialect: &dyn Dialect, table: &Table, shown: &str) -> Option<String> {
    trueup_render::definition(table, dialect).ok().and_then(|own| dialect.unread(table, &own, shown))
}

/// The difference between what was read and what the server prints.
fn misread(dialect: &dyn Dialect, table: &Table, shown: &str) -> Option<String> {
    match trueup_render::definition(table, dialect) {
        Ok(own) => dialect.misread(table, &own, shown),
        Err(error) => Some(error.to_string()),
    }
}

/// The tables whose definitions are looked at before there is a plan: those that no run has looked at, those of which the declaration
/// says what only a definition tells, or more than is modelled, and those that a hint renames; or all.
pub(crate) fn at_first(live: &Live, desired: &Desired, all: bool) -> BTreeSet<QualName> {
    let is_tracked = |name: &QualName| {
        let tracked = live.facts.tracked.as_ref();
        tracked.is_some_and(|tracked| tracked.objects.contains(&ObjectRef::Table(name.clone())))
    };
    let is_declared = |name: &QualName| {
        let declared = desired.snapshot.tables.get(name);
        declared.is_some_and(|table| !is_tracked(name) || !table.spelling().is_empty())
    };
    let renamed = table_renames(desired);
    let is_unmodelled = |name: &QualName| desired.unmodelled.iter().any(|each| each.table.as_ref() == Some(name));
    let is_first = |name: &&QualName| all || is_declared(name) || renamed.contains_key(name) || is_unmodelled(name);
    live.snapshot.tables.keys().filter(is_first).cloned().collect()
}

/// The tables that `plan` adopts or alters.
pub(crate) fn touched(plan: &Plan) -> BTreeSet<QualName> {
    let mut touched: BTreeSet<QualName> = altered(plan).into_keys().collect();
    for object in &plan.adopts {
        if let ObjectRef::Table(name) = object {
            touched.insert(name.clone());
        }
    }
    touched
}

/// Reads how tables are spelled out into the live snapshot, and says whether that is news. A declaration that cannot say it of a table
/// takes it as it is.
pub(crate) async fn look(
    session: &mut dyn Session,
    live: &mut Live,
    desired: &Desired,
    names: BTreeSet<QualName>,
    shown: &mut Shown,
) -> Result<bool, Error> {
    let missing = names.into_iter().filter(|name| live.snapshot.tables.contains_key(name) && !shown.contains_key(name));
    let found = shown_tables(session, missing.collect()).await?;
    let dialect = session.server().dialect;
    let renamed = table_renames(desired);
    let mut news = false;
    for (name, text) in &found {
        let Some(table) = live.snapshot.tables.get(name) else { continue };
        let declared = desired.snapshot.tables.get(renamed.get(name).unwrap_or(name));
        let mut spelling = spelling_of(table, text, dialect);
        if let Some(declared) = declared {
            take_over(&mut spelling, declared);
        }
        news |= table.spelling() != spelling;
        live.snapshot.spell(name, &spelling);
    }
    shown.extend(found);
    Ok(news)
}

/// Tables that a hint renames: what they are called now, and what they will be.
fn table_renames(desired: &Desired) -> BTreeMap<QualName, QualName> {
    let mut renames = BTreeMap::new();
    for hint in &desired.hints.renames {
        if let ObjectRef::Table(from) = &hint.from {
            renames.insert(from.clone(), QualName::new(from.namespace.clone(), hint.to.clone()));
        }
    }
    renames
}

/// What the declaration does not say, or what goes without saying on either side, is no difference.
fn take_over(spelling: &mut Spelling, declared: &Table) {
    let wanted = declared.spelling();
    if !declared.spelled && wanted.is_empty() {
        *spelling = wanted;
        return;
    }
    let collation = declared.options.parameters.get("collation");
    for column in &declared.columns {
        let own = column.collation.as_ref().map(|name| name.name.as_str());
        if own == collation.map(String::as_str) {
            continue;
        }
        // One of its own is written out anyway.
        if wanted.columns.contains(&column.name) {
            spelling.columns.insert(column.name.clone());
        } else {
            spelling.columns.remove(&column.name);
        }
    }
}

/// Says what was read of tables in the engine's words, and compares it with what the server itself says: of each table that `plan` alters,
/// where a difference is a refusal, and of every other that was looked at, where it is a note, or a refusal as well (`strict`).
///
/// What a declaration holds that is not modelled is refused, but for tables that the server prints alike.
pub(crate) fn check(
    dialect: &dyn Dialect,
    live: &Live,
    desired: &Desired,
    plan: &mut Plan,
    shown: &Shown,
    strict: bool,
) {
    let altered = altered(plan);
    let parts = desired.unmodelled.iter().filter(|each| each.kind == PART);
    for (part, name) in parts.filter_map(|part| Some((part, part.table.as_ref()?))) {
        let sides = live.snapshot.tables.get(name).zip(shown.get(name));
        let is_alike = sides.is_some_and(|(table, shown)| dialect.misread(table, &part.definition, shown).is_none());
        let is_its = |refusal: &Refusal| refusal.code == "unmodelled" && refusal.object == part.name;
        if is_alike {
            plan.refusals.retain(|refusal| !is_its(refusal));
        } else if let Some(table) = desired.snapshot.tables.get(name)
            && let Some(why) = unread(dialect, table, &part.definition)
        {
            for refusal in plan.refusals.iter_mut().filter(|refusal| is_its(refusal)) {
                refusal.why = format!("table `{name}` is declared with something that is not managed: {why}");
                "take it out of the declaration".clone_into(&mut refusal.fix);
            }
        }
    }
    for (name, shown) in shown {
        let Some(table) = live.snapshot.tables.get(name) else { continue };
        let Some(why) = misread(dialect, table, shown) else { continue };
        match altered.get(name) {
            Some(operation) => plan.refusals.push(Refusal {
                code: "not-understood".to_owned(),
                object: name.to_string(),
                operation: Some(operation.clone()),
                why: format!("table `{name}` has something that is not understood, so it is not altered: {why}"),
                fix: "make this change by hand, and report the table's definition".to_owned(),
            }),
            None if strict => plan.refusals.push(Refusal {
                code: "unmodelled".to_owned(),
                object: name.to_string(),
                operation: None,
                why: format!("table `{name}` has something that is not managed: {why}"),
                fix: "take it out by hand, or leave such things alone: --ignore-unmanaged".to_owned(),
            }),
            None => plan.notes.push(format!("table `{name}` has something that is not understood: {why}")),
        }
    }
    plan.refusals.sort();
}

/// The tables that are there and altered, by the names that they have now, each with an operation that does it.
fn altered(plan: &Plan) -> BTreeMap<QualName, trueup_plan::OpId> {
    let mut before = BTreeMap::new();
    for operation in &plan.operations {
        if let Change::Rename { from: ObjectRef::Table(from), to: ObjectRef::Table(to), .. } = &operation.change {
            before.insert(to.clone(), from.clone());
        }
    }
    let mut altered = BTreeMap::new();
    for operation in plan.operations.iter().filter(|operation| !operation.held_back) {
        // What makes a table, does away with it, or reacts to its rows, does not alter it.
        let is_beside = matches!(
            &operation.change,
            Change::Create { object: Object::Table(_) | Object::Trigger(_) }
                | Change::Drop { object: Object::Table(_) | Object::Trigger(_) }
                | Change::Adopt { .. }
        );
        if let Some(table) = operation.change.table().filter(|_| !is_beside) {
            let table = before.get(&table).cloned().unwrap_or(table);
            altered.entry(table).or_insert_with(|| operation.id.clone());
        }
    }
    altered
}
