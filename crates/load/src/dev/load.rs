//! The door to the dev databases.

use std::collections::{BTreeMap, BTreeSet};

use trueup_introspect::Introspected;
use trueup_plan::Hints;
use trueup_schema::{DialectId, Ident, ObjectRef};
use trueup_session::{BoxFuture, Connector};

use super::{Declaration, mysql, postgres, sqlite};
use crate::screen::Allowances;
use crate::{LoadError, Source};

/// What a dev database must share with its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DevTarget {
    /// The target's engine.
    pub dialect: DialectId,
    /// Its major version.
    pub major: u32,
    /// Where names without a namespace go.
    pub default_namespace: Option<Ident>,
    /// Extensions of the target with their namespaces: made in the dev database when a declaration leans on them without making them.
    pub extensions: Vec<(Ident, Option<Ident>)>,
    /// Name of the target database, whose encoding and collation the dev database takes over.
    pub database: String,
    /// The `sql_mode` that the server gives to a new session (MySQL, MariaDB).
    pub sql_mode: Option<String>,
}

/// How to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadOptions {
    /// What is allowed beyond the usual.
    pub allow: Allowances,
    /// Whether owners are read.
    pub owners: bool,
}

/// A declaration as the dev database understands it.
#[derive(Debug)]
pub struct Loaded {
    /// What was read back. Extensions that were only lent to the dev database are not in it.
    pub introspected: Introspected,
    /// Renames, conversions, backfills from directives.
    pub hints: Hints,
    /// Where each object was declared, as far as a statement names it.
    pub provenance: BTreeMap<ObjectRef, String>,
    /// What was left out, for a person.
    pub notes: Vec<String>,
    /// Namespaces that the declaration names or implies.
    pub namespaces: BTreeSet<Ident>,
}

/// Loads SQL files through a dev database and reads the schema back.
///
/// `server` leads to the server that holds the dev database: the target's, or another of the same engine and major version. It is not
/// used on SQLite, where the dev database is in memory.
///
/// # Errors
/// [`LoadError`], with file and line where a statement is at fault. The dev database is gone in any case.
///
/// # Cancellation
/// Dropping the future may leave a dev database behind; a later load removes it once it is an hour old.
pub fn load_sql<'a>(
    sources: &'a [Source],
    server: &'a dyn Connector,
    target: &'a DevTarget,
    options: LoadOptions,
) -> BoxFuture<'a, Result<Loaded, LoadError>> {
    Box::pin(async move {
        let declaration = Declaration::read(sources, target, options.allow)?;
        match target.dialect {
            DialectId::Sqlite => sqlite::load(&declaration, options).await,
            DialectId::Postgres => postgres::load(&declaration, server, target, options).await,
            DialectId::MySql | DialectId::MariaDb => mysql::load(&declaration, server, target, options).await,
        }
    })
}
