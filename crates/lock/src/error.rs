//! Why a lock is not ours, or no longer.

use std::time::Duration;

use trueup_session::DbError;

/// What can go wrong with the lock.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Somebody else kept it until the deadline.
    #[error("the lock was not free within {}: {holder}; wait longer with --lock-wait, or end that session", words(*waited))]
    Timeout {
        /// The whole wait.
        waited: Duration,
        /// Who holds it, as far as the server tells.
        holder: String,
    },
    /// The session is inside a transaction of somebody else's.
    #[error("the session is inside a transaction already: a run opens its own")]
    InTransaction,
    /// Statements of one session reach different backends.
    #[error(
        "the session changed its backend from {before} to {after}: a transaction pooler stands in between; \
         connect to the server directly"
    )]
    Pooler {
        /// The backend that the session began with.
        before: u64,
        /// The backend that answered.
        after: u64,
    },
    /// Two sessions reach the same backend.
    #[error(
        "two sessions are served by one backend, {backend}: a transaction pooler stands in between; \
         connect to the server directly"
    )]
    Shared {
        /// The backend that answered both.
        backend: u64,
    },
    /// The server no longer lists our advisory lock.
    #[error("the advisory lock is no longer held by this session")]
    NotHeld,
    /// The lease has another holder.
    #[error("the lease of scope `{scope}` was taken over by {by}: this run stops before its next statement")]
    Stolen {
        /// The scope.
        scope: String,
        /// By whom.
        by: String,
    },
    /// The lease row is gone.
    #[error(
        "the lease of scope `{scope}` is missing: somebody deleted its row; this run stops before its next statement"
    )]
    Missing {
        /// The scope.
        scope: String,
    },
    /// The lease could not be renewed in time.
    #[error("the lease of scope `{scope}` could not be renewed in time: this run stops before its next statement")]
    Expired {
        /// The scope.
        scope: String,
    },
    /// Nothing was heard from the server any more, on any connection.
    #[error(
        "the server of scope `{scope}` did not answer for {}: the statement under way may still finish there; run \
         `trueup apply` again, it waits for that and looks",
        words(*time)
    )]
    Silent {
        /// The scope.
        scope: String,
        /// How long.
        time: Duration,
    },
    /// The engine has no session that could be ended.
    #[error(
        "the lock of this engine is the open transaction of a process: end that process; nothing of it is left behind"
    )]
    NoSession,
    /// What the lock keeps in the database was written by a newer version.
    #[error("the lock's table has format {found}, this version knows up to {known}")]
    NewerFormat {
        /// Its format.
        found: i64,
        /// The newest one known here.
        known: i64,
    },
    /// A store of the embedder's own has failed.
    #[error("cannot {doing}")]
    Store {
        /// What was being done.
        doing: String,
        /// Its words.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The server said no.
    #[error("cannot {doing}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// What the server said.
        #[source]
        source: Box<DbError>,
    },
}

impl LockError {
    /// The error of the server behind this one.
    #[must_use]
    pub fn database_error(&self) -> Option<&DbError> {
        match self {
            Self::Database { source, .. } => Some(source),
            Self::Timeout { .. }
            | Self::InTransaction
            | Self::Pooler { .. }
            | Self::Shared { .. }
            | Self::NotHeld
            | Self::NoSession
            | Self::Stolen { .. }
            | Self::Missing { .. }
            | Self::Expired { .. }
            | Self::Silent { .. }
            | Self::NewerFormat { .. }
            | Self::Store { .. } => None,
        }
    }

    /// The failure of a store of the embedder's own; `doing` goes on after "cannot".
    pub fn store(doing: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Store { doing: doing.into(), source: source.into() }
    }

    pub(crate) const fn database(doing: &'static str) -> impl FnOnce(DbError) -> Self {
        move |source| Self::Database { doing, source: Box::new(source) }
    }
}

fn words(time: Duration) -> String {
    if time.as_millis() < 1000 { format!("{} ms", time.as_millis()) } else { format!("{:.1} s", time.as_secs_f64()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_small_enough_to_return_by_value() {
        assert!(size_of::<LockError>() <= 128);
    }
}
