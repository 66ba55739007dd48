//! Changes to types, sequences, namespaces and extensions.

use trueup_plan::{AttributeChange, DomainChange, EnumPosition, TableColumn};
use trueup_schema::{
    Attribute, Common, Domain, Extension, Namespace, ObjectRef, PartId, QualName, Schema, Sequence, UserType,
    UserTypeKind,
};

use super::error::{Done, InterpretError};
use super::find::{column, sequence, user_type};

/// What is attached to an object stays; what it needs follows its definition.
fn kept(before: &mut Common, after: &Common) -> Common {
    Common { depends_on: after.depends_on.clone(), ..std::mem::take(before) }
}

pub(super) fn alter_namespace(schema: &mut Schema, after: &Namespace) -> Done {
    let missing = || InterpretError::Missing(ObjectRef::Namespace(after.name.clone()));
    let found = schema.namespaces.get_mut(&after.name).ok_or_else(missing)?;
    found.options.clone_from(&after.options);
    Ok(())
}

pub(super) fn alter_extension(schema: &mut Schema, after: &Extension) -> Done {
    let missing = || InterpretError::Missing(ObjectRef::Extension(after.name.clone()));
    let found = schema.extensions.get_mut(&after.name).ok_or_else(missing)?;
    let common = kept(&mut found.common, &after.common);
    *found = Extension { common, ..after.clone() };
    Ok(())
}

fn labels<'s>(schema: &'s mut Schema, name: &QualName) -> Result<&'s mut Vec<String>, InterpretError> {
    match &mut user_type(schema, name)?.kind {
        UserTypeKind::Enum { labels } => Ok(labels),
        UserTypeKind::Domain(_) | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => {
            Err(InterpretError::Sort(name.clone()))
        }
    }
}

fn part(name: &QualName, part: &str, exists: bool) -> InterpretError {
    InterpretError::TypePart { name: name.clone(), part: part.to_owned(), exists }
}

pub(super) fn add_label(schema: &mut Schema, name: &QualName, value: &str, position: &EnumPosition) -> Done {
    let labels = labels(schema, name)?;
    if labels.iter().any(|label| label == value) {
        return Err(part(name, value, true));
    }
    let find = |wanted: &String| labels.iter().position(|each| each == wanted).ok_or_else(|| part(name, wanted, false));
    let at = match position {
        EnumPosition::Last => labels.len(),
        EnumPosition::Before(label) => find(label)?,
        EnumPosition::After(label) => find(label)? + 1,
    };
    labels.insert(at, value.to_owned());
    Ok(())
}

pub(super) fn rebuild_enum(schema: &mut Schema, after: &UserType, columns: &[TableColumn]) -> Done {
    for each in columns {
        column(schema, &each.table, &each.column.name)?.data_type = each.column.data_type.clone();
    }
    user_type(schema, &after.name)?.kind = after.kind.clone();
    Ok(())
}

fn domain<'s>(schema: &'s mut Schema, name: &QualName) -> Result<&'s mut Domain, InterpretError> {
    match &mut user_type(schema, name)?.kind {
        UserTypeKind::Domain(domain) => Ok(domain),
        UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => {
            Err(InterpretError::Sort(name.clone()))
        }
    }
}

pub(super) fn alter_domain(schema: &mut Schema, name: &QualName, change: &DomainChange) -> Done {
    let domain = domain(schema, name)?;
    match change {
        DomainChange::Default { after, .. } => domain.default.clone_from(after),
        DomainChange::NotNull(not_null) => domain.not_null = *not_null,
        DomainChange::AddCheck(check) => {
            if domain.checks.iter().any(|each| each.name == check.name) {
                return Err(part(name, check.name.as_str(), true));
            }
            domain.checks.push(check.clone());
        }
        DomainChange::DropCheck(check) => {
            let at = domain.checks.iter().position(|each| each.name == check.name);
            domain.checks.remove(at.ok_or_else(|| part(name, check.name.as_str(), false))?);
        }
        DomainChange::ValidateCheck(check) => {
            let found = domain.checks.iter_mut().find(|each| each.name == check.name);
            found.ok_or_else(|| part(name, check.name.as_str(), false))?.validated = true;
        }
    }
    Ok(())
}

fn attributes<'s>(schema: &'s mut Schema, name: &QualName) -> Result<&'s mut Vec<Attribute>, InterpretError> {
    match &mut user_type(schema, name)?.kind {
        UserTypeKind::Composite { attributes } => Ok(attributes),
        UserTypeKind::Enum { .. } | UserTypeKind::Domain(_) | UserTypeKind::Range(_) => {
            Err(InterpretError::Sort(name.clone()))
        }
    }
}

pub(super) fn alter_composite(schema: &mut Schema, name: &QualName, change: &AttributeChange) -> Done {
    let attributes = attributes(schema, name)?;
    match change {
        AttributeChange::Add(attribute) => {
            if attributes.iter().any(|each| each.name == attribute.name) {
                return Err(part(name, attribute.name.as_str(), true));
            }
            attributes.push(attribute.clone());
        }
        AttributeChange::Drop(attribute) => {
            let at = attributes.iter().position(|each| each.name == attribute.name);
            attributes.remove(at.ok_or_else(|| part(name, attribute.name.as_str(), false))?);
        }
        AttributeChange::SetType { after, .. } => {
            let found = attributes.iter_mut().find(|each| each.name == after.name);
            let found = found.ok_or_else(|| part(name, after.name.as_str(), false))?;
            found.data_type = after.data_type.clone();
            found.collation.clone_from(&after.collation);
        }
    }
    Ok(())
}

pub(super) fn alter_sequence(schema: &mut Schema, after: &Sequence) -> Done {
    let found = sequence(schema, &after.name)?;
    found.options.clone_from(&after.options);
    found.unlogged = after.unlogged;
    Ok(())
}

pub(super) fn own_sequence(schema: &mut Schema, name: &QualName, owner: Option<&PartId>) -> Done {
    sequence(schema, name)?.owned_by = owner.cloned();
    Ok(())
}
