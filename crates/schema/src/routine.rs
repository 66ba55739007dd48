//! Routines, triggers, policies, and objects kept as text.

use serde::{Deserialize, Serialize};

use crate::{Common, Dependency, OpaqueId, PartId, RoutineId, SqlExpr};

/// What sort of routine it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoutineKind {
    /// A function, window functions included.
    Function,
    /// A procedure.
    Procedure,
    /// An aggregate.
    Aggregate,
}

/// A function, procedure or aggregate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Routine {
    /// Its name and argument types.
    pub id: RoutineId,
    /// What sort it is.
    pub kind: RoutineKind,
    /// The statement that makes it, as the server prints it (`CREATE OR REPLACE …` on PostgreSQL).
    pub definition: SqlExpr,
    /// Names, modes, types and defaults of the arguments and the return type, as the server prints them. A change here needs drop and create.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// Whether the body is parsed, so that the server tracks what it uses (SQL-standard bodies).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tracked: bool,
    /// Session settings that the definition was made under (MySQL, MariaDB: `sql_mode`).
    #[serde(default, skip_serializing_if = "crate::Parameters::is_empty")]
    pub settings: crate::Parameters,
    /// Comment, owner, grants, dependencies.
    #[serde(flatten)]
    pub common: Common,
}

/// A trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// Its table and name.
    pub id: PartId,
    /// The statement that makes it, as the server prints or keeps it.
    pub definition: SqlExpr,
    /// `origin` (the default), `disabled`, `replica` or `always` (PostgreSQL).
    #[serde(default = "origin", skip_serializing_if = "is_origin")]
    pub enabled: String,
    /// Session settings that the definition was made under (MySQL, MariaDB: `sql_mode`).
    #[serde(default, skip_serializing_if = "crate::Parameters::is_empty")]
    pub settings: crate::Parameters,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What it needs besides its table. Not hashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
    /// Its declared text (SQLite), comments and all. Not hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

fn origin() -> String {
    "origin".to_owned()
}

fn is_origin(text: &str) -> bool {
    text == "origin"
}

/// A row security policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its table and name.
    pub id: PartId,
    /// RESTRICTIVE rather than PERMISSIVE.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restrictive: bool,
    /// `ALL`, `SELECT`, `INSERT`, `UPDATE` or `DELETE`.
    pub command: String,
    /// The roles it applies to, sorted; `PUBLIC` for everybody.
    pub roles: Vec<String>,
    /// USING.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub using: Option<SqlExpr>,
    /// WITH CHECK.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<SqlExpr>,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What its expressions need. Not hashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
}

fn nothing() -> SqlExpr {
    SqlExpr::new("")
}

/// An object that is compared as text and replaced as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opaque {
    /// What it is.
    pub id: OpaqueId,
    /// The statements that make it, as the server prints them.
    pub create: Vec<SqlExpr>,
    /// The statement that drops it; empty for what is gone once all its parts are.
    #[serde(default = "nothing")]
    pub drop: SqlExpr,
    /// What `COMMENT ON` calls it (`RULE r ON t`), where comments are possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment_target: Option<SqlExpr>,
    /// What can be given to it and taken from it one by one, while it stays: tables of a publication, options of a server,
    /// privileges by default. They are set when it is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<OpaquePart>,
    /// Roles that its texts name, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// Comment, owner, grants, dependencies.
    #[serde(flatten)]
    pub common: Common,
}

/// Something that an object kept as text has, and can have taken away.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpaquePart {
    /// The statement that gives it.
    pub set: SqlExpr,
    /// The statement that takes it away.
    pub unset: SqlExpr,
}
