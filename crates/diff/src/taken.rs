//! New names that something else has and keeps.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Capabilities;
use trueup_plan::{Change, Refusal};
use trueup_schema::{Ident, ObjectRef, QualName, Schema};

use crate::draft::Draft;
use crate::hints::{qualified, table_of};

/// Refuses every creation under a name that stays taken: by an object that is left alone, or by one outside the schema.
pub(crate) fn refuse(
    drafts: &[Draft],
    live: &Schema,
    outside: &BTreeSet<QualName>,
    capabilities: &Capabilities,
) -> Vec<Refusal> {
    let name = |object: &ObjectRef| name_of(object, capabilities);
    let dropped: BTreeSet<ObjectRef> = drafts
        .iter()
        .filter(|draft| matches!(draft.change, Change::Drop { .. } | Change::DropColumn { .. }))
        .map(|draft| draft.change.object())
        .collect();
    let goes = |object: &ObjectRef| {
        dropped.contains(object)
            || table_of(object).is_some_and(|table| {
                dropped.contains(&ObjectRef::Table(table.clone())) || dropped.contains(&ObjectRef::View(table.clone()))
            })
    };
    let kept: BTreeMap<QualName, ObjectRef> = live
        .object_refs()
        .into_iter()
        .filter(|object| !goes(object) && !is_owned_by(object, live, &dropped))
        .filter_map(|object| Some((name(&object)?, object)))
        .collect();
    let mut refusals = Vec::new();
    for draft in drafts {
        let Change::Create { object } = &draft.change else { continue };
        let object = object.reference();
        let Some(new) = name(&object) else { continue };
        let by = match kept.get(&new) {
            Some(other) if *other == object => continue,
            Some(other) => format!("{} `{other}`, which stays", other.kind()),
            None if outside.contains(&new) => "an object that is not managed".to_owned(),
            None => continue,
        };
        refusals.push(Refusal {
            code: "name-taken".to_owned(),
            object: object.to_string(),
            operation: Some(draft.id()),
            why: format!("{} `{object}` cannot be made: its name belongs to {by}", object.kind()),
            fix: "choose another name, or make way for it by hand".to_owned(),
        });
    }
    refusals
}

/// The name of what shares a name space with tables.
fn name_of(object: &ObjectRef, capabilities: &Capabilities) -> Option<QualName> {
    let index = |namespace: &Option<Ident>, name: &Ident| QualName::new(namespace.clone(), name.clone());
    match object {
        ObjectRef::Index(id) if capabilities.index_names_per_namespace => Some(index(&id.table.namespace, &id.name)),
        ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => qualified(object).cloned(),
    }
}

/// Whether a sequence goes with the column or table that owns it.
fn is_owned_by(object: &ObjectRef, live: &Schema, dropped: &BTreeSet<ObjectRef>) -> bool {
    let ObjectRef::Sequence(name) = object else { return false };
    let owner = live.sequences.get(name).and_then(|sequence| sequence.owned_by.as_ref());
    owner.is_some_and(|owner| {
        dropped.contains(&ObjectRef::Table(owner.table.clone())) || dropped.contains(&ObjectRef::Column(owner.clone()))
    })
}
