//! Builders of everything but tables.

use super::name::Shared;
use super::{IndexBuilder, PartSpec, ToIdent, Value};
use crate::{
    Common, Domain, DomainCheck, Ident, Index, PartId, Sequence, SequenceOptions, SqlExpr, UserType, UserTypeKind,
    View, ViewColumn,
};

/// What every object may carry: a comment, what it needs, its old name.
macro_rules! common_methods {
    ($($common:ident).+) => {
        /// Its comment.
        pub fn comment(self, text: impl Into<String>) -> Self {
            self.$($common).+.comment = Some(text.into());
            self
        }

        /// Says that it needs `object`, which its SQL text mentions.
        pub fn depends_on(self, object: crate::ObjectRef) -> Self {
            self.$($common).+.depends_on.push(crate::Dependency::hard(object));
            self
        }

        /// Its old name, as a hint. One without a namespace is in the namespace of the new one.
        pub fn renamed_from(self, name: impl super::ToQualName) -> Self {
            match name.to_qual_name() {
                Ok(mut name) => {
                    if name.namespace.is_none() {
                        name.namespace = self.namespace();
                    }
                    self.$($common).+.renamed_from = Some(name);
                }
                Err(source) => {
                    let place = "an old name".to_owned();
                    self.shared.errors.push(super::BuildError::Path { place, source });
                }
            }
            self
        }
    };
}

pub(super) use common_methods;

/// Goes on with an object that has little to say.
#[derive(Debug)]
pub struct ObjectBuilder<'b> {
    common: &'b mut Common,
    namespace: Option<Ident>,
    shared: &'b mut Shared,
}

impl<'b> ObjectBuilder<'b> {
    pub(super) const fn new(common: &'b mut Common, namespace: Option<Ident>, shared: &'b mut Shared) -> Self {
        Self { common, namespace, shared }
    }

    fn namespace(&self) -> Option<Ident> {
        self.namespace.clone()
    }

    common_methods!(common);
}

/// Goes on with a domain.
#[derive(Debug)]
pub struct DomainBuilder<'b> {
    value: &'b mut UserType,
    shared: &'b mut Shared,
}

impl<'b> DomainBuilder<'b> {
    pub(super) const fn new(value: &'b mut UserType, shared: &'b mut Shared) -> Self {
        Self { value, shared }
    }

    fn namespace(&self) -> Option<Ident> {
        self.value.name.namespace.clone()
    }

    common_methods!(value.common);

    fn domain(&mut self) -> Option<&mut Domain> {
        match &mut self.value.kind {
            UserTypeKind::Domain(domain) => Some(domain),
            // Another type of that name is there already, and that mistake is on record.
            UserTypeKind::Enum { .. } | UserTypeKind::Composite { .. } | UserTypeKind::Range(_) => None,
        }
    }

    /// Refuses NULL.
    pub fn not_null(mut self) -> Self {
        if let Some(domain) = self.domain() {
            domain.not_null = true;
        }
        self
    }

    /// Its default.
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        let place = format!("type `{}`", self.value.name);
        let Some(base) = self.domain().map(|domain| domain.base.clone()) else { return self };
        let sql = value.into().spell(&base, self.shared, || place.clone());
        if let Some(domain) = self.domain() {
            domain.default = Some(sql);
        }
        self
    }

    /// A condition on VALUE.
    pub fn check(mut self, name: impl ToIdent, condition: impl Into<String>) -> Self {
        let place = format!("a check of type `{}`", self.value.name);
        let name = self.shared.ident(name, || place);
        let expr = SqlExpr::new(condition);
        let check = DomainCheck { name, expr, validated: true, comment: None, depends_on: Vec::new() };
        if let Some(domain) = self.domain() {
            domain.checks.push(check);
        }
        self
    }
}

/// Goes on with a sequence.
#[derive(Debug)]
pub struct SequenceBuilder<'b> {
    value: &'b mut Sequence,
    shared: &'b mut Shared,
}

impl<'b> SequenceBuilder<'b> {
    pub(super) const fn new(value: &'b mut Sequence, shared: &'b mut Shared) -> Self {
        Self { value, shared }
    }

    fn namespace(&self) -> Option<Ident> {
        self.value.name.namespace.clone()
    }

    common_methods!(value.common);

    /// Its options.
    pub fn options(self, options: SequenceOptions) -> Self {
        self.value.options = options;
        self
    }

    /// Makes it go when this column goes.
    pub fn owned_by(self, table: impl super::ToQualName, column: impl ToIdent) -> Self {
        let place = || "the owner of a sequence".to_owned();
        let table = self.shared.qual_name(table, place);
        let name = self.shared.ident(column, place);
        self.value.owned_by = Some(PartId { table, name });
        self
    }
}

/// Goes on with a view.
#[derive(Debug)]
pub struct ViewBuilder<'b> {
    view: &'b mut View,
    shared: &'b mut Shared,
}

impl<'b> ViewBuilder<'b> {
    pub(super) const fn new(view: &'b mut View, shared: &'b mut Shared) -> Self {
        Self { view, shared }
    }

    fn namespace(&self) -> Option<Ident> {
        self.view.name.namespace.clone()
    }

    common_methods!(view.common);

    /// Names its columns.
    pub fn columns<N: ToIdent>(self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            let name = self.shared.ident(name, || format!("a column of view `{}`", self.view.name));
            self.view.columns.push(ViewColumn::new(name));
        }
        self
    }

    /// An option by its lower-case name: `security_barrier`, `check_option`, `algorithm`…
    pub fn option(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.view.options.insert(name.into(), value.into());
        self
    }

    /// Stores its rows (PostgreSQL).
    pub fn materialized(self) -> Self {
        self.shared
            .require(&[crate::DialectId::Postgres], "materialized views", || format!("view `{}`", self.view.name));
        self.view.materialized = true;
        self
    }

    /// Adds an index, if it is materialized.
    pub fn index<P: Into<PartSpec>>(
        &mut self,
        name: impl ToIdent,
        parts: impl IntoIterator<Item = P>,
    ) -> IndexBuilder<'_> {
        let place = format!("an index of view `{}`", self.view.name);
        let name = self.shared.ident(name, || place.clone());
        let parts = parts.into_iter().map(|part| part.into().build(self.shared, || place.clone())).collect();
        let indexes = &mut self.view.indexes;
        let at = indexes.len();
        indexes.push(Index::new(name, parts));
        IndexBuilder::new(&mut indexes[at], self.shared, place)
    }
}
