//! Whole objects: made with everything that their value holds, and dropped.

use trueup_plan::{Flavor, Object, Statement};
use trueup_schema::{Common, ObjectRef, PartId, Table, TableKind, UserType, UserTypeKind, View};

use super::words::Rendered;
use super::{
    comment, extension, grant, index, namespace, opaque, owner, policy, routine, sequence, table, trigger, types, view,
};
use crate::RenderError;
use crate::sql::Sql;

pub(super) fn create(object: &Object) -> Rendered {
    let mut statements = match object {
        Object::Namespace(it) => namespace::create(it)?,
        Object::Extension(it) => extension::create(it)?,
        Object::Type(it) => types::create(it)?,
        Object::Sequence(it) => sequence::create(it)?,
        Object::Table(it) => table::create(it)?,
        Object::View(it) => view::create(it)?,
        Object::Index(it) => index::create(&it.table, &it.index)?,
        Object::Routine(it) => routine::create(it)?,
        Object::Trigger(it) => trigger::create(it)?,
        Object::Policy(it) => policy::create(it)?,
        Object::Opaque(it) => opaque::create(it)?,
    };
    statements.extend(extras(object)?);
    Ok(statements)
}

pub(super) fn drop(object: &Object) -> Rendered {
    match object {
        Object::Namespace(it) => namespace::drop(it),
        Object::Extension(it) => extension::drop(it),
        Object::Type(it) => types::drop(it),
        Object::Sequence(it) => sequence::drop(it),
        Object::Table(it) => table::drop(it),
        Object::View(it) => view::drop(it),
        Object::Index(it) => index::drop(it),
        Object::Routine(it) => routine::drop(it),
        Object::Trigger(it) => trigger::drop(it),
        Object::Policy(it) => policy::drop(it),
        Object::Opaque(it) => opaque::drop(it),
    }
}

/// Comments, owner and privileges of a type that was made.
pub(super) fn extras_of_type(user_type: &UserType) -> Rendered {
    let mut statements = type_parts(user_type);
    let flavor = match &user_type.kind {
        UserTypeKind::Domain(_) => Flavor::Domain,
        UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => Flavor::Plain,
    };
    statements.extend(common(&ObjectRef::Type(user_type.name.clone()), flavor, &user_type.common)?);
    Ok(statements)
}

/// Comments of the object and its parts, its owner, its privileges. Those of an index are its own file's.
fn extras(object: &Object) -> Rendered {
    let on = object.reference();
    match object {
        Object::Namespace(it) => common(&on, Flavor::Plain, &it.common),
        Object::Extension(it) => common(&on, Flavor::Plain, &it.common),
        Object::Type(it) => extras_of_type(it),
        Object::Sequence(it) => common(&on, Flavor::Plain, &it.common),
        Object::Table(it) => {
            let foreign = matches!(it.kind, TableKind::Foreign { .. });
            let mut statements =
                common_comment(&on, if foreign { Flavor::Foreign } else { Flavor::Plain }, &it.common)?;
            statements.extend(table_parts(it));
            statements.extend(rights(&on, if foreign { Flavor::Foreign } else { Flavor::Plain }, &it.common)?);
            Ok(statements)
        }
        Object::View(it) => {
            let flavor = if it.materialized { Flavor::Materialized } else { Flavor::Plain };
            let mut statements = common_comment(&on, flavor, &it.common)?;
            statements.extend(view_parts(it));
            statements.extend(rights(&on, flavor, &it.common)?);
            Ok(statements)
        }
        Object::Index(_) => Ok(Vec::new()),
        Object::Routine(it) => common(&on, it.kind.into(), &it.common),
        Object::Trigger(it) => optional_comment(&on, it.comment.as_deref()),
        Object::Policy(it) => optional_comment(&on, it.comment.as_deref()),
        Object::Opaque(it) => {
            let mut statements = match (&it.comment_target, &it.common.comment) {
                (Some(target), Some(text)) => vec![comment::statement(Sql::default().expr(target), Some(text))],
                (None, Some(_)) => common_comment(&on, Flavor::Plain, &it.common)?,
                (_, None) => Vec::new(),
            };
            statements.extend(rights(&on, Flavor::Plain, &it.common)?);
            Ok(statements)
        }
    }
}

fn common(on: &ObjectRef, flavor: Flavor, common: &Common) -> Rendered {
    let mut statements = common_comment(on, flavor, common)?;
    statements.extend(rights(on, flavor, common)?);
    Ok(statements)
}

fn common_comment(on: &ObjectRef, flavor: Flavor, common: &Common) -> Result<Vec<Statement>, RenderError> {
    match &common.comment {
        Some(text) => comment::set(on, flavor, Some(text)),
        None => Ok(Vec::new()),
    }
}

fn optional_comment(on: &ObjectRef, text: Option<&str>) -> Rendered {
    match text {
        Some(text) => comment::set(on, Flavor::Plain, Some(text)),
        None => Ok(Vec::new()),
    }
}

fn rights(on: &ObjectRef, flavor: Flavor, common: &Common) -> Rendered {
    let mut statements = Vec::new();
    if let Some(role) = &common.owner {
        statements.extend(owner::set(on, flavor, role)?);
    }
    if let Some(grants) = &common.grants {
        statements.extend(grant::set(on, flavor, None, Some(grants), common.owner.as_ref())?);
    }
    Ok(statements)
}

fn table_parts(table: &Table) -> Vec<Statement> {
    let mut statements = Vec::new();
    for column in &table.columns {
        statements.extend(comment::of_column(&table.name, &column.name, column.comment.as_deref()));
    }
    for constraint in &table.constraints {
        statements.extend(comment::of_constraint(&table.name, constraint));
    }
    statements
}

fn view_parts(view: &View) -> Vec<Statement> {
    let comments = view.columns.iter().map(|it| comment::of_column(&view.name, &it.name, it.comment.as_deref()));
    comments.flatten().collect()
}

fn type_parts(user_type: &UserType) -> Vec<Statement> {
    match &user_type.kind {
        UserTypeKind::Composite { attributes } => attributes
            .iter()
            .flat_map(|it| comment::of_column(&user_type.name, &it.name, it.comment.as_deref()))
            .collect(),
        UserTypeKind::Domain(domain) => domain
            .checks
            .iter()
            .filter_map(|check| {
                let part = PartId { table: user_type.name.clone(), name: check.name.clone() };
                let text = check.comment.as_deref()?;
                Some(comment::statement(
                    comment::target(&ObjectRef::Constraint(part), Flavor::Domain).ok()?,
                    Some(text),
                ))
            })
            .collect(),
        UserTypeKind::Enum { .. } | UserTypeKind::Range(_) => Vec::new(),
    }
}
