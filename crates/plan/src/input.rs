//! What a plan is made from.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use trueup_schema::{Dependency, DialectId, Ident, ObjectRef, PartId, QualName, SqlExpr};
use trueup_snapshot::Snapshot;

use crate::OpId;

/// The database as it is.
#[derive(Debug, Clone)]
pub struct Live {
    /// Its schema.
    pub snapshot: Snapshot,
    /// What else was read in the same pass. Never hashed.
    pub facts: LiveFacts,
    /// Objects that trueup does not model, or does not own.
    pub unmanaged: Vec<Unmanaged>,
}

/// The schema as declared.
#[derive(Debug, Clone)]
pub struct Desired {
    /// The schema.
    pub snapshot: Snapshot,
    /// Renames, conversions, backfills.
    pub hints: Hints,
    /// Where each object was declared: `schema/users.sql:12`.
    pub provenance: BTreeMap<ObjectRef, String>,
    /// Declared objects of kinds that trueup does not model.
    pub unmodelled: Vec<Unmanaged>,
    /// What was left out while loading, for a person.
    pub notes: Vec<String>,
    /// Whether every SQL text is in the target server's own spelling.
    pub elaborated: bool,
    /// Whether what it does not say of privileges is said by that: so it is of SQL files and of a database, and not of a document.
    pub privileges: bool,
    /// Namespaces that the declaration names or implies.
    pub namespaces: BTreeSet<Ident>,
}

/// An object that is there, but not trueup's to change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unmanaged {
    /// What the engine calls it.
    pub kind: String,
    /// Its name, qualified for a person.
    pub name: String,
    /// The namespace it lives in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<Ident>,
    /// The table it hangs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<QualName>,
    /// Its definition as far as the server tells, to compare two of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub definition: String,
    /// What it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
}

/// The server, as far as planning asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// The engine.
    pub dialect: DialectId,
    /// Major, minor, patch.
    pub version: [u32; 3],
    /// The connection's default namespace.
    pub default_namespace: Option<Ident>,
}

/// How big a table is, as the server estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableSize {
    /// Estimated rows; `None` where the server never counted.
    pub rows: Option<u64>,
    /// Bytes on disk.
    pub bytes: u64,
    /// Whether it is known to hold no row.
    pub empty: bool,
}

/// How a cast may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CastContext {
    /// Only when asked for.
    Explicit,
    /// In assignments too.
    Assignment,
    /// Anywhere.
    Implicit,
}

/// What is read of a live database besides its schema. Never hashed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveFacts {
    /// The server.
    pub server: Server,
    /// Settings that matter: `lower_case_table_names`, `sql_mode`, `default_collation`…
    pub settings: BTreeMap<String, String>,
    /// Sizes by table.
    pub sizes: BTreeMap<QualName, TableSize>,
    /// Casts between types by their printed names without parameters.
    pub casts: BTreeMap<(String, String), CastContext>,
    /// Types without an equality operator (no DISTINCT, no UNIQUE): `json`, `point`…
    pub without_equality: BTreeSet<String>,
    /// Names taken by objects outside the snapshot (shadow tables, extension members), so that no new name collides.
    pub taken: BTreeSet<QualName>,
    /// Roles that exist, where privileges are read.
    pub roles: BTreeSet<String>,
    /// Namespaces of the database, in scope or not, where one database has several: those that hold something or were made by somebody.
    pub namespaces: BTreeSet<Ident>,
    /// What the connected role may not do that the plan could need, in words.
    pub lacking: Vec<String>,
    /// The tracked list, where control tables exist.
    pub tracked: Option<Tracked>,
}

impl LiveFacts {
    /// Facts of a server of which nothing else is known.
    #[must_use]
    pub const fn of(server: Server) -> Self {
        Self {
            server,
            settings: BTreeMap::new(),
            sizes: BTreeMap::new(),
            casts: BTreeMap::new(),
            without_equality: BTreeSet::new(),
            taken: BTreeSet::new(),
            roles: BTreeSet::new(),
            namespaces: BTreeSet::new(),
            lacking: Vec::new(),
            tracked: None,
        }
    }

    /// Whether `table` is known to hold no row.
    #[must_use]
    pub fn is_empty(&self, table: &QualName) -> bool {
        self.sizes.get(table).is_some_and(|size| size.empty)
    }
}

/// What earlier runs of this project recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tracked {
    /// Objects that may be dropped when the declaration lacks them.
    pub objects: BTreeSet<ObjectRef>,
    /// Texts that are known to mean the same.
    pub pairs: Vec<Pair>,
}

/// A declared text and the canonical text that it became.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pair {
    /// The object and property: `check:shop.users.users_age_check`.
    pub site: String,
    /// FNV-1a 64 of the declared text, as hex.
    pub declared: String,
    /// FNV-1a 64 of the canonical text, as hex.
    pub canonical: String,
    /// The server's major version.
    pub major: u32,
}

/// What a person says about intent. Not hashed into a schema, but part of the plan's hash.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hints {
    /// Renames.
    pub renames: Vec<RenameHint>,
    /// Conversions of a column's values, by the column's new name.
    pub using: BTreeMap<PartId, SqlExpr>,
    /// Values for rows that have none, by the column's new name.
    pub backfills: BTreeMap<PartId, SqlExpr>,
    /// Objects to leave alone.
    pub ignored: Vec<ObjectRef>,
}

/// One rename. The path names the object by its old name below the desired parent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RenameHint {
    /// The old name.
    pub from: ObjectRef,
    /// The new name.
    pub to: Ident,
    /// Where the hint was given, for messages.
    pub source: Option<String>,
}

/// Whose objects a run may drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ownership {
    /// Those that an earlier run of this project made or adopted.
    #[default]
    Tracked,
    /// Everything in scope.
    All,
}

/// What a run may look at and change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Scope {
    /// Namespaces named by the caller besides those of the declaration, as patterns with `*`.
    pub namespaces: Vec<String>,
    /// If any: only objects whose `namespace.name` matches one of these patterns.
    pub include: Vec<String>,
    /// Objects whose `namespace.name` matches one of these patterns are left alone.
    pub exclude: Vec<String>,
}

/// A caller's choices.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlanOptions {
    /// Whose objects may be dropped.
    pub ownership: Ownership,
    /// What may be looked at and changed.
    pub scope: Scope,
    /// Keep back everything that is not additive.
    pub safe: bool,
    /// A drop and an add of like things are meant as such.
    pub no_renames: bool,
    /// Live objects of unmodelled kinds are a note, not a refusal, under ownership `all`.
    pub ignore_unmanaged: bool,
    /// Anything live in scope that is of an unmodelled kind, or that nobody declared and this run may not drop, is a refusal.
    pub strict: bool,
    /// Operations whose unverified text is to be recorded as equal.
    pub accept_text: BTreeSet<OpId>,
    /// Operations whose unverified text is to be written again.
    pub rewrite_text: BTreeSet<OpId>,
    /// Compare owners too.
    pub owners: bool,
    /// Assert nothing about how the engine carries out an ALTER, nor how long it takes.
    pub any_algorithm: bool,
    /// Work beside live traffic: in forms that block readers and writers for a moment only, where the engine has such.
    pub online: bool,
    /// Parts of tables adopted in this run that may be dropped or changed, by operation.
    pub adopt_differs: BTreeSet<OpId>,
}
