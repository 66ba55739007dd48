//! Names that differ in letter case only, on servers that take both for one.

use std::collections::BTreeMap;

use trueup_dialect::Dialect;
use trueup_schema::{Ident, ObjectRef, PartId, QualName, Schema, Table};

use crate::hints::Renaming;

/// Tables whose declared name is spelled otherwise.
pub(crate) fn tables(live: &Schema, desired: &Schema, dialect: &dyn Dialect) -> Vec<Renaming> {
    let known = Folded::of(live.tables.keys(), dialect);
    let missing = desired.tables.keys().filter(|name| !live.tables.contains_key(name));
    let renames = missing.filter_map(|to| Some((known.get(to)?, to))).map(|(from, to)| Renaming {
        from: ObjectRef::Table(from.clone()),
        to: ObjectRef::Table(to.clone()),
        source: None,
    });
    renames.collect()
}

/// Columns whose declared name is spelled otherwise, in tables that have their declared names.
pub(crate) fn columns(live: &Schema, desired: &Schema, dialect: &dyn Dialect) -> Vec<Renaming> {
    let mut renames = Vec::new();
    for after in desired.tables.values() {
        let Some(before) = live.tables.get(&after.name) else { continue };
        let part = |name| ObjectRef::Column(PartId { table: after.name.clone(), name });
        let found = pairs(&column_names(before), &column_names(after), dialect);
        renames.extend(found.into_iter().map(|(from, to)| Renaming { from: part(from), to: part(to), source: None }));
    }
    renames
}

/// Gives what cannot be renamed at no cost (views, and indexes and constraints on servers that rename none) the declared spelling,
/// and says so: making a thing anew for its spelling is not worth a lock.
pub(crate) fn align(live: &mut Schema, desired: &Schema, dialect: &dyn Dialect) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |kind: &str, from: &Ident, to: &Ident| {
        notes.push(format!("{kind} `{from}` stays spelled so; the declaration spells it `{to}`"));
    };
    let known = Folded::of(live.views.keys(), dialect);
    let missing = desired.views.keys().filter(|name| !live.views.contains_key(name));
    let views: Vec<_> = missing.filter_map(|to| Some((known.get(to)?.clone(), to))).collect();
    for (from, to) in views {
        if live.rename_view(&from, to).is_ok() {
            note("view", &from.name, &to.name);
        }
    }
    let can = dialect.capabilities();
    let known = Folded::of(live.tables.keys(), dialect);
    let tables: Vec<_> =
        desired.tables.values().filter_map(|after| Some((known.get(&after.name)?.clone(), after))).collect();
    for (name, after) in tables {
        let Some(before) = live.tables.get(&name) else { continue };
        let indexes =
            if can.rename_index { Vec::new() } else { pairs(&index_names(before), &index_names(after), dialect) };
        let constraints = if can.rename_constraint {
            Vec::new()
        } else {
            pairs(&constraint_names(before), &constraint_names(after), dialect)
        };
        for (from, to) in indexes {
            if live.rename_index(&name, &from, &to).is_ok() {
                note("index", &from, &to);
            }
        }
        for (from, to) in constraints {
            if live.rename_constraint(&name, &from, &to).is_ok() {
                note("constraint", &from, &to);
            }
        }
    }
    notes
}

/// Live names by what the server makes of them.
struct Folded<'a> {
    names: BTreeMap<(Option<Ident>, String), QualName>,
    dialect: &'a dyn Dialect,
}

impl<'a> Folded<'a> {
    fn of<'n>(names: impl Iterator<Item = &'n QualName>, dialect: &'a dyn Dialect) -> Self {
        let key = |name: &QualName| (name.namespace.clone(), dialect.fold(&name.name));
        Self { names: names.map(|name| (key(name), name.clone())).collect(), dialect }
    }

    fn get(&self, name: &QualName) -> Option<&QualName> {
        self.names.get(&(name.namespace.clone(), self.dialect.fold(&name.name)))
    }
}

/// Live and declared spellings of the names that differ in nothing else.
fn pairs(live: &[Ident], declared: &[Ident], dialect: &dyn Dialect) -> Vec<(Ident, Ident)> {
    let missing = declared.iter().filter(|to| !live.contains(to));
    let found = missing.filter_map(|to| {
        let folded = dialect.fold(to);
        let from = live.iter().find(|from| dialect.fold(from) == folded)?;
        Some((from.clone(), to.clone()))
    });
    found.collect()
}

fn column_names(table: &Table) -> Vec<Ident> {
    table.columns.iter().map(|each| each.name.clone()).collect()
}

fn index_names(table: &Table) -> Vec<Ident> {
    table.indexes.iter().map(|each| each.name.clone()).collect()
}

fn constraint_names(table: &Table) -> Vec<Ident> {
    table.constraints.iter().filter_map(|each| each.name.clone()).collect()
}
