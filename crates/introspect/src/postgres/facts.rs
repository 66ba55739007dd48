//! What planning wants to know besides the schema.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::{CastContext, LiveFacts, Server, TableSize};
use trueup_schema::{DialectId, Ident, ObjectRef, QualName};
use trueup_session::{ServerInfo, Session, Value};

use super::build::Context;
use super::raw::ask;
use super::reader::Reader;
use super::relations::Relation;
use super::sql::{self, class};
use crate::IntrospectError;

/// Facts about the server and, where they were asked for, about the data.
pub(super) fn facts(context: &Context<'_>, server: &ServerInfo) -> Result<LiveFacts, IntrospectError> {
    let default_namespace = server.default_namespace.as_ref().and_then(|name| Ident::new(name).ok());
    let mut facts = LiveFacts::of(Server { dialect: DialectId::Postgres, version: server.version, default_namespace });
    facts.taken = taken(context)?;
    let raw = context.raw;
    for (name, value) in [
        ("server_encoding", &raw.encoding),
        ("default_collation", &raw.collate),
        ("lc_ctype", &raw.ctype),
        ("current_user", &raw.current_user),
        ("lock_table", &raw.lock_table),
    ] {
        facts.settings.insert(name.to_owned(), value.clone());
    }
    if context.request.facts {
        facts.sizes = sizes(context)?;
        facts.lacking = lacking(context)?;
        catalog_facts(context, &mut facts)?;
    }
    Ok(facts)
}

fn catalog_facts(context: &Context<'_>, facts: &mut LiveFacts) -> Result<(), IntrospectError> {
    for row in &context.raw.facts {
        let mut row = Reader::new(row, "facts");
        let (kind, first) = (row.text()?, row.text()?.to_owned());
        let (second, word) = (row.text_or_null()?, row.text_or_null()?);
        match (kind, second) {
            ("cast", Some(second)) => {
                let how = match word {
                    Some("i") => CastContext::Implicit,
                    Some("a") => CastContext::Assignment,
                    _ => CastContext::Explicit,
                };
                facts.casts.insert((first, second.to_owned()), how);
            }
            ("no-equality", _) => drop(facts.without_equality.insert(first)),
            ("role", _) => drop(facts.roles.insert(first)),
            ("namespace", _) => {
                let control = context.request.control_namespace.as_ref();
                let name = Ident::new(first).ok().filter(|name| Some(name) != control);
                facts.namespaces.extend(name);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads how large the tables are of which `facts` knows the rows. An estimate of nothing is no proof: only a table without a single page
/// is known to be empty. A partitioned table has no pages of its own, and says nothing of its partitions'.
///
/// # Errors
/// [`IntrospectError`] if the server refuses the question.
pub async fn measure(session: &mut dyn Session, facts: &mut LiveFacts) -> Result<(), IntrospectError> {
    let namespaces: BTreeSet<&str> =
        facts.sizes.keys().filter_map(|name| name.namespace.as_ref()).map(Ident::as_str).collect();
    let scope = Value::Texts(namespaces.into_iter().map(|name| Some(name.to_owned())).collect());
    for row in ask(session, "sizes of tables", sql::SIZES, &[scope]).await? {
        let mut row = Reader::new(&row, "sizes of tables");
        let name = QualName::new(Some(row.ident()?), row.ident()?);
        // a table that went meanwhile has none
        let bytes = row.int_or_null()?.and_then(|bytes| u64::try_from(bytes).ok());
        if let (Some(size), Some(bytes)) = (facts.sizes.get_mut(&name), bytes) {
            size.bytes = bytes;
            size.empty = bytes == 0;
        }
    }
    Ok(())
}

/// How many rows each table has as far as the server has counted.
fn sizes(context: &Context<'_>) -> Result<BTreeMap<QualName, TableSize>, IntrospectError> {
    let mut found = BTreeMap::new();
    for row in &context.raw.relations {
        let relation = Relation::read(row)?;
        let Some(ObjectRef::Table(name)) = context.names.objects.get(&(class::CLASS, relation.oid)) else { continue };
        let rows = relation.rows.and_then(|rows| u64::try_from(rows).ok());
        found.insert(name.clone(), TableSize { rows, bytes: 0, empty: false });
    }
    Ok(found)
}

/// Names of members of extensions, which no new object may have.
fn taken(context: &Context<'_>) -> Result<BTreeSet<QualName>, IntrospectError> {
    let mut found = BTreeSet::new();
    for row in &context.raw.types {
        let mut row = Reader::new(row, "types");
        let (oid, namespace) = (row.int()?, row.int()?);
        if context.names.extension_of(class::TYPE, oid).is_some() {
            found.insert(context.names.qualified(namespace, row.ident()?)?);
        }
    }
    let members = context.names.objects.iter().filter(|((class, oid), _)| {
        matches!(*class, class::CLASS | class::TYPE) && context.names.extension_of(*class, *oid).is_some()
    });
    found.extend(members.filter_map(|(_, object)| match object {
        ObjectRef::Type(name) | ObjectRef::Sequence(name) | ObjectRef::Table(name) | ObjectRef::View(name) => {
            Some(name.clone())
        }
        ObjectRef::Index(part) => Some(part.table.sibling(part.name.clone())),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Column(_)
        | ObjectRef::Constraint(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => None,
    }));
    Ok(found)
}

fn lacking(context: &Context<'_>) -> Result<Vec<String>, IntrospectError> {
    let mut words = Vec::new();
    for number in &context.raw.namespaces {
        if let Some(entry) = context.names.namespaces.get(number).filter(|entry| !entry.may_create) {
            words.push(format!("may not create anything in namespace `{}`", entry.name));
        }
    }
    for row in &context.raw.relations {
        let relation = Relation::read(row)?;
        let member = context.names.extension_of(class::CLASS, relation.oid).is_some();
        if !relation.is_ours
            && !member
            && let Some(object) = context.names.objects.get(&(class::CLASS, relation.oid))
        {
            words.push(format!("does not own {} `{object}`, which `{}` does", object.kind(), relation.owner));
        }
    }
    Ok(words)
}
