//! What a branch is, and which engine makes it.

#[cfg(feature = "sqlite")]
use super::sqlite;
use super::{mysql, postgres};
use trueup_schema::DialectId;
use trueup_session::{BoxFuture, Connector, DbError};

#[cfg(not(feature = "sqlite"))]
const NO_SQLITE: &str = "this build has no SQLite driver";

/// A branch that exists.
#[derive(Debug)]
pub struct Branch {
    /// How it was made: `database`, `template`, `copy`.
    pub mechanism: &'static str,
    /// Its name or path.
    pub name: String,
    /// Leads to it.
    pub connector: Box<dyn Connector>,
    /// Whether it holds the schema already, rather than being empty.
    pub filled: bool,
}

/// Why there is no branch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BranchError {
    /// The server said no.
    #[error("the branch failed while {doing}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// The server's words.
        #[source]
        source: DbError,
    },
    /// A file could not be handled.
    #[error("the branch file `{path}` failed while {doing}")]
    File {
        /// The file.
        path: String,
        /// What was being done.
        doing: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// This engine or this database has no branches.
    #[error("{0}")]
    Unsupported(String),
}

/// Makes a branch of the database behind `parent`, with its rows where `with_data`. Branches that an earlier run left behind more than
/// an hour ago are dropped on the way.
///
/// # Errors
/// [`BranchError`]; nothing is left behind.
pub fn make_branch<'a>(
    parent: &'a dyn Connector,
    dialect: DialectId,
    with_data: bool,
) -> BoxFuture<'a, Result<Branch, BranchError>> {
    Box::pin(async move {
        match dialect {
            DialectId::Postgres => postgres::make(parent, with_data).await,
            #[cfg(feature = "sqlite")]
            DialectId::Sqlite => sqlite::make(parent).await,
            #[cfg(not(feature = "sqlite"))]
            DialectId::Sqlite => Err(BranchError::Unsupported(NO_SQLITE.to_owned())),
            DialectId::MySql | DialectId::MariaDb => mysql::make(parent, with_data).await,
        }
    })
}

/// Drops a branch.
///
/// # Errors
/// [`BranchError`] if it is still there.
pub fn drop_branch<'a>(
    parent: &'a dyn Connector,
    dialect: DialectId,
    branch: &'a Branch,
) -> BoxFuture<'a, Result<(), BranchError>> {
    Box::pin(async move {
        match dialect {
            DialectId::Postgres => postgres::drop(parent, &branch.name).await,
            #[cfg(feature = "sqlite")]
            DialectId::Sqlite => sqlite::drop(&branch.name),
            #[cfg(not(feature = "sqlite"))]
            DialectId::Sqlite => Err(BranchError::Unsupported(NO_SQLITE.to_owned())),
            DialectId::MySql | DialectId::MariaDb => mysql::drop(parent, &branch.name).await,
        }
    })
}
