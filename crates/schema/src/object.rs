//! How objects are named, and what they need of each other.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Ident, QualName};

/// A function, procedure or aggregate: its name and the types of its arguments.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutineId {
    /// Its name.
    pub name: QualName,
    /// The identity arguments as the server prints them, without parentheses. Empty where the engine has no overloads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arguments: String,
}

impl fmt::Display for RoutineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.arguments)
    }
}

/// Something that hangs on a table or view and has a name of its own there: a trigger, a policy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartId {
    /// The table or view.
    pub table: QualName,
    /// The part's name.
    pub name: Ident,
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.table, self.name)
    }
}

/// An object that is kept and compared as the text that makes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpaqueId {
    /// What the engine calls it: `rule`, `statistics`, `event trigger`, `event`, `cast`…
    pub kind: String,
    /// Its namespace, if it lives in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Ident>,
    /// The table it belongs to, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<QualName>,
    /// Its name, or a text that identifies it where it has none.
    pub name: String,
}

impl fmt::Display for OpaqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.table, &self.namespace) {
            (Some(table), _) => write!(f, "{table}.{}", self.name),
            (None, Some(namespace)) => write!(f, "{namespace}.{}", self.name),
            (None, None) => f.write_str(&self.name),
        }
    }
}

/// A mention of an object, at the finest grain that is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ObjectRef {
    /// A PostgreSQL schema, or a MySQL or MariaDB database.
    Namespace(Ident),
    /// An extension.
    Extension(Ident),
    /// An enum, domain, composite or range type.
    Type(QualName),
    /// A sequence.
    Sequence(QualName),
    /// A table of any kind.
    Table(QualName),
    /// A view or materialized view.
    View(QualName),
    /// A column of a table or view.
    Column(PartId),
    /// A constraint of a table.
    Constraint(PartId),
    /// An index of a table or materialized view.
    Index(PartId),
    /// A function, procedure or aggregate.
    Routine(RoutineId),
    /// A trigger.
    Trigger(PartId),
    /// A row security policy.
    Policy(PartId),
    /// An object kept as text.
    Opaque(OpaqueId),
}

impl ObjectRef {
    /// The word for this kind of object in ids and output.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Namespace(_) => "namespace",
            Self::Extension(_) => "extension",
            Self::Type(_) => "type",
            Self::Sequence(_) => "sequence",
            Self::Table(_) => "table",
            Self::View(_) => "view",
            Self::Column(_) => "column",
            Self::Constraint(_) => "constraint",
            Self::Index(_) => "index",
            Self::Routine(_) => "routine",
            Self::Trigger(_) => "trigger",
            Self::Policy(_) => "policy",
            Self::Opaque(id) => &id.kind,
        }
    }

    /// The object that is tracked and hashed as a whole: for a column or constraint its table, for anything else the object itself.
    #[must_use]
    pub fn owner(&self) -> Self {
        match self {
            Self::Column(part) | Self::Constraint(part) => Self::Table(part.table.clone()),
            Self::Namespace(_)
            | Self::Extension(_)
            | Self::Type(_)
            | Self::Sequence(_)
            | Self::Table(_)
            | Self::View(_)
            | Self::Index(_)
            | Self::Routine(_)
            | Self::Trigger(_)
            | Self::Policy(_)
            | Self::Opaque(_) => self.clone(),
        }
    }

    /// The namespace that the object lives in; none for namespaces, extensions and everything on SQLite.
    #[must_use]
    pub const fn namespace(&self) -> Option<&Ident> {
        match self {
            Self::Namespace(_) | Self::Extension(_) => None,
            Self::Type(name) | Self::Sequence(name) | Self::Table(name) | Self::View(name) => name.namespace.as_ref(),
            Self::Column(part)
            | Self::Constraint(part)
            | Self::Index(part)
            | Self::Trigger(part)
            | Self::Policy(part) => part.table.namespace.as_ref(),
            Self::Routine(id) => id.name.namespace.as_ref(),
            Self::Opaque(id) => id.namespace.as_ref(),
        }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespace(name) | Self::Extension(name) => fmt::Display::fmt(name, f),
            Self::Type(name) | Self::Sequence(name) | Self::Table(name) | Self::View(name) => {
                fmt::Display::fmt(name, f)
            }
            Self::Column(part)
            | Self::Constraint(part)
            | Self::Index(part)
            | Self::Trigger(part)
            | Self::Policy(part) => fmt::Display::fmt(part, f),
            Self::Routine(id) => fmt::Display::fmt(id, f),
            Self::Opaque(id) => fmt::Display::fmt(id, f),
        }
    }
}

/// How sure a dependency is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// From the server's catalog, a foreign key or the structured builder.
    Hard,
    /// From a scan of SQL text against known names.
    Soft,
}

/// What an object needs. Travels in documents, is never hashed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The object that must exist first.
    pub on: ObjectRef,
    /// How sure this is.
    pub strength: Strength,
}

impl Dependency {
    /// A dependency that the catalog knows of.
    #[must_use]
    pub const fn hard(on: ObjectRef) -> Self {
        Self { on, strength: Strength::Hard }
    }

    /// A dependency found by scanning text.
    #[must_use]
    pub const fn soft(on: ObjectRef) -> Self {
        Self { on, strength: Strength::Soft }
    }
}

/// Privileges of one grantee on one object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The role, `PUBLIC`, or `OWNER` for whoever owns the object. An owner's privileges are listed only where they are not all
    /// there are; `NONE` is the privilege of an owner that has given up every one.
    pub grantee: String,
    /// The privilege, upper case: `SELECT`, `USAGE`…
    pub privilege: String,
    /// The column, for a privilege on one column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<Ident>,
    /// Whether the grantee may pass it on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub grantable: bool,
}

/// What every standalone object may carry besides its definition.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Common {
    /// The comment on the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The owning role, where owners are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Ident>,
    /// Its privileges, sorted, if they differ from what the engine grants by itself to a new object; `None` says exactly that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<Vec<Grant>>,
    /// What it needs. Not hashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
    /// Its old name, as a hint: never hashed, lifted out before comparing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<QualName>,
}
