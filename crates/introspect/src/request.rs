//! What to read, and what was read.

use std::collections::BTreeMap;

use trueup_plan::{LiveFacts, Unmanaged};
use trueup_schema::{Ident, QualName, Schema};

/// Which namespaces to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceFilter {
    /// All but the server's own.
    All,
    /// These.
    Only(Vec<Ident>),
}

/// What to read.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which namespaces.
    pub namespaces: NamespaceFilter,
    /// The namespace of the control tables, which is no part of the schema (PostgreSQL).
    pub control_namespace: Option<Ident>,
    /// Whether owners are read into the schema.
    pub owners: bool,
    /// Whether it is read how every table is spelled out where that means nothing (MySQL, MariaDB): see [`Spelling`](trueup_schema::Spelling).
    pub spelled: bool,
    /// Whether what planning wants to know besides the schema is read as well: casts, roles, estimates of rows, and sizes where they cost
    /// no more than the rest. A dev database needs none of it.
    pub facts: bool,
}

/// What was read, raw: not canonical yet.
#[derive(Debug, Clone)]
pub struct Introspected {
    /// The schema. Its form is canonical for the server.
    pub schema: Schema,
    /// Sizes, settings, casts.
    pub facts: LiveFacts,
    /// Objects of kinds that are not modelled, by kind and name.
    pub unmanaged: Vec<Unmanaged>,
    /// Definitions of tables as the server prints them, where they were read for [`Request::spelled`] (MySQL, MariaDB).
    pub shown: BTreeMap<QualName, String>,
}
