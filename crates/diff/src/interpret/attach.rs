//! Comments, privileges and owners.

use trueup_schema::{Common, Grant, Ident, ObjectRef, PartId, Schema, UserTypeKind};

use super::error::{Done, InterpretError};

/// What every standalone object carries.
fn common<'s>(schema: &'s mut Schema, object: &ObjectRef) -> Option<&'s mut Common> {
    match object {
        ObjectRef::Namespace(name) => schema.namespaces.get_mut(name).map(|found| &mut found.common),
        ObjectRef::Extension(name) => schema.extensions.get_mut(name).map(|found| &mut found.common),
        ObjectRef::Type(name) => schema.types.get_mut(name).map(|found| &mut found.common),
        ObjectRef::Sequence(name) => schema.sequences.get_mut(name).map(|found| &mut found.common),
        ObjectRef::Table(name) => schema.tables.get_mut(name).map(|found| &mut found.common),
        ObjectRef::View(name) => schema.views.get_mut(name).map(|found| &mut found.common),
        ObjectRef::Routine(id) => schema.routines.get_mut(id).map(|found| &mut found.common),
        ObjectRef::Opaque(id) => schema.objects.get_mut(id).map(|found| &mut found.common),
        ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_) => None,
    }
}

/// Where the comment of `object` is kept.
fn comment_of<'s>(schema: &'s mut Schema, object: &ObjectRef) -> Option<&'s mut Option<String>> {
    match object {
        ObjectRef::Column(part) => column(schema, part),
        ObjectRef::Constraint(part) => constraint(schema, part),
        ObjectRef::Index(part) => {
            let indexes = super::tables::indexes(schema, &part.table).ok()?;
            indexes.iter_mut().find(|index| index.name == part.name).map(|index| &mut index.comment)
        }
        ObjectRef::Trigger(id) => schema.triggers.get_mut(id).map(|trigger| &mut trigger.comment),
        ObjectRef::Policy(id) => schema.policies.get_mut(id).map(|policy| &mut policy.comment),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Opaque(_) => common(schema, object).map(|common| &mut common.comment),
    }
}

/// A column of a table or view, or an attribute of a composite type.
fn column<'s>(schema: &'s mut Schema, part: &PartId) -> Option<&'s mut Option<String>> {
    if let Some(table) = schema.tables.get_mut(&part.table) {
        let found = table.columns.iter_mut().find(|column| column.name == part.name);
        return found.map(|column| &mut column.comment);
    }
    if let Some(view) = schema.views.get_mut(&part.table) {
        let found = view.columns.iter_mut().find(|column| column.name == part.name);
        return found.map(|column| &mut column.comment);
    }
    match &mut schema.types.get_mut(&part.table)?.kind {
        UserTypeKind::Composite { attributes } => {
            let found = attributes.iter_mut().find(|attribute| attribute.name == part.name);
            found.map(|attribute| &mut attribute.comment)
        }
        UserTypeKind::Enum { .. } | UserTypeKind::Domain(_) | UserTypeKind::Range(_) => None,
    }
}

/// A constraint of a table, or a check of a domain.
fn constraint<'s>(schema: &'s mut Schema, part: &PartId) -> Option<&'s mut Option<String>> {
    if let Some(table) = schema.tables.get_mut(&part.table) {
        let found = table.constraints.iter_mut().find(|each| each.name.as_ref() == Some(&part.name));
        return found.map(|constraint| &mut constraint.comment);
    }
    match &mut schema.types.get_mut(&part.table)?.kind {
        UserTypeKind::Domain(domain) => {
            let found = domain.checks.iter_mut().find(|check| check.name == part.name);
            found.map(|check| &mut check.comment)
        }
        UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => None,
    }
}

pub(super) fn comment(schema: &mut Schema, on: &ObjectRef, text: Option<&str>) -> Done {
    let found = comment_of(schema, on).ok_or_else(|| InterpretError::Missing(on.clone()))?;
    *found = text.map(ToOwned::to_owned);
    Ok(())
}

pub(super) fn grants(schema: &mut Schema, on: &ObjectRef, grants: Option<&[Grant]>) -> Done {
    carrier(schema, on, "privileges")?.grants = grants.map(<[Grant]>::to_vec);
    Ok(())
}

pub(super) fn owner(schema: &mut Schema, on: &ObjectRef, owner: &Ident) -> Done {
    carrier(schema, on, "an owner")?.owner = Some(owner.clone());
    Ok(())
}

fn carrier<'s>(schema: &'s mut Schema, on: &ObjectRef, what: &'static str) -> Result<&'s mut Common, InterpretError> {
    let part = matches!(
        on,
        ObjectRef::Column(_)
            | ObjectRef::Constraint(_)
            | ObjectRef::Index(_)
            | ObjectRef::Trigger(_)
            | ObjectRef::Policy(_)
    );
    common(schema, on)
        .ok_or_else(|| if part { InterpretError::Unfit(on.clone(), what) } else { InterpretError::Missing(on.clone()) })
}
