//! Standalone objects.

use std::collections::BTreeMap;

use trueup_plan::Object;
use trueup_schema::{Common, Keyed, ObjectRef, Opaque, PartId, Policy, QualName, Schema, Trigger, View};

use super::error::{Done, InterpretError};
use super::{find, tables};

pub(super) fn create(schema: &mut Schema, object: &Object) -> Done {
    let reference = object.reference();
    match object {
        Object::Namespace(value) => insert(schema, value, reference),
        Object::Extension(value) => insert(schema, value, reference),
        Object::Type(value) => insert(schema, value, reference),
        Object::Sequence(value) => insert(schema, value, reference),
        Object::Table(value) => insert(schema, value, reference),
        Object::View(value) => insert(schema, value, reference),
        Object::Index(value) => tables::add_index(schema, &value.table, &value.index),
        Object::Routine(value) => insert(schema, value, reference),
        Object::Trigger(value) => hangs_on(schema, &value.id).and_then(|()| insert(schema, value, reference)),
        Object::Policy(value) => hangs_on(schema, &value.id).and_then(|()| insert(schema, value, reference)),
        Object::Opaque(value) => insert(schema, value, reference),
    }
}

fn hangs_on(schema: &Schema, part: &PartId) -> Done {
    if schema.tables.contains_key(&part.table) || schema.views.contains_key(&part.table) {
        Ok(())
    } else {
        Err(InterpretError::Missing(ObjectRef::Table(part.table.clone())))
    }
}

fn insert<V: Keyed + Clone>(schema: &mut Schema, value: &V, reference: ObjectRef) -> Done {
    let map = V::map_of(schema);
    if map.contains_key(&value.key()) {
        return Err(InterpretError::Exists(reference));
    }
    map.insert(value.key(), value.clone());
    Ok(())
}

fn remove<V: Keyed>(schema: &mut Schema, value: &V, reference: ObjectRef) -> Done {
    V::map_of(schema).remove(&value.key()).map(|_| ()).ok_or(InterpretError::Missing(reference))
}

pub(super) fn drop(schema: &mut Schema, object: &Object) -> Done {
    let reference = object.reference();
    match object {
        Object::Namespace(value) => remove(schema, value, reference),
        Object::Extension(value) => remove(schema, value, reference),
        Object::Type(value) => remove(schema, value, reference),
        Object::Sequence(value) => remove(schema, value, reference),
        Object::Table(value) => {
            remove(schema, value, reference)?;
            take_along(schema, &value.name);
            Ok(())
        }
        Object::View(value) => {
            remove(schema, value, reference)?;
            take_along(schema, &value.name);
            Ok(())
        }
        Object::Index(value) => tables::drop_index(schema, &value.table, &value.index),
        Object::Routine(value) => remove(schema, value, reference),
        Object::Trigger(value) => remove(schema, value, reference),
        Object::Policy(value) => remove(schema, value, reference),
        Object::Opaque(value) => remove(schema, value, reference),
    }
}

/// What every engine drops with a relation.
fn take_along(schema: &mut Schema, relation: &QualName) {
    remove_parts(&mut schema.triggers, relation);
    remove_parts(&mut schema.policies, relation);
    schema.objects.retain(|id, _| id.table.as_ref() != Some(relation));
    schema.sequences.retain(|_, sequence| sequence.owned_by.as_ref().is_none_or(|owner| owner.table != *relation));
}

fn remove_parts<V>(map: &mut BTreeMap<PartId, V>, table: &QualName) {
    map.retain(|part, _| part.table != *table);
}

pub(super) fn trigger<'s>(schema: &'s mut Schema, id: &PartId) -> Result<&'s mut Trigger, InterpretError> {
    schema.triggers.get_mut(id).ok_or_else(|| InterpretError::Missing(ObjectRef::Trigger(id.clone())))
}

pub(super) fn alter_policy(schema: &mut Schema, after: &Policy) -> Done {
    let missing = || InterpretError::Missing(ObjectRef::Policy(after.id.clone()));
    let found = schema.policies.get_mut(&after.id).ok_or_else(missing)?;
    let comment = found.comment.take();
    *found = Policy { comment, ..after.clone() };
    Ok(())
}

pub(super) fn alter_opaque(schema: &mut Schema, after: &Opaque) -> Done {
    let missing = || InterpretError::Missing(ObjectRef::Opaque(after.id.clone()));
    let found = schema.objects.get_mut(&after.id).ok_or_else(missing)?;
    let common = Common { depends_on: after.common.depends_on.clone(), ..std::mem::take(&mut found.common) };
    *found = Opaque { common, ..after.clone() };
    Ok(())
}

/// Another query; indexes, options, comments and privileges stay.
pub(super) fn replace_view(schema: &mut Schema, after: &View) -> Done {
    let found = find::view(schema, &after.name)?;
    let mut next = after.clone();
    next.indexes = std::mem::take(&mut found.indexes);
    next.common = Common { depends_on: after.common.depends_on.clone(), ..std::mem::take(&mut found.common) };
    for column in &mut next.columns {
        let known = found.columns.iter().find(|each| each.name == column.name);
        column.comment = known.and_then(|each| each.comment.clone());
    }
    *found = next;
    Ok(())
}

pub(super) fn is_there(schema: &Schema, object: &ObjectRef) -> Done {
    let part = |part: &PartId| {
        let of_table = schema.tables.get(&part.table).is_some_and(|table| {
            table.column(&part.name).is_some()
                || table.constraint(&part.name).is_some()
                || table.index(&part.name).is_some()
        });
        let of_view = schema.views.get(&part.table).is_some_and(|view| {
            view.columns.iter().any(|column| column.name == part.name)
                || view.indexes.iter().any(|index| index.name == part.name)
        });
        of_table || of_view
    };
    let there = match object {
        ObjectRef::Namespace(name) => schema.namespaces.contains_key(name),
        ObjectRef::Extension(name) => schema.extensions.contains_key(name),
        ObjectRef::Type(name) => schema.types.contains_key(name),
        ObjectRef::Sequence(name) => schema.sequences.contains_key(name),
        ObjectRef::Table(name) => schema.tables.contains_key(name),
        ObjectRef::View(name) => schema.views.contains_key(name),
        ObjectRef::Column(id) | ObjectRef::Constraint(id) | ObjectRef::Index(id) => part(id),
        ObjectRef::Routine(id) => schema.routines.contains_key(id),
        ObjectRef::Trigger(id) => schema.triggers.contains_key(id),
        ObjectRef::Policy(id) => schema.policies.contains_key(id),
        ObjectRef::Opaque(id) => schema.objects.contains_key(id),
    };
    if there { Ok(()) } else { Err(InterpretError::Missing(object.clone())) }
}
