//! The structured mentions of names in a schema.

use std::collections::BTreeMap;

use crate::{
    Column, Common, Constraint, ConstraintKind, DataType, Dependency, Ident, Index, IndexPart, Keyed, ObjectRef,
    PartId, QualName, Schema, Table, UserType, UserTypeKind, View,
};

/// The mention of a name. Hints (`renamed_from`) are old names and no mentions; names inside SQL text are not structured.
#[derive(Debug)]
#[non_exhaustive]
pub enum Mention<'a> {
    /// A namespace by itself.
    Namespace(&'a mut Ident),
    /// A table, view or materialized view.
    Relation(&'a mut QualName),
    /// A named type. The row type of a table is one too.
    Type(&'a mut QualName),
    /// A sequence.
    Sequence(&'a mut QualName),
    /// The name of a routine.
    Routine(&'a mut QualName),
    /// An index, mentioned by its own qualified name.
    Index(&'a mut QualName),
    /// A collation or operator class, which is no object of the schema but lives in a namespace.
    Outside(&'a mut QualName),
    /// A part of a table or view.
    Part {
        /// What it is.
        kind: PartKind,
        /// The table or view, under the name that it had before this walk.
        table: &'a QualName,
        /// The part's name.
        name: &'a mut Ident,
    },
}

/// What a part of a table or view is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// A column.
    Column,
    /// A constraint.
    Constraint,
    /// An index.
    Index,
    /// A trigger.
    Trigger,
    /// A policy.
    Policy,
}

type Visit<'v> = &'v mut dyn FnMut(Mention<'_>);

impl Schema {
    /// Hands every structured mention of a name to `visit` for change: objects' own names, columns of keys and indexes, both ends
    /// of foreign keys, owned sequences, partition parents, dependencies, grants on columns, types. Objects are kept under their
    /// new names then; of two that have one name then, the later is lost, so that a caller checks for that first.
    pub fn visit_names_mut(&mut self, visit: &mut dyn FnMut(Mention<'_>)) {
        remake(&mut self.namespaces, |each| {
            visit(Mention::Namespace(&mut each.name));
            common(None, &mut each.common, visit);
        });
        remake(&mut self.extensions, |each| {
            each.namespace.iter_mut().for_each(|name| visit(Mention::Namespace(name)));
            common(None, &mut each.common, visit);
        });
        remake(&mut self.types, |each| user_type(each, visit));
        remake(&mut self.sequences, |each| {
            visit(Mention::Sequence(&mut each.name));
            each.owned_by.iter_mut().for_each(|id| part(PartKind::Column, id, visit));
            common(None, &mut each.common, visit);
        });
        remake(&mut self.tables, |each| table(each, visit));
        remake(&mut self.views, |each| view(each, visit));
        remake(&mut self.routines, |each| {
            visit(Mention::Routine(&mut each.id.name));
            common(None, &mut each.common, visit);
        });
        remake(&mut self.triggers, |each| {
            part(PartKind::Trigger, &mut each.id, visit);
            dependencies(&mut each.depends_on, visit);
        });
        remake(&mut self.policies, |each| {
            part(PartKind::Policy, &mut each.id, visit);
            dependencies(&mut each.depends_on, visit);
        });
        remake(&mut self.objects, |each| {
            each.id.namespace.iter_mut().for_each(|name| visit(Mention::Namespace(name)));
            each.id.table.iter_mut().for_each(|name| visit(Mention::Relation(name)));
            common(None, &mut each.common, visit);
        });
    }
}

/// Changes every value and keeps it under its new key.
fn remake<V: Keyed>(map: &mut BTreeMap<V::Key, V>, mut change: impl FnMut(&mut V)) {
    let values = std::mem::take(map).into_values().map(|mut value| {
        change(&mut value);
        (value.key(), value)
    });
    *map = values.collect();
}

fn columns<'c>(table: &QualName, names: impl IntoIterator<Item = &'c mut Ident>, visit: Visit<'_>) {
    for name in names {
        visit(Mention::Part { kind: PartKind::Column, table, name });
    }
}

fn part(kind: PartKind, id: &mut PartId, visit: Visit<'_>) {
    let table = id.table.clone();
    visit(Mention::Part { kind, table: &table, name: &mut id.name });
    visit(Mention::Relation(&mut id.table));
}

fn common(owner: Option<&QualName>, common: &mut Common, visit: Visit<'_>) {
    if let Some(owner) = owner {
        let grants = common.grants.iter_mut().flatten();
        columns(owner, grants.filter_map(|grant| grant.column.as_mut()), visit);
    }
    dependencies(&mut common.depends_on, visit);
}

fn dependencies(list: &mut [Dependency], visit: Visit<'_>) {
    for dependency in list {
        match &mut dependency.on {
            ObjectRef::Namespace(name) => visit(Mention::Namespace(name)),
            ObjectRef::Extension(_) => {}
            ObjectRef::Type(name) => visit(Mention::Type(name)),
            ObjectRef::Sequence(name) => visit(Mention::Sequence(name)),
            ObjectRef::Table(name) | ObjectRef::View(name) => visit(Mention::Relation(name)),
            ObjectRef::Column(id) => part(PartKind::Column, id, visit),
            ObjectRef::Constraint(id) => part(PartKind::Constraint, id, visit),
            ObjectRef::Index(id) => part(PartKind::Index, id, visit),
            ObjectRef::Trigger(id) => part(PartKind::Trigger, id, visit),
            ObjectRef::Policy(id) => part(PartKind::Policy, id, visit),
            ObjectRef::Routine(id) => visit(Mention::Routine(&mut id.name)),
            ObjectRef::Opaque(id) => {
                id.namespace.iter_mut().for_each(|name| visit(Mention::Namespace(name)));
                id.table.iter_mut().for_each(|name| visit(Mention::Relation(name)));
            }
        }
    }
}

fn data_type(data_type: &mut DataType, visit: Visit<'_>) {
    match data_type {
        DataType::Named(named) => visit(Mention::Type(&mut named.name)),
        DataType::Builtin(_) => {}
    }
}

fn user_type(each: &mut UserType, visit: Visit<'_>) {
    visit(Mention::Type(&mut each.name));
    match &mut each.kind {
        UserTypeKind::Enum { .. } => {}
        UserTypeKind::Domain(domain) => {
            data_type(&mut domain.base, visit);
            domain.collation.iter_mut().for_each(|name| visit(Mention::Outside(name)));
            domain.checks.iter_mut().for_each(|check| dependencies(&mut check.depends_on, visit));
        }
        UserTypeKind::Composite { attributes } => {
            for attribute in attributes {
                data_type(&mut attribute.data_type, visit);
                attribute.collation.iter_mut().for_each(|name| visit(Mention::Outside(name)));
            }
        }
        UserTypeKind::Range(range) => {
            data_type(&mut range.subtype, visit);
            range.opclass.iter_mut().for_each(|name| visit(Mention::Outside(name)));
            range.collation.iter_mut().for_each(|name| visit(Mention::Outside(name)));
            range.canonical.iter_mut().for_each(|name| visit(Mention::Routine(name)));
            range.subtype_diff.iter_mut().for_each(|name| visit(Mention::Routine(name)));
            range.multirange.iter_mut().for_each(|name| visit(Mention::Type(name)));
        }
    }
    common(None, &mut each.common, visit);
}

fn table(each: &mut Table, visit: Visit<'_>) {
    let name = each.name.clone();
    visit(Mention::Relation(&mut each.name));
    each.columns.iter_mut().for_each(|each| column(&name, each, visit));
    each.constraints.iter_mut().for_each(|each| constraint(&name, each, visit));
    each.indexes.iter_mut().for_each(|each| index(&name, each, visit));
    replica_identity(&name, &mut each.options.replica_identity, visit);
    each.inherits.iter_mut().for_each(|parent| visit(Mention::Relation(parent)));
    if let Some(place) = &mut each.partition_of {
        visit(Mention::Relation(&mut place.parent));
    }
    common(Some(&name), &mut each.common, visit);
}

/// The one mention of an index that is written in a text.
fn replica_identity(table: &QualName, identity: &mut Option<String>, visit: Visit<'_>) {
    let named = identity.as_deref().and_then(|text| text.strip_prefix("index ")).map(Ident::new);
    if let Some(Ok(mut name)) = named {
        visit(Mention::Part { kind: PartKind::Index, table, name: &mut name });
        *identity = Some(format!("index {}", name.as_str()));
    }
}

fn column(table: &QualName, each: &mut Column, visit: Visit<'_>) {
    columns(table, [&mut each.name], visit);
    data_type(&mut each.data_type, visit);
    each.collation.iter_mut().for_each(|name| visit(Mention::Outside(name)));
    let sequence = each.identity.as_mut().and_then(|identity| identity.sequence.as_mut());
    if let Some(name) = sequence {
        visit(Mention::Sequence(name));
    }
    dependencies(&mut each.depends_on, visit);
}

fn parts(table: &QualName, list: &mut [IndexPart], visit: Visit<'_>) {
    for each in list {
        match &mut each.key {
            crate::IndexKey::Column(name) => columns(table, [name], visit),
            crate::IndexKey::Expr(_) => {}
        }
        each.collation.iter_mut().for_each(|name| visit(Mention::Outside(name)));
    }
}

fn constraint(table: &QualName, each: &mut Constraint, visit: Visit<'_>) {
    if let Some(name) = &mut each.name {
        visit(Mention::Part { kind: PartKind::Constraint, table, name });
    }
    match &mut each.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => {
            parts(table, &mut key.columns, visit);
            columns(table, &mut key.include, visit);
        }
        ConstraintKind::Check { column, .. } => columns(table, column, visit),
        ConstraintKind::ForeignKey(key) => {
            columns(table, key.columns.iter_mut().chain(&mut key.on_delete_columns), visit);
            let target = key.references.clone();
            columns(&target, &mut key.referenced_columns, visit);
            visit(Mention::Relation(&mut key.references));
        }
        ConstraintKind::Exclude { .. } => {}
    }
    dependencies(&mut each.depends_on, visit);
}

fn index(table: &QualName, each: &mut Index, visit: Visit<'_>) {
    visit(Mention::Part { kind: PartKind::Index, table, name: &mut each.name });
    parts(table, &mut each.parts, visit);
    columns(table, &mut each.include, visit);
    each.partition_of.iter_mut().for_each(|name| visit(Mention::Index(name)));
    dependencies(&mut each.depends_on, visit);
}

fn view(each: &mut View, visit: Visit<'_>) {
    let name = each.name.clone();
    visit(Mention::Relation(&mut each.name));
    columns(&name, each.columns.iter_mut().map(|column| &mut column.name), visit);
    each.indexes.iter_mut().for_each(|each| index(&name, each, visit));
    common(Some(&name), &mut each.common, visit);
}
