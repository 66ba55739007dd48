//! What can go wrong between a declaration and its proof.

use trueup_execute::{ExecuteError, PlannerError};
use trueup_introspect::IntrospectError;
use trueup_load::LoadError;
use trueup_render::RenderError;
use trueup_schema::DialectId;
use trueup_session::{DbError, UrlError};
use trueup_snapshot::{DocumentError, SnapshotError};

/// Why there is no answer. A refusal is not an error: it is in the plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL is no database URL.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// No session could be had.
    #[error("cannot connect to {place}")]
    Connect {
        /// Host, port and database; no secrets.
        place: String,
        /// The server's words.
        #[source]
        source: DbError,
    },
    /// The server failed in the middle.
    #[error("the database failed while {doing}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// The server's words.
        #[source]
        source: DbError,
    },
    /// There are no replicas that could be waited for.
    #[error("replicas cannot be waited for: {0}")]
    Replicas(&'static str),
    /// This build knows the engine's name only.
    #[error("{dialect} {version} is not supported by this version of trueup")]
    Unsupported {
        /// The engine.
        dialect: DialectId,
        /// Its version, as it says.
        version: String,
    },
    /// The declaration is for another engine than the target.
    #[error("the declaration is for {declared}, the target is {target}")]
    OtherDialect {
        /// The declaration's engine.
        declared: DialectId,
        /// The target's engine.
        target: DialectId,
    },
    /// The declaration could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The live schema could not be read.
    #[error(transparent)]
    Introspect(#[from] IntrospectError),
    /// A document does not read or write.
    #[error("document `{name}` does not read")]
    Document {
        /// The file.
        name: String,
        /// What is wrong.
        #[source]
        source: Box<DocumentError>,
    },
    /// A schema contradicts itself.
    #[error("the {side} schema is not consistent")]
    Snapshot {
        /// `declared` or `live`.
        side: &'static str,
        /// How.
        #[source]
        source: Box<SnapshotError>,
    },
    /// The plan cannot be said in the engine's words.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The run failed.
    #[error(transparent)]
    Execute(#[from] Box<ExecuteError>),
    /// A scratch database or branch could not be had.
    #[error("{0}")]
    Branch(String),
    /// The question cannot be asked like this.
    #[error("{0}")]
    Usage(String),
}

impl From<ExecuteError> for Error {
    fn from(error: ExecuteError) -> Self {
        Self::Execute(Box::new(error))
    }
}

impl Error {
    /// As the planner's error inside a run.
    pub(crate) fn boxed(self) -> PlannerError {
        Box::new(self)
    }
}
