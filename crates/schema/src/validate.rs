//! Contradictions inside a schema that need no server to be seen.

use std::collections::BTreeSet;

use crate::{
    Column, Constraint, ConstraintKind, DataType, DialectId, ForeignKey, Ident, Index, IndexPart, Key, ObjectRef,
    PartId, QualName, Schema, Table, TableKind, UserType, UserTypeKind,
};

/// A contradiction, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} `{object}` {problem}", object.kind())]
pub struct Invalid {
    /// The object that is wrong.
    pub object: ObjectRef,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The schema keeps it under another name than its own.
    #[error("is kept under the name `{0}`")]
    Misplaced(String),
    /// SQLite has no namespaces.
    #[error("is in namespace `{0}`, but SQLite has none")]
    Namespace(Ident),
    /// Only PostgreSQL has tables without columns.
    #[error("has no columns")]
    NoColumns,
    /// Two columns or attributes have one name.
    #[error("has two columns called `{0}`")]
    DuplicateColumn(Ident),
    /// Two constraints that share a name space have one name.
    #[error("has two constraints called `{0}`")]
    DuplicateConstraint(Ident),
    /// Two indexes, or an index and the index of a key, have one name.
    #[error("has two indexes called `{0}`")]
    DuplicateIndex(Ident),
    /// A label is listed twice.
    #[error("has the label `{0}` twice")]
    DuplicateLabel(String),
    /// More than one primary key.
    #[error("has two primary keys")]
    TwoPrimaryKeys,
    /// A key, foreign key or index over nothing.
    #[error("names no columns")]
    NoKeyColumns,
    /// A column that the table does not have.
    #[error("names column `{0}`, which does not exist")]
    UnknownColumn(Ident),
    /// A foreign key has other numbers of columns on its two ends.
    #[error("has {own} columns but references {referenced}")]
    ColumnCount {
        /// Referencing columns.
        own: usize,
        /// Referenced columns.
        referenced: usize,
    },
    /// The referenced table has no such column.
    #[error("references column `{column}`, which table `{table}` does not have")]
    UnknownReferencedColumn {
        /// The referenced table.
        table: QualName,
        /// The column that it lacks.
        column: Ident,
    },
    /// A table or view that is not in the schema, in a namespace that the schema describes.
    #[error("names `{0}`, which is not in the schema")]
    UnknownRelation(QualName),
    /// A type that is not in the schema, in a namespace that the schema describes.
    #[error("has type `{0}`, which is not in the schema")]
    UnknownType(QualName),
    /// A column has two sources of values.
    #[error("has more than one of: a default, a generation expression, an identity")]
    TwoValues,
}

impl Problem {
    /// Whether it is about an object that the schema does not hold, which may yet exist outside its scope.
    #[must_use]
    pub const fn is_dangling(&self) -> bool {
        match self {
            Self::UnknownRelation(_) | Self::UnknownType(_) | Self::UnknownReferencedColumn { .. } => true,
            Self::Misplaced(_)
            | Self::Namespace(_)
            | Self::NoColumns
            | Self::DuplicateColumn(_)
            | Self::DuplicateConstraint(_)
            | Self::DuplicateIndex(_)
            | Self::DuplicateLabel(_)
            | Self::TwoPrimaryKeys
            | Self::NoKeyColumns
            | Self::UnknownColumn(_)
            | Self::ColumnCount { .. }
            | Self::TwoValues => false,
        }
    }
}

/// Every contradiction in `schema`, in the order of its objects.
///
/// A table that a foreign key names may be missing if its namespace holds nothing else of this schema: it is then external.
#[must_use]
pub fn validate(schema: &Schema) -> Vec<Invalid> {
    let mut check = Check { schema, described: described(schema), found: Vec::new() };
    check.places();
    check.namespaces();
    for user_type in schema.types.values() {
        check.user_type(user_type);
    }
    for table in schema.tables.values() {
        check.table(table);
    }
    check.satellites();
    check.found
}

/// Namespaces that the schema declares or puts objects in.
fn described(schema: &Schema) -> BTreeSet<Option<&Ident>> {
    let names =
        schema.tables.keys().chain(schema.views.keys()).chain(schema.types.keys()).chain(schema.sequences.keys());
    schema.namespaces.keys().map(Some).chain(names.map(|name| name.namespace.as_ref())).collect()
}

struct Check<'a> {
    schema: &'a Schema,
    described: BTreeSet<Option<&'a Ident>>,
    found: Vec<Invalid>,
}

impl<'a> Check<'a> {
    fn report(&mut self, object: &ObjectRef, problem: Problem) {
        self.found.push(Invalid { object: object.clone(), problem });
    }

    /// Whether two names may be one: only PostgreSQL always tells cases apart.
    fn same(&self, a: &Ident, b: &Ident) -> bool {
        a == b || (self.schema.dialect != DialectId::Postgres && a.as_str().to_lowercase() == b.as_str().to_lowercase())
    }

    fn same_name(&self, a: &QualName, b: &QualName) -> bool {
        let namespaces = match (&a.namespace, &b.namespace) {
            (Some(a), Some(b)) => self.same(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        namespaces && self.same(&a.name, &b.name)
    }

    fn find_table(&self, name: &QualName) -> Option<&'a Table> {
        let exact = self.schema.tables.get(name);
        exact.or_else(|| {
            let folds = self.schema.dialect != DialectId::Postgres;
            self.schema.tables.values().find(|table| folds && self.same_name(&table.name, name))
        })
    }

    fn has_relation(&self, name: &QualName) -> bool {
        let folds = self.schema.dialect != DialectId::Postgres;
        self.schema.views.contains_key(name)
            || self.find_table(name).is_some()
            || folds && self.schema.views.keys().any(|view| self.same_name(view, name))
    }

    fn is_described(&self, name: &QualName) -> bool {
        self.described.contains(&name.namespace.as_ref())
    }

    fn has_column(&self, table: &Table, name: &Ident) -> bool {
        table.columns.iter().any(|column| self.same(&column.name, name))
    }

    fn places(&mut self) {
        macro_rules! placed {
            ($($map:ident, $($field:ident).+, $variant:ident;)*) => { $(
                for (key, value) in &self.schema.$map {
                    if *key != value.$($field).+ {
                        let object = ObjectRef::$variant(value.$($field).+.clone());
                        self.report(&object, Problem::Misplaced(key.to_string()));
                    }
                }
            )* };
        }
        placed! {
            namespaces, name, Namespace;
            extensions, name, Extension;
            types, name, Type;
            sequences, name, Sequence;
            tables, name, Table;
            views, name, View;
            routines, id, Routine;
            triggers, id, Trigger;
            policies, id, Policy;
            objects, id, Opaque;
        }
    }

    fn namespaces(&mut self) {
        if self.schema.dialect != DialectId::Sqlite {
            return;
        }
        for object in self.schema.object_refs() {
            if let Some(namespace) = object.namespace() {
                let problem = Problem::Namespace(namespace.clone());
                self.report(&object, problem);
            }
        }
    }

    fn user_type(&mut self, user_type: &UserType) {
        let object = ObjectRef::Type(user_type.name.clone());
        match &user_type.kind {
            UserTypeKind::Enum { labels } => {
                let mut seen = BTreeSet::new();
                for label in labels {
                    if !seen.insert(label) {
                        self.report(&object, Problem::DuplicateLabel(label.clone()));
                    }
                }
            }
            UserTypeKind::Domain(domain) => {
                let mut seen = BTreeSet::new();
                for check in &domain.checks {
                    if !seen.insert(&check.name) {
                        self.report(&object, Problem::DuplicateConstraint(check.name.clone()));
                    }
                }
                self.data_type(&object, &domain.base);
            }
            UserTypeKind::Composite { attributes } => {
                let names: Vec<&Ident> = attributes.iter().map(|attribute| &attribute.name).collect();
                self.duplicates(&object, &names, Problem::DuplicateColumn);
                for attribute in attributes {
                    self.data_type(&object, &attribute.data_type);
                }
            }
            UserTypeKind::Range(range) => self.data_type(&object, &range.subtype),
        }
    }

    fn duplicates(&mut self, object: &ObjectRef, names: &[&Ident], problem: fn(Ident) -> Problem) {
        let folds = self.schema.dialect != DialectId::Postgres;
        let mut seen = BTreeSet::new();
        for name in names {
            let key = if folds { name.as_str().to_lowercase() } else { name.as_str().to_owned() };
            if !seen.insert(key) {
                self.report(object, problem((*name).clone()));
            }
        }
    }

    fn data_type(&mut self, object: &ObjectRef, data_type: &DataType) {
        let Some(name) = data_type.type_name().filter(|name| !self.schema.types.contains_key(name)) else { return };
        // Members of extensions are no objects of the schema, and every relation has a row type.
        let outside = !self.schema.extensions.is_empty() || !self.is_described(name) || self.has_relation(name);
        let multirange = |user_type: &UserType| match &user_type.kind {
            UserTypeKind::Range(range) => range.multirange.as_ref() == Some(name),
            UserTypeKind::Enum { .. } | UserTypeKind::Domain(_) | UserTypeKind::Composite { .. } => false,
        };
        if !outside && !self.schema.types.values().any(multirange) {
            self.report(object, Problem::UnknownType(name.clone()));
        }
    }

    fn table(&mut self, table: &Table) {
        let object = ObjectRef::Table(table.name.clone());
        let may_be_empty = self.schema.dialect == DialectId::Postgres || table.kind != TableKind::Ordinary;
        if table.columns.is_empty() && !may_be_empty {
            self.report(&object, Problem::NoColumns);
        }
        let names: Vec<&Ident> = table.columns.iter().map(|column| &column.name).collect();
        self.duplicates(&object, &names, Problem::DuplicateColumn);
        for column in &table.columns {
            self.column(table, column);
        }
        self.constraint_names(table, &object);
        for constraint in &table.constraints {
            self.constraint(table, &object, constraint);
        }
        for index in &table.indexes {
            self.index(table, index);
        }
        for parent in table.inherits.iter().chain(table.partition_of.as_ref().map(|place| &place.parent)) {
            self.relation(&object, parent);
        }
    }

    fn column(&mut self, table: &Table, column: &Column) {
        let object = ObjectRef::Column(PartId { table: table.name.clone(), name: column.name.clone() });
        let sources = [column.default.is_some(), column.generated.is_some(), column.identity.is_some()];
        if sources.iter().filter(|has| **has).count() > 1 {
            self.report(&object, Problem::TwoValues);
        }
        self.data_type(&object, &column.data_type);
    }

    fn constraint_names(&mut self, table: &Table, object: &ObjectRef) {
        let mut keys = Vec::new();
        let mut foreign = Vec::new();
        let mut checks = Vec::new();
        let mut primary = 0;
        for constraint in &table.constraints {
            primary += usize::from(matches!(constraint.kind, ConstraintKind::PrimaryKey(_)));
            let Some(name) = &constraint.name else { continue };
            match &constraint.kind {
                ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => {
                    keys.push(name);
                }
                ConstraintKind::ForeignKey(_) => foreign.push(name),
                ConstraintKind::Check { column: None, .. } => checks.push(name),
                // A check written at a column has the column's name, in a name space of its own.
                ConstraintKind::Check { column: Some(_), .. } => {}
            }
        }
        if primary > 1 {
            self.report(object, Problem::TwoPrimaryKeys);
        }
        let index_names = table.indexes.iter().map(|index| &index.name);
        match self.schema.dialect {
            DialectId::Postgres => {
                let all: Vec<&Ident> = keys.iter().chain(&foreign).chain(&checks).copied().collect();
                self.duplicates(object, &all, Problem::DuplicateConstraint);
                keys.extend(index_names);
                self.duplicates(object, &keys, Problem::DuplicateIndex);
            }
            DialectId::MySql | DialectId::MariaDb => {
                keys.extend(index_names);
                self.duplicates(object, &keys, Problem::DuplicateIndex);
                self.duplicates(object, &foreign, Problem::DuplicateConstraint);
                self.duplicates(object, &checks, Problem::DuplicateConstraint);
            }
            // Constraint names mean nothing to SQLite.
            DialectId::Sqlite => self.duplicates(object, &index_names.collect::<Vec<_>>(), Problem::DuplicateIndex),
        }
    }

    fn constraint(&mut self, table: &Table, owner: &ObjectRef, constraint: &Constraint) {
        let named = constraint.name.clone().map(|name| PartId { table: table.name.clone(), name });
        let object = named.map_or_else(|| owner.clone(), ObjectRef::Constraint);
        match &constraint.kind {
            ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => self.key(table, &object, key),
            ConstraintKind::Check { column, .. } => {
                self.columns(table, &object, column.iter());
            }
            ConstraintKind::ForeignKey(key) => self.foreign_key(table, &object, key),
            ConstraintKind::Exclude { .. } => {}
        }
    }

    fn key(&mut self, table: &Table, object: &ObjectRef, key: &Key) {
        if key.columns.is_empty() {
            self.report(object, Problem::NoKeyColumns);
        }
        self.columns(table, object, key.columns.iter().filter_map(IndexPart::column_name).chain(&key.include));
    }

    fn index(&mut self, table: &Table, index: &Index) {
        let object = ObjectRef::Index(PartId { table: table.name.clone(), name: index.name.clone() });
        if index.parts.is_empty() {
            self.report(&object, Problem::NoKeyColumns);
        }
        self.columns(table, &object, index.parts.iter().filter_map(IndexPart::column_name).chain(&index.include));
    }

    fn columns<'n>(&mut self, table: &Table, object: &ObjectRef, names: impl Iterator<Item = &'n Ident>) {
        for name in names {
            if !self.has_column(table, name) {
                self.report(object, Problem::UnknownColumn(name.clone()));
            }
        }
    }

    fn foreign_key(&mut self, table: &Table, object: &ObjectRef, key: &ForeignKey) {
        if key.columns.is_empty() {
            self.report(object, Problem::NoKeyColumns);
        }
        self.columns(table, object, key.columns.iter().chain(&key.on_delete_columns));
        let target = self.find_table(&key.references);
        let referenced = match (key.referenced_columns.len(), target) {
            // SQLite finds out when a row is written, and keeps such a table until then.
            (0, Some(_)) if self.schema.dialect == DialectId::Sqlite => None,
            (0, Some(target)) => target.primary_key().map(|primary| primary.columns.len()),
            (0, None) => None,
            (listed, _) => Some(listed),
        };
        if let Some(referenced) = referenced.filter(|count| *count != key.columns.len()) {
            self.report(object, Problem::ColumnCount { own: key.columns.len(), referenced });
        }
        let Some(target) = target else { return self.relation(object, &key.references) };
        for column in &key.referenced_columns {
            if !self.has_column(target, column) {
                let problem = Problem::UnknownReferencedColumn { table: target.name.clone(), column: column.clone() };
                self.report(object, problem);
            }
        }
    }

    fn relation(&mut self, object: &ObjectRef, name: &QualName) {
        if self.is_described(name) && !self.has_relation(name) {
            self.report(object, Problem::UnknownRelation(name.clone()));
        }
    }

    /// What hangs on a table or view: triggers, policies, owned sequences, indexes of views.
    fn satellites(&mut self) {
        for id in self.schema.triggers.keys() {
            self.relation(&ObjectRef::Trigger(id.clone()), &id.table);
        }
        for id in self.schema.policies.keys() {
            self.relation(&ObjectRef::Policy(id.clone()), &id.table);
        }
        for sequence in self.schema.sequences.values() {
            let object = ObjectRef::Sequence(sequence.name.clone());
            let Some(owner) = &sequence.owned_by else { continue };
            match self.find_table(&owner.table) {
                Some(table) => self.columns(table, &object, std::iter::once(&owner.name)),
                None => self.relation(&object, &owner.table),
            }
        }
        for view in self.schema.views.values() {
            let object = ObjectRef::View(view.name.clone());
            let names: Vec<&Ident> = view.columns.iter().map(|column| &column.name).collect();
            self.duplicates(&object, &names, Problem::DuplicateColumn);
            let names: Vec<&Ident> = view.indexes.iter().map(|index| &index.name).collect();
            self.duplicates(&object, &names, Problem::DuplicateIndex);
        }
    }
}

#[cfg(test)]
mod tests;
