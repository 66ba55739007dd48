//! What can go wrong while reading a catalog.

use trueup_schema::DialectId;
use trueup_session::DbError;

/// Why a catalog could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IntrospectError {
    /// The server refused a query.
    #[error("reading {what} from the catalog failed")]
    Query {
        /// What was read.
        what: &'static str,
        /// The server's words.
        #[source]
        source: DbError,
    },
    /// The catalog says something that cannot be understood.
    #[error("the catalog's entry for {object} is not understood: {why}")]
    Catalog {
        /// The object.
        object: String,
        /// What is wrong.
        why: String,
    },
    /// The server is older than what trueup reads.
    #[error("{server} is not supported; trueup reads {supported}")]
    Version {
        /// The server's version.
        server: String,
        /// What is supported.
        supported: &'static str,
    },
    /// This build reads no catalog of that engine.
    #[error("catalogs of {0} are not read by this version")]
    NoReader(DialectId),
}
