//! Renames. SQL texts are not looked into; every structured mention follows.

use std::collections::BTreeMap;

use trueup_schema::{Keyed, ObjectRef, RenameError, Schema};

use super::error::{Done, InterpretError};

pub(super) fn rename(schema: &mut Schema, from: &ObjectRef, to: &ObjectRef) -> Done {
    let moved = match (from, to) {
        (ObjectRef::Namespace(from), ObjectRef::Namespace(to)) => schema.rename_namespace(from, to),
        (ObjectRef::Table(from), ObjectRef::Table(to)) => schema.rename_table(from, to),
        (ObjectRef::View(from), ObjectRef::View(to)) => schema.rename_view(from, to),
        (ObjectRef::Type(from), ObjectRef::Type(to)) => schema.rename_type(from, to),
        (ObjectRef::Sequence(from), ObjectRef::Sequence(to)) => schema.rename_sequence(from, to),
        (ObjectRef::Column(from), ObjectRef::Column(to)) => schema.rename_column(&from.table, &from.name, &to.name),
        (ObjectRef::Constraint(from), ObjectRef::Constraint(to)) => {
            schema.rename_constraint(&from.table, &from.name, &to.name)
        }
        (ObjectRef::Index(from), ObjectRef::Index(to)) => schema.rename_index(&from.table, &from.name, &to.name),
        _ => return own_key(schema, from, to),
    };
    moved.map_err(|error| {
        if let RenameError::Missing(object) = error {
            InterpretError::Missing(*object)
        } else {
            InterpretError::Exists(to.clone())
        }
    })
}

/// Objects that nothing else mentions by a structured name.
fn own_key(schema: &mut Schema, from: &ObjectRef, to: &ObjectRef) -> Done {
    match (from, to) {
        (ObjectRef::Routine(old), ObjectRef::Routine(new)) => {
            shift(&mut schema.routines, old, (from, to), |routine| routine.id = new.clone())
        }
        (ObjectRef::Trigger(old), ObjectRef::Trigger(new)) => {
            shift(&mut schema.triggers, old, (from, to), |trigger| trigger.id = new.clone())
        }
        (ObjectRef::Policy(old), ObjectRef::Policy(new)) => {
            shift(&mut schema.policies, old, (from, to), |policy| policy.id = new.clone())
        }
        (ObjectRef::Opaque(old), ObjectRef::Opaque(new)) => {
            shift(&mut schema.objects, old, (from, to), |opaque| opaque.id = new.clone())
        }
        (ObjectRef::Extension(old), ObjectRef::Extension(new)) => {
            shift(&mut schema.extensions, old, (from, to), |extension| extension.name = new.clone())
        }
        _ => Err(InterpretError::Unfit(from.clone(), "a name of another kind")),
    }
}

fn shift<V: Keyed>(
    map: &mut BTreeMap<V::Key, V>,
    old: &V::Key,
    (from, to): (&ObjectRef, &ObjectRef),
    rename: impl FnOnce(&mut V),
) -> Done {
    let mut value = map.remove(old).ok_or_else(|| InterpretError::Missing(from.clone()))?;
    rename(&mut value);
    if map.contains_key(&value.key()) {
        return Err(InterpretError::Exists(to.clone()));
    }
    map.insert(value.key(), value);
    Ok(())
}
