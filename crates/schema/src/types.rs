//! Named types, sequences, namespaces, extensions.

use serde::{Deserialize, Serialize};

use crate::{Common, DataType, Dependency, Ident, QualName, SqlExpr};

/// A type with a name of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserType {
    /// Its name.
    pub name: QualName,
    /// What it is made of.
    #[serde(flatten)]
    pub kind: UserTypeKind,
    /// Comment, owner, grants, dependencies.
    #[serde(flatten)]
    pub common: Common,
}

/// What a named type is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum UserTypeKind {
    /// An enum.
    Enum {
        /// Its labels in order.
        labels: Vec<String>,
    },
    /// A domain.
    Domain(Domain),
    /// A composite type.
    Composite {
        /// Its attributes in order.
        attributes: Vec<Attribute>,
    },
    /// A range type.
    Range(RangeType),
}

/// A domain over another type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// The base type.
    pub base: DataType,
    /// Whether it refuses NULL.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_null: bool,
    /// Its default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<SqlExpr>,
    /// Its collation where it is not the base type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<QualName>,
    /// Its checks, sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<DomainCheck>,
}

/// A check of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DomainCheck {
    /// Its name.
    pub name: Ident,
    /// The condition on VALUE, without the parentheses around it.
    pub expr: SqlExpr,
    /// False for NOT VALID.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub validated: bool,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What the condition needs. Not hashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
}

const fn yes() -> bool {
    true
}

const fn is_true(flag: &bool) -> bool {
    *flag
}

/// An attribute of a composite type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Its name.
    pub name: Ident,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: DataType,
    /// Its collation where it is not the type's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<QualName>,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A range type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeType {
    /// The type of its bounds.
    pub subtype: DataType,
    /// Operator class of the bounds where it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opclass: Option<QualName>,
    /// Collation of the bounds where it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collation: Option<QualName>,
    /// Canonicalisation function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<QualName>,
    /// Difference function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype_diff: Option<QualName>,
    /// Its multirange type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multirange: Option<QualName>,
}

/// Options of a sequence; `None` is the engine's default for the type and direction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SequenceOptions {
    /// `smallint`, `integer` or `bigint`; none is `bigint`, and an identity's is its column's.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub data_type: Option<String>,
    /// START WITH.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// INCREMENT BY; none is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment: Option<i64>,
    /// MINVALUE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// MAXVALUE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// CACHE; none is 1 on PostgreSQL and 1000 on MariaDB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<i64>,
    /// CYCLE.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cycle: bool,
}

impl SequenceOptions {
    /// Whether it counts down.
    #[must_use]
    pub fn counts_down(&self) -> bool {
        self.increment.is_some_and(|by| by < 0)
    }
}

/// A sequence that is no identity's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// Its name.
    pub name: QualName,
    /// Its options.
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: SequenceOptions,
    /// UNLOGGED (PostgreSQL 15).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlogged: bool,
    /// The column that owns it: it goes when the column goes, and belongs to its table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned_by: Option<crate::PartId>,
    /// Comment, owner, grants, dependencies.
    #[serde(flatten)]
    pub common: Common,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A PostgreSQL schema, or a MySQL or MariaDB database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Namespace {
    /// Its name.
    pub name: Ident,
    /// Default character set and collation (MySQL, MariaDB), by `charset` and `collation`.
    #[serde(default, skip_serializing_if = "crate::Parameters::is_empty")]
    pub options: crate::Parameters,
    /// Comment, owner, grants.
    #[serde(flatten)]
    pub common: Common,
}

/// An extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    /// Its name.
    pub name: Ident,
    /// The namespace its members live in; none for those that make their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Ident>,
    /// Its version, only where the declaration pins one. Not compared otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Comment, dependencies.
    #[serde(flatten)]
    pub common: Common,
}
