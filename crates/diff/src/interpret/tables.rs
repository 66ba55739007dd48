//! Changes to tables, constraints and indexes.

use trueup_plan::unnamed_constraint;
use trueup_schema::{Constraint, Index, ObjectRef, PartId, QualName, Schema, Table};

use super::error::{Done, InterpretError};
use super::find::table;

/// Options of a table as a whole; its parts and what is attached to it stay.
pub(super) fn alter(schema: &mut Schema, after: &Table) -> Done {
    let found = table(schema, &after.name)?;
    found.kind.clone_from(&after.kind);
    found.options.clone_from(&after.options);
    found.inherits.clone_from(&after.inherits);
    found.partitioning.clone_from(&after.partitioning);
    found.source.clone_from(&after.source);
    found.common.depends_on.clone_from(&after.common.depends_on);
    Ok(())
}

fn constraint_ref(table: &QualName, constraint: &Constraint) -> Option<ObjectRef> {
    let name = constraint.name.clone()?;
    Some(ObjectRef::Constraint(PartId { table: table.clone(), name }))
}

/// Where `wanted` is among the constraints of a table, by name or, where it has none, by its short text.
fn position(table: &Table, wanted: &Constraint) -> Option<usize> {
    let text = unnamed_constraint(wanted);
    table.constraints.iter().position(|each| match &wanted.name {
        Some(name) => each.name.as_ref() == Some(name),
        None => each.name.is_none() && unnamed_constraint(each) == text,
    })
}

fn missing(table: &QualName, constraint: &Constraint) -> InterpretError {
    match constraint_ref(table, constraint) {
        Some(object) => InterpretError::Missing(object),
        None => InterpretError::MissingConstraint { table: table.clone(), text: unnamed_constraint(constraint) },
    }
}

pub(super) fn add_constraint(schema: &mut Schema, name: &QualName, constraint: &Constraint) -> Done {
    let table = table(schema, name)?;
    if let Some(object) = constraint_ref(name, constraint)
        && position(table, constraint).is_some()
    {
        return Err(InterpretError::Exists(object));
    }
    table.constraints.push(constraint.clone());
    Ok(())
}

pub(super) fn drop_constraint(schema: &mut Schema, name: &QualName, constraint: &Constraint) -> Done {
    let table = table(schema, name)?;
    let at = position(table, constraint).ok_or_else(|| missing(name, constraint))?;
    table.constraints.remove(at);
    Ok(())
}

pub(super) fn validate(schema: &mut Schema, name: &QualName, constraint: &Constraint) -> Done {
    let table = table(schema, name)?;
    let at = position(table, constraint).ok_or_else(|| missing(name, constraint))?;
    table.constraints[at].validated = true;
    Ok(())
}

pub(super) fn alter_constraint(schema: &mut Schema, name: &QualName, before: &Constraint, after: &Constraint) -> Done {
    let table = table(schema, name)?;
    let at = position(table, before).ok_or_else(|| missing(name, before))?;
    let comment = table.constraints[at].comment.take();
    table.constraints[at] = Constraint { comment, ..after.clone() };
    Ok(())
}

/// The indexes of a table or materialized view.
pub(super) fn indexes<'s>(schema: &'s mut Schema, owner: &QualName) -> Result<&'s mut Vec<Index>, InterpretError> {
    if let Some(table) = schema.tables.get_mut(owner) {
        return Ok(&mut table.indexes);
    }
    match schema.views.get_mut(owner) {
        Some(view) => Ok(&mut view.indexes),
        None => Err(InterpretError::Missing(ObjectRef::Table(owner.clone()))),
    }
}

fn index_ref(owner: &QualName, index: &Index) -> ObjectRef {
    ObjectRef::Index(PartId { table: owner.clone(), name: index.name.clone() })
}

pub(super) fn add_index(schema: &mut Schema, owner: &QualName, index: &Index) -> Done {
    let indexes = indexes(schema, owner)?;
    if indexes.iter().any(|each| each.name == index.name) {
        return Err(InterpretError::Exists(index_ref(owner, index)));
    }
    indexes.push(index.clone());
    Ok(())
}

pub(super) fn drop_index(schema: &mut Schema, owner: &QualName, index: &Index) -> Done {
    let indexes = indexes(schema, owner)?;
    let at = indexes.iter().position(|each| each.name == index.name);
    indexes.remove(at.ok_or_else(|| InterpretError::Missing(index_ref(owner, index)))?);
    if schema.tables.get(owner).is_some_and(|table| table.partitioning.is_some()) {
        drop_attached(schema, &owner.sibling(index.name.clone()));
    }
    Ok(())
}

/// Indexes of partitions go with the one that they are attached to.
fn drop_attached(schema: &mut Schema, parent: &QualName) {
    let mut gone = Vec::new();
    for table in schema.tables.values_mut() {
        let name = table.name.clone();
        let (out, kept) = std::mem::take(&mut table.indexes)
            .into_iter()
            .partition(|index: &Index| index.partition_of.as_ref() == Some(parent));
        table.indexes = kept;
        gone.extend(out.into_iter().map(|index| name.sibling(index.name)));
    }
    for index in gone {
        drop_attached(schema, &index);
    }
}

pub(super) fn alter_index(schema: &mut Schema, owner: &QualName, after: &Index) -> Done {
    let found = indexes(schema, owner)?.iter_mut().find(|each| each.name == after.name);
    let found = found.ok_or_else(|| InterpretError::Missing(index_ref(owner, after)))?;
    let comment = found.comment.take();
    *found = Index { comment, ..after.clone() };
    Ok(())
}
