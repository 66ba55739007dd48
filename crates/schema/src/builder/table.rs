//! The builder of a table.

use super::constraint::{ConstraintBuilder, ForeignKeyBuilder};
use super::name::Shared;
use super::object::common_methods;
use super::{ColumnBuilder, IndexBuilder, PartSpec, ToIdent, ToQualName, TypeSpec};
use crate::{
    Column, Constraint, ConstraintKind, DataType, Dependency, DialectId, FkAction, ForeignKey, Ident, Index, Key,
    ObjectRef, PartId, SqlExpr, Table,
};

/// Goes on with a table.
#[derive(Debug)]
pub struct TableBuilder<'b> {
    table: &'b mut Table,
    shared: &'b mut Shared,
}

impl<'b> TableBuilder<'b> {
    pub(super) const fn new(table: &'b mut Table, shared: &'b mut Shared) -> Self {
        Self { table, shared }
    }

    fn namespace(&self) -> Option<Ident> {
        self.table.name.namespace.clone()
    }

    common_methods!(table.common);

    /// Adds a column, which takes NULL until said otherwise.
    pub fn column(&mut self, name: impl ToIdent, data_type: impl Into<TypeSpec>) -> ColumnBuilder<'_> {
        let table = &self.table.name;
        let name = self.shared.ident(name, || format!("a column of table `{table}`"));
        let place = format!("column `{table}.{name}`");
        let data_type = data_type.into().spell(self.shared, || place.clone());
        let mut column = Column::new(name, data_type);
        if let DataType::Named(named) = &column.data_type {
            column.depends_on.push(Dependency::hard(ObjectRef::Type(named.name.clone())));
        }
        let at = self.table.columns.len();
        self.table.columns.push(column);
        ColumnBuilder::new(&mut self.table.columns[at], &mut self.table.constraints, self.shared, place)
    }

    fn key<P: Into<PartSpec>>(&mut self, parts: impl IntoIterator<Item = P>, place: &str) -> Key {
        let columns = parts.into_iter().map(|part| part.into().build(self.shared, || place.to_owned())).collect();
        Key { columns, include: Vec::new(), nulls_not_distinct: false, without_overlaps: false }
    }

    fn constraint(&mut self, kind: ConstraintKind, place: String) -> (&mut Constraint, &mut Shared, String) {
        let at = self.table.constraints.len();
        self.table.constraints.push(Constraint::new(None, kind));
        (&mut self.table.constraints[at], self.shared, place)
    }

    /// Adds the primary key over these columns.
    pub fn primary_key<P: Into<PartSpec>>(&mut self, columns: impl IntoIterator<Item = P>) -> ConstraintBuilder<'_> {
        let place = format!("the primary key of table `{}`", self.table.name);
        let key = self.key(columns, &place);
        let (constraint, shared, place) = self.constraint(ConstraintKind::PrimaryKey(key), place);
        ConstraintBuilder::new(constraint, shared, place)
    }

    /// Adds a unique key over these columns.
    pub fn unique<P: Into<PartSpec>>(&mut self, columns: impl IntoIterator<Item = P>) -> ConstraintBuilder<'_> {
        let place = format!("a unique key of table `{}`", self.table.name);
        let key = self.key(columns, &place);
        let (constraint, shared, place) = self.constraint(ConstraintKind::Unique(key), place);
        ConstraintBuilder::new(constraint, shared, place)
    }

    /// Adds a condition that every row must meet, in the engine's own words.
    pub fn check(&mut self, condition: impl Into<String>) -> ConstraintBuilder<'_> {
        let place = format!("a check of table `{}`", self.table.name);
        let kind = ConstraintKind::Check { expr: SqlExpr::new(condition), no_inherit: false, column: None };
        let (constraint, shared, place) = self.constraint(kind, place);
        ConstraintBuilder::new(constraint, shared, place)
    }

    /// Adds a foreign key from `columns` to `referenced` of `table`.
    pub fn foreign_key<N: ToIdent, R: ToIdent>(
        &mut self,
        columns: impl IntoIterator<Item = N>,
        table: impl ToQualName,
        referenced: impl IntoIterator<Item = R>,
    ) -> ForeignKeyBuilder<'_> {
        let place = format!("a foreign key of table `{}`", self.table.name);
        let columns: Vec<Ident> = columns.into_iter().map(|name| self.shared.ident(name, || place.clone())).collect();
        let constraint = foreign_key(columns, table, referenced, self.shared, &place);
        let at = self.table.constraints.len();
        self.table.constraints.push(constraint);
        ForeignKeyBuilder::new(&mut self.table.constraints[at], self.shared, place)
    }

    /// Adds an index over these parts: columns' names, [`desc`](super::desc), [`expression`](super::expression)s.
    pub fn index<P: Into<PartSpec>>(
        &mut self,
        name: impl ToIdent,
        parts: impl IntoIterator<Item = P>,
    ) -> IndexBuilder<'_> {
        let place = format!("an index of table `{}`", self.table.name);
        let name = self.shared.ident(name, || place.clone());
        let parts = parts.into_iter().map(|part| part.into().build(self.shared, || place.clone())).collect();
        let at = self.table.indexes.len();
        self.table.indexes.push(Index::new(name, parts));
        IndexBuilder::new(&mut self.table.indexes[at], self.shared, place)
    }

    /// A storage parameter (PostgreSQL) or create option (MySQL, MariaDB), by its lower-case name.
    pub fn parameter(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.table.options.parameters.insert(name.into(), value.into());
        self
    }

    fn require(&mut self, having: DialectId, what: &'static str) {
        let name = &self.table.name;
        self.shared.require(&[having], what, || format!("table `{name}`"));
    }

    /// Makes it UNLOGGED (PostgreSQL).
    pub fn unlogged(mut self) -> Self {
        self.require(DialectId::Postgres, "unlogged tables");
        self.table.options.unlogged = true;
        self
    }

    /// Makes it STRICT (SQLite).
    pub fn strict(mut self) -> Self {
        self.require(DialectId::Sqlite, "strict tables");
        self.table.options.strict = true;
        self
    }

    /// Makes it WITHOUT ROWID (SQLite).
    pub fn without_rowid(mut self) -> Self {
        self.require(DialectId::Sqlite, "tables without row ids");
        self.table.options.without_rowid = true;
        self
    }
}

/// A foreign key with its dependencies on what it references.
pub(super) fn foreign_key<R: ToIdent>(
    columns: Vec<Ident>,
    table: impl ToQualName,
    referenced: impl IntoIterator<Item = R>,
    shared: &mut Shared,
    place: &str,
) -> Constraint {
    let references = shared.qual_name(table, || place.to_owned());
    let referenced_columns: Vec<Ident> =
        referenced.into_iter().map(|name| shared.ident(name, || place.to_owned())).collect();
    let column = |name: &Ident| ObjectRef::Column(PartId { table: references.clone(), name: name.clone() });
    let mut depends_on = vec![Dependency::hard(ObjectRef::Table(references.clone()))];
    depends_on.extend(referenced_columns.iter().map(|name| Dependency::hard(column(name))));
    let key = ForeignKey {
        columns,
        references,
        referenced_columns,
        on_delete: FkAction::NoAction,
        on_delete_columns: Vec::new(),
        on_update: FkAction::NoAction,
        match_type: None,
        period: false,
    };
    Constraint { depends_on, ..Constraint::new(None, ConstraintKind::ForeignKey(key)) }
}
