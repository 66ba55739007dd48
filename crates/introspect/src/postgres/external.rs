//! Names of things outside the namespaces that were read, as far as something inside needs them.

use std::collections::BTreeSet;

use trueup_schema::{Ident, ObjectRef, PartId, QualName, RoutineId};
use trueup_session::{Session, Value};

use super::comments::Site;
use super::names::Names;
use super::raw::{self, Raw};
use super::reader::{Reader, ident, printed_name};
use super::sql::class;
use super::{depends, sql_parts};
use crate::IntrospectError;

/// Asks for names of whatever is mentioned and was not read.
pub(super) async fn resolve(
    session: &mut dyn Session,
    raw: &Raw,
    names: &mut Names<'_>,
) -> Result<(), IntrospectError> {
    let mut sites = depends::unknown(raw, names);
    sites.extend(foreign_keys(raw, names)?);
    sites.extend(parents(raw, names)?);
    if sites.is_empty() {
        return Ok(());
    }
    let sites: Vec<Site> = sites.into_iter().collect();
    let list = |part: fn(&Site) -> i64| Value::Ints(sites.iter().map(|site| Some(part(site))).collect());
    let parameters = [list(|site| site.0), list(|site| site.1), list(|site| site.2)];
    for row in raw::ask(session, "names outside", sql_parts::EXTERNAL, &parameters).await? {
        let mut row = Reader::new(&row, "names outside");
        let at = usize::try_from(row.int()? - 1).unwrap_or_default();
        let (Some(kind), path, arguments) = (row.text_or_null()?, row.texts()?, row.texts()?) else { continue };
        if let (Some(site), Some(object)) = (sites.get(at), object(kind, &path, &arguments)?) {
            names.external.insert(*site, object);
        }
    }
    Ok(())
}

/// Referenced tables and columns that were not read.
fn foreign_keys(raw: &Raw, names: &Names<'_>) -> Result<BTreeSet<Site>, IntrospectError> {
    let mut sites = BTreeSet::new();
    for row in &raw.constraints {
        let key = super::constraints::Raw::read(row)?;
        if key.kind == "f" && names.relation(key.references).is_none() {
            sites.insert((class::CLASS, key.references, 0));
            sites.extend(key.referenced.iter().map(|number| (class::CLASS, key.references, *number)));
        }
    }
    Ok(sites)
}

/// Parents of tables that were not read.
fn parents(raw: &Raw, names: &Names<'_>) -> Result<BTreeSet<Site>, IntrospectError> {
    let mut sites = BTreeSet::new();
    for row in &raw.relations {
        let relation = super::relations::Relation::read(row)?;
        let outside = relation.parents.iter().filter(|parent| names.relation(**parent).is_none());
        sites.extend(outside.map(|parent| (class::CLASS, *parent, 0)));
    }
    Ok(sites)
}

/// The reference for an address as the server gives it.
fn object(kind: &str, path: &[&str], arguments: &[&str]) -> Result<Option<ObjectRef>, IntrospectError> {
    let name = |namespace: &str, name: &str| -> Result<QualName, IntrospectError> {
        Ok(QualName::new(Some(ident(namespace)?), ident(name)?))
    };
    let part = |path: &[&str]| -> Result<Option<PartId>, IntrospectError> {
        let [namespace, table, part] = path else { return Ok(None) };
        Ok(Some(PartId { table: name(namespace, table)?, name: ident(part)? }))
    };
    Ok(match (kind, path) {
        ("table" | "foreign table", [namespace, table]) => Some(ObjectRef::Table(name(namespace, table)?)),
        ("view" | "materialized view", [namespace, view]) => Some(ObjectRef::View(name(namespace, view)?)),
        ("sequence", [namespace, sequence]) => Some(ObjectRef::Sequence(name(namespace, sequence)?)),
        ("composite type", [namespace, composite]) => Some(ObjectRef::Type(name(namespace, composite)?)),
        ("type", [printed]) => Some(ObjectRef::Type(printed_name(printed.trim_end_matches("[]"))?)),
        ("function" | "procedure" | "aggregate", [namespace, routine]) => {
            let (name, arguments) = (name(namespace, routine)?, arguments.join(", "));
            Some(ObjectRef::Routine(RoutineId { name, arguments }))
        }
        (kind, path) if kind.ends_with(" column") => part(path)?.map(ObjectRef::Column),
        _ => None,
    })
}

/// The table that a number stands for, inside or outside.
pub(super) fn table_name(names: &Names<'_>, oid: i64) -> Option<QualName> {
    if let Some(name) = names.relation(oid) {
        return Some(name.clone());
    }
    match names.external.get(&(class::CLASS, oid, 0))? {
        ObjectRef::Table(name) | ObjectRef::View(name) => Some(name.clone()),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => None,
    }
}

/// The column that a number stands for, inside or outside.
pub(super) fn column_name(names: &Names<'_>, relation: i64, number: i64) -> Option<Ident> {
    if let Some(name) = names.column(relation, number) {
        return Some(name.clone());
    }
    match names.external.get(&(class::CLASS, relation, number))? {
        ObjectRef::Column(part) => Some(part.name.clone()),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Index(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => None,
    }
}
