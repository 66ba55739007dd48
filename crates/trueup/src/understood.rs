//! Whether tables are what was read of them.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_introspect::shown_table;
use trueup_plan::{Change, Live, Object, Plan, Refusal};
use trueup_schema::{ObjectRef, QualName};
use trueup_session::Session;

use crate::Error;

/// Says what was read of tables in the engine's words, and compares it with what the server itself says: of each table that `plan` alters,
/// where a difference is a refusal, and of each that it adopts (or of all), where it is a note.
pub(crate) async fn check(
    session: &mut dyn Session,
    dialect: &dyn Dialect,
    live: &Live,
    plan: &mut Plan,
    all: bool,
) -> Result<(), Error> {
    let altered = altered(plan);
    let mut asked: BTreeSet<QualName> = altered.keys().cloned().collect();
    asked.extend(plan.adopts.iter().filter_map(|object| match object {
        ObjectRef::Table(name) => Some(name.clone()),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::View(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => None,
    }));
    if all {
        asked.extend(live.snapshot.tables.keys().cloned());
    }
    for name in asked {
        let Some(table) = live.snapshot.tables.get(&name) else { continue };
        let Some(shown) = shown_table(session, &name).await? else { continue };
        let misread = match trueup_render::definition(table, dialect) {
            Ok(own) => dialect.misread(table, &own, &shown),
            Err(error) => Some(error.to_string()),
        };
        let Some(why) = misread else { continue };
        match altered.get(&name) {
            Some(operation) => plan.refusals.push(Refusal {
                code: "not-understood".to_owned(),
                object: name.to_string(),
                operation: Some(operation.clone()),
                why: format!("table `{name}` has something that is not understood, so it is not altered: {why}"),
                fix: "make this change by hand, and report the table's definition".to_owned(),
            }),
            None => plan.notes.push(format!("table `{name}` has something that is not understood: {why}")),
        }
    }
    plan.refusals.sort();
    Ok(())
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
