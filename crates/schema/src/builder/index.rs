//! Builders of indexes and the parts of keys.

use super::name::Shared;
use super::{BuildError, ToIdent};
use crate::{Dependency, Ident, IdentError, Index, IndexKey, IndexPart, ObjectRef, SqlExpr};

/// A part of a key or index that is not checked yet: a column's name is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSpec {
    key: Result<IndexKey, IdentError>,
    part: Modifiers,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Modifiers {
    descending: bool,
    nulls_first: Option<bool>,
    opclass: Option<String>,
    prefix: Option<u32>,
}

/// A column, ascending.
#[must_use]
pub fn asc(column: impl ToIdent) -> PartSpec {
    PartSpec { key: column.to_ident().map(IndexKey::Column), part: Modifiers::default() }
}

/// A column, descending.
#[must_use]
pub fn desc(column: impl ToIdent) -> PartSpec {
    PartSpec { part: Modifiers { descending: true, ..Modifiers::default() }, ..asc(column) }
}

/// An expression in the engine's own words, without parentheses around it.
#[must_use]
pub fn expression(sql: impl Into<String>) -> PartSpec {
    PartSpec { key: Ok(IndexKey::Expr(SqlExpr::new(sql))), part: Modifiers::default() }
}

impl From<&str> for PartSpec {
    fn from(column: &str) -> Self {
        asc(column)
    }
}

impl From<&String> for PartSpec {
    fn from(column: &String) -> Self {
        asc(column)
    }
}

impl From<String> for PartSpec {
    fn from(column: String) -> Self {
        asc(column)
    }
}

impl From<Ident> for PartSpec {
    fn from(column: Ident) -> Self {
        asc(column)
    }
}

impl PartSpec {
    /// NULLS FIRST (`true`) or NULLS LAST, where it is not what the direction implies.
    #[must_use]
    pub fn nulls_first(mut self, first: bool) -> Self {
        self.part.nulls_first = Some(first);
        self
    }

    /// The operator class (PostgreSQL).
    #[must_use]
    pub fn opclass(mut self, name: impl Into<String>) -> Self {
        self.part.opclass = Some(name.into());
        self
    }

    /// The prefix length (MySQL, MariaDB).
    #[must_use]
    pub fn prefix(mut self, length: u32) -> Self {
        self.part.prefix = Some(length);
        self
    }

    pub(super) fn build(self, shared: &mut Shared, place: impl FnOnce() -> String) -> IndexPart {
        let key = self.key.unwrap_or_else(|source| {
            shared.errors.push(BuildError::Ident { place: place(), source });
            IndexKey::Column(Ident::stand_in())
        });
        let Modifiers { descending, nulls_first, opclass, prefix } = self.part;
        IndexPart { key, descending, nulls_first, opclass, collation: None, prefix }
    }
}

/// Goes on with an index.
#[derive(Debug)]
pub struct IndexBuilder<'b> {
    index: &'b mut Index,
    shared: &'b mut Shared,
    place: String,
}

impl<'b> IndexBuilder<'b> {
    pub(super) const fn new(index: &'b mut Index, shared: &'b mut Shared, place: String) -> Self {
        Self { index, shared, place }
    }

    /// Refuses equal keys.
    pub fn unique(self) -> Self {
        self.index.unique = true;
        self
    }

    /// Lets NULL equal NULL.
    pub fn nulls_not_distinct(self) -> Self {
        self.index.nulls_not_distinct = true;
        self
    }

    /// Its method, lower case: `gin`, `hash`, `fulltext`…
    pub fn method(self, method: impl Into<String>) -> Self {
        let method = method.into();
        self.index.method = (method != "btree").then_some(method);
        self
    }

    /// The condition of a partial index, in the engine's own words.
    pub fn predicate(self, condition: impl Into<String>) -> Self {
        self.index.predicate = Some(SqlExpr::new(condition));
        self
    }

    /// Columns that are stored without being keys.
    pub fn include<N: ToIdent>(self, columns: impl IntoIterator<Item = N>) -> Self {
        for column in columns {
            let name = self.shared.ident(column, || self.place.clone());
            self.index.include.push(name);
        }
        self
    }

    /// A storage parameter or index option, by its lower-case name.
    pub fn parameter(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.index.parameters.insert(name.into(), value.into());
        self
    }

    /// Its comment.
    pub fn comment(self, text: impl Into<String>) -> Self {
        self.index.comment = Some(text.into());
        self
    }

    /// Says that it needs `object`, which its SQL text mentions.
    pub fn depends_on(self, object: ObjectRef) -> Self {
        self.index.depends_on.push(Dependency::hard(object));
        self
    }

    /// Its old name, as a hint.
    pub fn renamed_from(self, name: impl ToIdent) -> Self {
        let name = self.shared.ident(name, || self.place.clone());
        self.index.renamed_from = Some(name);
        self
    }
}
