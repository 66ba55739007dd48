//! The dev database: a scratch database that declared SQL is loaded into, so that the server itself says what it means.
//!
//! One file per engine. What they share is here: statements are tried in the order given, and where the server misses an object,
//! the rest goes on and the statement is tried again, until all are in or none of the remaining ones succeeds.

mod postgres;
mod sqlite;

use std::collections::{BTreeMap, BTreeSet};

use trueup_introspect::Introspected;
use trueup_plan::Hints;
use trueup_schema::{DialectId, Ident, ObjectRef};
use trueup_session::{Connector, DbError, DbErrorKind, Session};

use crate::directive::read_directives;
use crate::provenance::declared_object;
use crate::screen::{Allowances, Verdict, screen};
use crate::split::{SqlStatement, split};
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
pub async fn load_sql(
    sources: &[Source],
    server: &dyn Connector,
    target: &DevTarget,
    options: LoadOptions,
) -> Result<Loaded, LoadError> {
    let declaration = Declaration::read(sources, target, options.allow)?;
    match target.dialect {
        DialectId::Sqlite => sqlite::load(&declaration, options).await,
        DialectId::Postgres => postgres::load(&declaration, server, target, options).await,
        DialectId::MySql | DialectId::MariaDb => Err(LoadError::NoDevDatabase(format!(
            "SQL files for {} cannot be loaded by this version; declare a document instead",
            target.dialect
        ))),
    }
}

/// A declaration, cut and screened.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) statements: Vec<SqlStatement>,
    pub(crate) hints: Hints,
    pub(crate) notes: Vec<String>,
    pub(crate) provenance: BTreeMap<ObjectRef, String>,
}

impl Declaration {
    fn read(sources: &[Source], target: &DevTarget, allow: Allowances) -> Result<Self, LoadError> {
        let mut statements = Vec::new();
        let mut directives = Vec::new();
        let mut notes: BTreeMap<String, (usize, String)> = BTreeMap::new();
        let mut note = |why: String, at: String| {
            let entry = notes.entry(why).or_insert((0, at));
            entry.0 += 1;
        };
        for source in sources {
            let script = split(target.dialect, source)?;
            directives.extend(script.directives);
            for aside in script.skipped {
                note("client command left out".to_owned(), format!("{}:{}", aside.file, aside.line));
            }
            for statement in script.statements {
                match screen(target.dialect, &statement, allow) {
                    Verdict::Load => statements.push(statement),
                    Verdict::Skip(why) if why.is_empty() => {}
                    Verdict::Skip(why) => note(why, statement.at()),
                    Verdict::Refuse(why) => {
                        return Err(LoadError::NotAllowed {
                            at: statement.at(),
                            why: format!("{why} (`{}`)", statement.summary()),
                        });
                    }
                }
            }
        }
        let notes = notes
            .into_iter()
            .map(
                |(why, (count, at))| {
                    if count == 1 { format!("{at}: {why}") } else { format!("{at} and {} more: {why}", count - 1) }
                },
            )
            .collect();
        let provenance = statements
            .iter()
            .filter_map(|statement| {
                declared_object(target.dialect, statement, target.default_namespace.as_ref())
                    .map(|object| (object, statement.at()))
            })
            .collect();
        let hints = read_directives(&directives, target.default_namespace.as_ref())?;
        Ok(Self { statements, hints, notes, provenance })
    }

    pub(crate) fn loaded(self_: &Self, introspected: Introspected, namespaces: BTreeSet<Ident>) -> Loaded {
        Loaded {
            introspected,
            hints: self_.hints.clone(),
            provenance: self_.provenance.clone(),
            notes: self_.notes.clone(),
            namespaces,
        }
    }
}

/// The error of a statement that the server refused.
pub(crate) fn refused(statement: &SqlStatement, source: DbError) -> LoadError {
    let line = source.position.map_or(statement.line, |position| {
        statement.line + statement.text.chars().take(position.saturating_sub(1)).filter(|c| *c == '\n').count()
    });
    LoadError::Statement { at: format!("{}:{line}", statement.file), statement: statement.summary(), source }
}

/// Whether an error may go away once other statements are in.
pub(crate) const fn may_come_right(kind: DbErrorKind) -> bool {
    matches!(
        kind,
        DbErrorKind::UndefinedObject | DbErrorKind::Other | DbErrorKind::Syntax | DbErrorKind::DependentObjects
    )
}

/// Runs `sql` on the dev database and says what was being done when it fails.
pub(crate) async fn admin(session: &mut dyn Session, doing: &'static str, sql: &str) -> Result<(), LoadError> {
    session.execute(sql).await.map(drop).map_err(|source| LoadError::DevDatabase { doing, source })
}
