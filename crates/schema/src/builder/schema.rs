//! The builder of the whole.

use std::collections::BTreeSet;

use super::name::Shared;
use super::{
    BuildError, BuildErrors, DomainBuilder, ObjectBuilder, SequenceBuilder, TableBuilder, ToIdent, ToQualName,
    TypeSpec, ViewBuilder,
};
use crate::{
    Attribute, Common, DialectId, Domain, Extension, Keyed, Namespace, Problem, QualName, Schema, Sequence,
    SequenceOptions, SqlExpr, Table, UserType, UserTypeKind, View, validate,
};

/// Builds a [`Schema`]. Made by [`Schema::build`].
#[derive(Debug, Clone)]
pub struct SchemaBuilder {
    schema: Schema,
    shared: Shared,
    external: BTreeSet<QualName>,
}

impl Schema {
    /// Starts a schema for `dialect`.
    #[must_use]
    pub const fn build(dialect: DialectId) -> SchemaBuilder {
        let shared = Shared { dialect, namespace: None, errors: Vec::new() };
        SchemaBuilder { schema: Self::new(dialect), shared, external: BTreeSet::new() }
    }
}

impl SchemaBuilder {
    /// The engine that the schema is for.
    #[must_use]
    pub const fn dialect(&self) -> DialectId {
        self.shared.dialect
    }

    /// From here on, names without a namespace are in `name`.
    pub fn default_namespace(&mut self, name: impl ToIdent) -> &mut Self {
        self.shared.require(&NAMESPACED, "namespaces", || "the default namespace".to_owned());
        self.shared.namespace = Some(self.shared.ident(name, || "the default namespace".to_owned()));
        self
    }

    /// Says that a table exists outside this schema, so that foreign keys may name it.
    pub fn external(&mut self, table: impl ToQualName) -> &mut Self {
        let name = self.shared.qual_name(table, || "an external table".to_owned());
        self.external.insert(name);
        self
    }

    /// Adds a namespace: a PostgreSQL schema, a MySQL or MariaDB database.
    pub fn namespace(&mut self, name: impl ToIdent) -> ObjectBuilder<'_> {
        self.shared.require(&NAMESPACED, "namespaces", || "a namespace".to_owned());
        let name = self.shared.ident(name, || "a namespace".to_owned());
        let value = Namespace { name, options: crate::Parameters::new(), common: Common::default() };
        let (value, shared) = self.add(value, "namespace");
        ObjectBuilder::new(&mut value.common, None, shared)
    }

    /// Adds an extension, with its members in `namespace`.
    pub fn extension(&mut self, name: impl ToIdent, namespace: Option<&str>) -> ObjectBuilder<'_> {
        let name = self.shared.ident(name, || "an extension".to_owned());
        self.shared.require(&[DialectId::Postgres], "extensions", || format!("extension `{name}`"));
        let namespace =
            namespace.map(|text| self.shared.ident(text, || format!("the namespace of extension `{name}`")));
        let (value, shared) =
            self.add(Extension { name, namespace, version: None, common: Common::default() }, "extension");
        ObjectBuilder::new(&mut value.common, None, shared)
    }

    /// Adds an enum with a name of its own (PostgreSQL).
    pub fn enumeration<L: Into<String>>(
        &mut self,
        name: impl ToQualName,
        labels: impl IntoIterator<Item = L>,
    ) -> ObjectBuilder<'_> {
        let labels = labels.into_iter().map(Into::into).collect();
        let (value, shared) = self.user_type(name, |_| UserTypeKind::Enum { labels });
        ObjectBuilder::new(&mut value.common, value.name.namespace.clone(), shared)
    }

    /// Adds a composite type of these attributes (PostgreSQL).
    pub fn composite<N: ToIdent, T: Into<TypeSpec>>(
        &mut self,
        name: impl ToQualName,
        attributes: impl IntoIterator<Item = (N, T)>,
    ) -> ObjectBuilder<'_> {
        let place = || "an attribute of a composite type".to_owned();
        let (value, shared) = self.user_type(name, |shared| UserTypeKind::Composite {
            attributes: attributes
                .into_iter()
                .map(|(name, data_type)| Attribute {
                    name: shared.ident(name, place),
                    data_type: data_type.into().spell(shared, place),
                    collation: None,
                    comment: None,
                })
                .collect(),
        });
        ObjectBuilder::new(&mut value.common, value.name.namespace.clone(), shared)
    }

    /// Adds a domain over `base` (PostgreSQL).
    pub fn domain(&mut self, name: impl ToQualName, base: impl Into<TypeSpec>) -> DomainBuilder<'_> {
        let place = || "the base type of a domain".to_owned();
        let (value, shared) = self.user_type(name, |shared| {
            let base = base.into().spell(shared, place);
            let (default, collation, checks) = (None, None, Vec::new());
            UserTypeKind::Domain(Domain { base, not_null: false, default, collation, checks })
        });
        DomainBuilder::new(value, shared)
    }

    fn user_type(
        &mut self,
        name: impl ToQualName,
        kind: impl FnOnce(&mut Shared) -> UserTypeKind,
    ) -> (&mut UserType, &mut Shared) {
        let name = self.shared.qual_name(name, || "a type".to_owned());
        self.shared.require(&[DialectId::Postgres], "types with names of their own", || format!("type `{name}`"));
        let kind = kind(&mut self.shared);
        self.add(UserType { name, kind, common: Common::default() }, "type")
    }

    /// Adds a sequence (PostgreSQL, MariaDB).
    pub fn sequence(&mut self, name: impl ToQualName) -> SequenceBuilder<'_> {
        let name = self.shared.qual_name(name, || "a sequence".to_owned());
        let having = [DialectId::Postgres, DialectId::MariaDb];
        self.shared.require(&having, "sequences", || format!("sequence `{name}`"));
        let options = SequenceOptions::default();
        let value = Sequence { name, options, unlogged: false, owned_by: None, common: Common::default() };
        let (value, shared) = self.add(value, "sequence");
        SequenceBuilder::new(value, shared)
    }

    /// Adds a table.
    pub fn table(&mut self, name: impl ToQualName) -> TableBuilder<'_> {
        let name = self.shared.qual_name(name, || "a table".to_owned());
        let (table, shared) = self.add(Table::new(name), "table");
        TableBuilder::new(table, shared)
    }

    /// Adds a view of `query`, which is SQL in the engine's own words.
    pub fn view(&mut self, name: impl ToQualName, query: impl Into<String>) -> ViewBuilder<'_> {
        let name = self.shared.qual_name(name, || "a view".to_owned());
        let (view, shared) = self.add(View::new(name, SqlExpr::new(query)), "view");
        ViewBuilder::new(view, shared)
    }

    /// Adds an object that is made elsewhere: a routine, trigger, policy, or anything that these methods do not reach.
    pub fn object<V: Keyed>(&mut self, value: V) -> &mut Self {
        self.add(value, "object");
        self
    }

    /// Puts `value` in; if its name is taken, that is on record and the first one stays.
    fn add<V: Keyed>(&mut self, value: V, kind: &str) -> (&mut V, &mut Shared) {
        let key = value.key();
        let map = V::map_of(&mut self.schema);
        if map.contains_key(&key) {
            self.shared.errors.push(BuildError::Twice { place: format!("{kind} `{key}`") });
        }
        (map.entry(key).or_insert(value), &mut self.shared)
    }

    /// The finished schema. The builder stays as it is and may go on.
    ///
    /// # Errors
    /// [`BuildErrors`]: every mistake made while building; if there is none, every contradiction in the finished schema.
    pub fn finish(&self) -> Result<Schema, BuildErrors> {
        if !self.shared.errors.is_empty() {
            return Err(BuildErrors(self.shared.errors.clone()));
        }
        let mut schema = self.schema.clone();
        schema.tables.values_mut().for_each(|table| settle(table, self.shared.dialect));
        let mut found = validate(&schema);
        let external =
            |problem: &Problem| matches!(problem, Problem::UnknownRelation(name) if self.external.contains(name));
        found.retain(|invalid| !external(&invalid.problem));
        if found.is_empty() {
            Ok(schema)
        } else {
            Err(BuildErrors(found.into_iter().map(BuildError::Invalid).collect()))
        }
    }
}

/// The engines that have namespaces.
const NAMESPACED: [DialectId; 3] = [DialectId::Postgres, DialectId::MySql, DialectId::MariaDb];

/// What follows from the rest of a table: columns of a primary key refuse NULL, everywhere but in SQLite.
fn settle(table: &mut Table, dialect: DialectId) {
    let Some(key) = table.primary_key().cloned().filter(|_| dialect != DialectId::Sqlite) else { return };
    let names: Vec<_> = key.columns.iter().filter_map(|part| part.column_name()).collect();
    for column in table.columns.iter_mut().filter(|column| names.contains(&&column.name)) {
        column.not_null = true;
    }
}
