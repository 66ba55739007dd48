//! Views and materialized views.

use serde::{Deserialize, Serialize};

use crate::{Common, Ident, Index, Parameters, QualName, SqlExpr};

/// A view or materialized view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Its name.
    pub name: QualName,
    /// Whether it stores its rows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub materialized: bool,
    /// Its output columns in order, where the server knows them or the declaration lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ViewColumn>,
    /// The query.
    pub query: SqlExpr,
    /// Options by lower-case name: `security_barrier`, `check_option` (PostgreSQL), `algorithm`, `definer`, `sql_security`, `check_option`
    /// (MySQL, MariaDB), storage parameters of a materialized view.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub options: Parameters,
    /// Indexes of a materialized view, sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
    /// False for a materialized view WITH NO DATA. Not hashed: it is state.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub populated: bool,
    /// Comment, owner, grants, dependencies.
    #[serde(flatten)]
    pub common: Common,
    /// The text that made it (SQLite). Not hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

const fn yes() -> bool {
    true
}

const fn is_true(flag: &bool) -> bool {
    *flag
}

/// An output column of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewColumn {
    /// Its name.
    pub name: Ident,
    /// Its type as the server prints it, if known. Not hashed: it follows from the query.
    #[serde(default, rename = "type", skip_serializing_if = "String::is_empty")]
    pub data_type: String,
    /// Its default (PostgreSQL ALTER VIEW … SET DEFAULT).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<SqlExpr>,
    /// What else a materialized view keeps of it, by lower-case name: `storage`, `compression`, `statistics`, `n_distinct` (PostgreSQL).
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub attributes: Parameters,
    /// Its comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl ViewColumn {
    /// A column of which the name alone is known.
    #[must_use]
    pub const fn new(name: Ident) -> Self {
        Self { name, data_type: String::new(), default: None, attributes: Parameters::new(), comment: None }
    }
}

impl View {
    /// A plain view.
    #[must_use]
    pub fn new(name: QualName, query: SqlExpr) -> Self {
        Self {
            name,
            materialized: false,
            columns: Vec::new(),
            query,
            options: Parameters::new(),
            indexes: Vec::new(),
            populated: true,
            common: Common::default(),
            source: None,
        }
    }
}
