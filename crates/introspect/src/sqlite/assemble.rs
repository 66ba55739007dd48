//! From entries of the catalog to a schema.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::sqlite::grammar::{self, GrammarError};
use trueup_plan::Unmanaged;
use trueup_schema::{Ident, IndexKey, IndexPart, PartId, QualName, Schema, SqlExpr, Table, TableKind};

use super::catalog::Entry;
use crate::IntrospectError;

/// What was read, besides the schema.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// What is not understood or not known.
    pub(super) unmanaged: Vec<Unmanaged>,
    /// Names of tables that are no objects.
    pub(super) taken: BTreeSet<QualName>,
}

/// Puts every entry where it belongs. `modules` are the modules of virtual tables that this SQLite has.
pub(super) fn assemble(
    schema: &mut Schema,
    entries: Vec<Entry>,
    modules: &BTreeSet<String>,
) -> Result<Rest, IntrospectError> {
    let mut rest = Rest::default();
    let mut parts = Vec::new();
    for entry in entries {
        let (Some(sql), false) = (&entry.sql, is_internal(&entry)) else { continue };
        match entry.kind.as_str() {
            "table" => self::table(schema, &mut rest, &entry, sql)?,
            "view" => view(schema, &mut rest, &entry, sql)?,
            _ => parts.push(entry),
        }
    }
    take_unlisted_shadows(schema, &mut rest, modules);
    let places = Places::of(schema, &rest);
    for entry in parts {
        let Some(sql) = entry.sql.as_deref() else { continue };
        match (entry.kind.as_str(), places.of_part(&entry)) {
            (_, Place::Hidden) => {}
            ("index", Place::Known(table)) => index(schema, &mut rest, &entry, sql, &table)?,
            ("trigger", Place::Known(table)) => trigger(schema, &mut rest, &entry, sql, table)?,
            (_, Place::Known(_) | Place::Unknown) => rest.unmanaged.push(unmanaged(&entry)?),
        }
    }
    Ok(rest)
}

/// SQLite's own tables and trueup's.
fn is_internal(entry: &Entry) -> bool {
    let internal = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.starts_with("sqlite_") || name.starts_with("_trueup_")
    };
    internal(&entry.name) || internal(&entry.table)
}

fn ident(name: &str) -> Result<Ident, IntrospectError> {
    Ident::new(name).map_err(|error| IntrospectError::Catalog {
        object: format!("`{}`", name.escape_debug()),
        why: error.to_string(),
    })
}

fn unqualified(name: &str) -> Result<QualName, IntrospectError> {
    Ok(QualName::new(None, ident(name)?))
}

fn unmanaged(entry: &Entry) -> Result<Unmanaged, IntrospectError> {
    Ok(Unmanaged {
        kind: entry.kind.clone(),
        name: entry.name.clone(),
        namespace: None,
        table: if entry.table == entry.name { None } else { Some(unqualified(&entry.table)?) },
        definition: entry.sql.clone().unwrap_or_default(),
        depends_on: Vec::new(),
    })
}

/// An entry whose text is not understood is left alone, not guessed at.
fn understood<T>(read: Result<T, GrammarError>, rest: &mut Rest, entry: &Entry) -> Result<Option<T>, IntrospectError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            tracing::warn!(kind = entry.kind, name = entry.name, %error, "not understood");
            rest.unmanaged.push(unmanaged(entry)?);
            Ok(None)
        }
    }
}

fn table(schema: &mut Schema, rest: &mut Rest, entry: &Entry, sql: &str) -> Result<(), IntrospectError> {
    let name = unqualified(&entry.name)?;
    if entry.listed.as_deref() == Some("shadow") {
        rest.taken.insert(name);
        return Ok(());
    }
    match understood(grammar::table(sql), rest, entry)? {
        Some(mut table) => {
            table.name = name;
            schema.insert(table);
        }
        None => drop(rest.taken.insert(name)),
    }
    Ok(())
}

fn view(schema: &mut Schema, rest: &mut Rest, entry: &Entry, sql: &str) -> Result<(), IntrospectError> {
    let name = unqualified(&entry.name)?;
    match understood(grammar::view(sql), rest, entry)? {
        Some(mut view) => {
            view.name = name;
            schema.insert(view);
        }
        None => drop(rest.taken.insert(name)),
    }
    Ok(())
}

fn index(
    schema: &mut Schema,
    rest: &mut Rest,
    entry: &Entry,
    sql: &str,
    table: &QualName,
) -> Result<(), IntrospectError> {
    if let Some((_, mut index)) = understood(grammar::index(sql), rest, entry)? {
        index.name = ident(&entry.name)?;
        if let Some(table) = schema.tables.get_mut(table) {
            index.parts.iter_mut().for_each(|part| string_for_name(part, table));
            table.indexes.push(index);
        }
    }
    Ok(())
}

/// What stands in double quotes and is no column is a string to SQLite, the same for every row.
fn string_for_name(part: &mut IndexPart, table: &Table) {
    if let IndexKey::Column(name) = &part.key
        && !table.columns.iter().any(|column| column.name.as_str().eq_ignore_ascii_case(name.as_str()))
    {
        part.key = IndexKey::Expr(SqlExpr::new(format!("\"{}\"", name.as_str().replace('"', "\"\""))));
    }
}

fn trigger(
    schema: &mut Schema,
    rest: &mut Rest,
    entry: &Entry,
    sql: &str,
    table: QualName,
) -> Result<(), IntrospectError> {
    if let Some(mut trigger) = understood(grammar::trigger(sql), rest, entry)? {
        trigger.id = PartId { table, name: ident(&entry.name)? };
        schema.insert(trigger);
    }
    Ok(())
}

/// Without its module nobody can say which tables a virtual table keeps its rows in. Every name that could be one of theirs is then
/// left alone.
fn take_unlisted_shadows(schema: &mut Schema, rest: &mut Rest, modules: &BTreeSet<String>) {
    let is_orphan = |table: &&Table| match &table.kind {
        TableKind::Virtual { using } => {
            let module =
                using.as_str().split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).nth(1);
            module.is_none_or(|module| !modules.contains(&module.to_ascii_lowercase()))
        }
        TableKind::Ordinary | TableKind::Foreign { .. } => false,
    };
    let fold = |name: &QualName| name.name.as_str().to_ascii_lowercase();
    let prefixes: Vec<String> =
        schema.tables.values().filter(is_orphan).map(|table| format!("{}_", fold(&table.name))).collect();
    let is_shadow = |table: &Table| {
        table.kind == TableKind::Ordinary && prefixes.iter().any(|prefix| fold(&table.name).starts_with(prefix))
    };
    let shadows: Vec<QualName> =
        schema.tables.values().filter(|table| is_shadow(table)).map(|it| it.name.clone()).collect();
    for shadow in shadows {
        schema.tables.remove(&shadow);
        rest.taken.insert(shadow);
    }
}

/// Where the table or view of a part is.
enum Place {
    /// In the schema.
    Known(QualName),
    /// It is a shadow table.
    Hidden,
    /// It is not managed.
    Unknown,
}

/// Tables and views by folded name: an index or trigger may spell them otherwise.
struct Places {
    known: BTreeMap<String, QualName>,
    hidden: BTreeSet<String>,
}

impl Places {
    fn of(schema: &Schema, rest: &Rest) -> Self {
        let fold = |name: &QualName| name.name.as_str().to_ascii_lowercase();
        let names = schema.tables.keys().chain(schema.views.keys());
        let unmanaged: BTreeSet<String> = rest.unmanaged.iter().map(|it| it.name.to_ascii_lowercase()).collect();
        Self {
            known: names.map(|name| (fold(name), name.clone())).collect(),
            hidden: rest.taken.iter().map(fold).filter(|name| !unmanaged.contains(name)).collect(),
        }
    }

    fn of_part(&self, entry: &Entry) -> Place {
        let name = entry.table.to_ascii_lowercase();
        match self.known.get(&name) {
            Some(table) => Place::Known(table.clone()),
            None if self.hidden.contains(&name) => Place::Hidden,
            None => Place::Unknown,
        }
    }
}
