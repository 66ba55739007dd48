//! Telling a pooler that lends sessions out by transaction.
//!
//! Behind one, a lock of a session belongs to whoever is served next. Asking a session who it is does not tell: a pool with
//! nobody else in it gives the same backend each time. Two sessions that find themselves on one backend do.

use trueup_schema::DialectId;
use trueup_session::{ConnectOptions, Connector, Session, TransactionMode, Value};

use crate::{LockError, nonce};

/// How often the two look at each other.
const ROUNDS: usize = 2;

/// Leaves a mark in the session, and says where it was left.
const MARK: &str = "SELECT pg_catalog.pg_backend_pid()::bigint, pg_catalog.set_config('trueup.mark', $1::text, false)";

/// Whether the mark is here as well.
const LOOK: &str = "SELECT pg_catalog.pg_backend_pid()::bigint, \
     coalesce(pg_catalog.current_setting('trueup.mark', true), '') = $1::text";

/// Refuses `session` where a pooler between it and the server gives it another backend for each transaction (PostgreSQL;
/// elsewhere there is nothing to look for). `connector` opens a second session to the same place, for the look. Takes no lock
/// and leaves no trace.
///
/// # Errors
/// [`LockError::Pooler`], [`LockError::InTransaction`], or the server's words.
pub async fn refuse_pooler(session: &mut dyn Session, connector: &dyn Connector) -> Result<(), LockError> {
    if session.server().dialect != DialectId::Postgres {
        return Ok(());
    }
    if session.in_transaction() {
        return Err(LockError::InTransaction);
    }
    let failed = || LockError::database("look for a pooler");
    let options =
        ConnectOptions { application_name: "trueup watch".to_owned(), read_only: true, ..ConnectOptions::default() };
    let mut other = connector.connect(&options).await.map_err(failed())?;
    let mark = nonce();
    let found = match look(session, other.as_mut(), &mark).await {
        // What one of them has prepared is in the way of the other, or is not there when it is asked for.
        Err(LockError::Database { source, .. }) if source.sqlstate.as_deref().is_some_and(is_prepared) => {
            Err(LockError::Shared { backend: session.backend().id })
        }
        found => found,
    };
    if found.is_ok() {
        // Nobody else is served by this backend: what was left in it is only our own.
        session.query(MARK, &["".into()]).await.map_err(failed())?;
    }
    if let Err(error) = other.close().await {
        tracing::debug!(error = &error as &dyn std::error::Error, "the second session broke at its end");
    }
    found
}

/// `duplicate_prepared_statement`, `invalid_sql_statement_name`.
fn is_prepared(state: &str) -> bool {
    matches!(state, "42P05" | "26000")
}

async fn look(session: &mut dyn Session, other: &mut dyn Session, mark: &str) -> Result<(), LockError> {
    let before = session.backend().id;
    marked(session, mark, before).await?;
    for _ in 0..ROUNDS {
        // An idle session behind a pooler has no backend: whoever begins a transaction gets the one that it has just left.
        let failed = || LockError::database("look for a pooler");
        other.begin(TransactionMode::ReadOnly).await.map_err(failed())?;
        let rows = other.query(LOOK, &[Value::from(mark)]).await.map_err(failed())?;
        let Some(row) = rows.first() else { return Err(LockError::NotHeld) };
        let (at, is_marked) = (row.int(0).map_err(failed())?.unsigned_abs(), row.bool(1).map_err(failed())?);
        if at == before || is_marked {
            return Err(LockError::Shared { backend: at });
        }
        marked(session, mark, before).await?;
        other.rollback().await.map_err(failed())?;
    }
    Ok(())
}

/// Leaves the mark; an error if `before` is no longer the session's backend.
async fn marked(session: &mut dyn Session, mark: &str, before: u64) -> Result<(), LockError> {
    let failed = || LockError::database("look for a pooler");
    let rows = session.query(MARK, &[mark.into()]).await.map_err(failed())?;
    let after = rows.first().map_or(Ok(0), |row| row.int(0)).map_err(failed())?.unsigned_abs();
    if after == before { Ok(()) } else { Err(LockError::Pooler { before, after }) }
}
