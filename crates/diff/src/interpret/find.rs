//! Looks objects up, or says that they are not there.

use trueup_schema::{
    Column, Ident, ObjectRef, PartId, QualName, Routine, RoutineId, Schema, Sequence, Table, UserType, View,
};

use super::error::InterpretError;

pub(super) fn column_ref(table: &QualName, name: &Ident) -> ObjectRef {
    ObjectRef::Column(PartId { table: table.clone(), name: name.clone() })
}

pub(super) fn table<'s>(schema: &'s mut Schema, name: &QualName) -> Result<&'s mut Table, InterpretError> {
    schema.tables.get_mut(name).ok_or_else(|| InterpretError::Missing(ObjectRef::Table(name.clone())))
}

pub(super) fn view<'s>(schema: &'s mut Schema, name: &QualName) -> Result<&'s mut View, InterpretError> {
    schema.views.get_mut(name).ok_or_else(|| InterpretError::Missing(ObjectRef::View(name.clone())))
}

pub(super) fn routine<'s>(schema: &'s mut Schema, id: &RoutineId) -> Result<&'s mut Routine, InterpretError> {
    schema.routines.get_mut(id).ok_or_else(|| InterpretError::Missing(ObjectRef::Routine(id.clone())))
}

pub(super) fn sequence<'s>(schema: &'s mut Schema, name: &QualName) -> Result<&'s mut Sequence, InterpretError> {
    schema.sequences.get_mut(name).ok_or_else(|| InterpretError::Missing(ObjectRef::Sequence(name.clone())))
}

pub(super) fn user_type<'s>(schema: &'s mut Schema, name: &QualName) -> Result<&'s mut UserType, InterpretError> {
    schema.types.get_mut(name).ok_or_else(|| InterpretError::Missing(ObjectRef::Type(name.clone())))
}

pub(super) fn column<'s>(
    schema: &'s mut Schema,
    name: &QualName,
    column: &Ident,
) -> Result<&'s mut Column, InterpretError> {
    let missing = || InterpretError::Missing(column_ref(name, column));
    table(schema, name)?.columns.iter_mut().find(|each| each.name == *column).ok_or_else(missing)
}
