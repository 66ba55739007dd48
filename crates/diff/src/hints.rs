//! Which rename hints still have something to do.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::{Refusal, RenameHint};
use trueup_schema::{Ident, ObjectRef, PartId, QualName, Schema};

/// A rename that is to happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Renaming {
    pub(crate) from: ObjectRef,
    pub(crate) to: ObjectRef,
    pub(crate) source: Option<String>,
}

/// What a round of hints comes to.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) renames: Vec<Renaming>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) notes: Vec<String>,
}

/// The object called `to` beside `from`; none for what has no name to change.
pub(crate) fn beside(from: &ObjectRef, to: &Ident) -> Option<ObjectRef> {
    let part = |id: &PartId| PartId { table: id.table.clone(), name: to.clone() };
    let name = |name: &QualName| name.sibling(to.clone());
    match from {
        ObjectRef::Namespace(_) => Some(ObjectRef::Namespace(to.clone())),
        ObjectRef::Type(id) => Some(ObjectRef::Type(name(id))),
        ObjectRef::Sequence(id) => Some(ObjectRef::Sequence(name(id))),
        ObjectRef::Table(id) => Some(ObjectRef::Table(name(id))),
        ObjectRef::View(id) => Some(ObjectRef::View(name(id))),
        ObjectRef::Column(id) => Some(ObjectRef::Column(part(id))),
        ObjectRef::Constraint(id) => Some(ObjectRef::Constraint(part(id))),
        ObjectRef::Index(id) => Some(ObjectRef::Index(part(id))),
        ObjectRef::Extension(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => None,
    }
}

/// The name of an object that has one of its own in a namespace, routines aside.
pub(crate) const fn qualified(object: &ObjectRef) -> Option<&QualName> {
    match object {
        ObjectRef::Type(name) | ObjectRef::Sequence(name) | ObjectRef::Table(name) | ObjectRef::View(name) => {
            Some(name)
        }
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => None,
    }
}

/// The table or view that the object is or is a part of.
pub(crate) const fn table_of(object: &ObjectRef) -> Option<&QualName> {
    match object {
        ObjectRef::Table(name) | ObjectRef::View(name) => Some(name),
        ObjectRef::Column(id)
        | ObjectRef::Constraint(id)
        | ObjectRef::Index(id)
        | ObjectRef::Trigger(id)
        | ObjectRef::Policy(id) => Some(&id.table),
        ObjectRef::Opaque(id) => id.table.as_ref(),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Routine(_) => None,
    }
}

/// The word that names the object in SQL texts of others: constraints, indexes and the like are never mentioned there.
pub(crate) fn own_name(object: &ObjectRef) -> Option<&Ident> {
    match object {
        ObjectRef::Namespace(name) => Some(name),
        ObjectRef::Column(id) => Some(&id.name),
        ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => qualified(object).map(|name| &name.name),
    }
}

/// Whether `schema` holds `object`.
pub(crate) fn holds(schema: &Schema, object: &ObjectRef) -> bool {
    match object {
        ObjectRef::Namespace(name) => {
            schema.namespaces.contains_key(name)
                || schema.object_refs().iter().any(|object| object.namespace() == Some(name))
        }
        ObjectRef::Extension(name) => schema.extensions.contains_key(name),
        ObjectRef::Type(name) => schema.types.contains_key(name),
        ObjectRef::Sequence(name) => schema.sequences.contains_key(name),
        ObjectRef::Table(name) => schema.tables.contains_key(name),
        ObjectRef::View(name) => schema.views.contains_key(name),
        ObjectRef::Column(id) => {
            schema.tables.get(&id.table).is_some_and(|table| table.column(&id.name).is_some())
                || schema.views.get(&id.table).is_some_and(|view| view.columns.iter().any(|each| each.name == id.name))
        }
        ObjectRef::Constraint(id) => {
            schema.tables.get(&id.table).is_some_and(|table| table.constraint(&id.name).is_some())
        }
        ObjectRef::Index(id) => {
            schema.tables.get(&id.table).is_some_and(|table| table.index(&id.name).is_some())
                || schema.views.get(&id.table).is_some_and(|view| view.indexes.iter().any(|each| each.name == id.name))
        }
        ObjectRef::Routine(id) => schema.routines.contains_key(id),
        ObjectRef::Trigger(id) => schema.triggers.contains_key(id),
        ObjectRef::Policy(id) => schema.policies.contains_key(id),
        ObjectRef::Opaque(id) => schema.objects.contains_key(id),
    }
}

/// Decides for each hint whether it is to be done, is done, or contradicts what is there. `live` is the live schema under the names
/// that earlier rounds gave it.
pub(crate) fn resolve(hints: &[&RenameHint], live: &Schema, desired: &Schema) -> Resolved {
    let mut resolved = Resolved::default();
    let mut moves: BTreeMap<ObjectRef, (ObjectRef, &RenameHint)> = BTreeMap::new();
    for hint in hints {
        match beside(&hint.from, &hint.to) {
            Some(to) => {
                moves.insert(hint.from.clone(), (to, hint));
            }
            None => resolved.notes.push(format!(
                "the hint to rename {} `{}` does nothing: such an object is dropped and made again without loss",
                hint.from.kind(),
                hint.from
            )),
        }
    }
    let targets: BTreeSet<&ObjectRef> = moves.values().map(|(to, _)| to).collect();
    let spent = |object: &ObjectRef| moves.iter().any(|(from, (to, _))| to == object && !holds(live, from));
    for (from, (to, hint)) in &moves {
        if !holds(live, from) {
            continue;
        }
        let to = follow(to, &moves, live, desired);
        let why = if !holds(desired, &to) {
            Some((
                "rename-target-missing",
                format!("the new name `{to}` is not declared"),
                "declare it under its new name, or take the hint away",
            ))
        } else if holds(desired, from) && !targets.contains(from) {
            Some((
                "rename-conflict",
                format!("both `{from}` and `{to}` are declared"),
                "take the hint away, or the declaration of the old name",
            ))
        } else if holds(live, &to) && !moves.contains_key(&to) && !spent(from) {
            Some((
                "rename-conflict",
                format!("both `{from}` and `{to}` exist"),
                "drop one of them by hand, or take the hint away",
            ))
        } else {
            None
        };
        match why {
            Some((code, why, fix)) => resolved.refusals.push(refusal(code, from, hint, &why, fix)),
            None if holds(live, &to) && !moves.contains_key(&to) => {}
            None => resolved.renames.push(Renaming { from: from.clone(), to, source: hint.source.clone() }),
        }
    }
    resolved
}

/// A name given by one hint and taken away by the next is only passed through.
fn follow(
    first: &ObjectRef,
    moves: &BTreeMap<ObjectRef, (ObjectRef, &RenameHint)>,
    live: &Schema,
    desired: &Schema,
) -> ObjectRef {
    let (mut to, mut seen) = (first, BTreeSet::new());
    while !holds(desired, to) && !holds(live, to) && seen.insert(to) {
        match moves.get(to) {
            Some((next, _)) => to = next,
            None => break,
        }
    }
    to.clone()
}

fn refusal(code: &str, from: &ObjectRef, hint: &RenameHint, why: &str, fix: &str) -> Refusal {
    let source = hint.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
    Refusal {
        code: code.to_owned(),
        object: from.to_string(),
        operation: None,
        why: format!("{} `{from}` is to be renamed to `{}`{source}, but {why}", from.kind(), hint.to),
        fix: fix.to_owned(),
    }
}
