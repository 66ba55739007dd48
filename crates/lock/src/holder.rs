//! Who holds a lock, and how to end that session: for operators.

use trueup_schema::DialectId;
use trueup_session::Session;

use crate::{LockError, LockKey, mysql, postgres, sqlite};

/// The session that holds an advisory lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Process or connection id; `None` where the engine does not tell (SQLite, or without the right to see it).
    pub id: Option<u64>,
    /// Who, as far as the server tells.
    pub words: String,
}

/// Who holds the lock called `key` now. Takes nothing and leaves no trace; on SQLite it looks whether somebody writes.
///
/// # Errors
/// The server's words, or [`LockError::InTransaction`] on SQLite.
pub async fn holder(session: &mut dyn Session, key: &LockKey) -> Result<Option<Holder>, LockError> {
    let id = match session.server().dialect {
        DialectId::Postgres => postgres::holder_id(session, key).await?,
        DialectId::MySql | DialectId::MariaDb => mysql::holder_id(session, key).await?,
        DialectId::Sqlite => return sqlite_holder(session).await,
    };
    let Some(id) = id else { return Ok(None) };
    let words = match session.server().dialect {
        DialectId::Postgres => postgres::holder(session, key).await?,
        DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => mysql::holder(session, key).await?,
    };
    Ok(Some(Holder { id: Some(id), words }))
}

async fn sqlite_holder(session: &mut dyn Session) -> Result<Option<Holder>, LockError> {
    if session.in_transaction() {
        return Err(LockError::InTransaction);
    }
    let settings = sqlite::prepare(session).await?;
    let is_free = sqlite::try_lock(session, &settings).await;
    if session.in_transaction() {
        session.rollback().await.map_err(LockError::database("end the look at the lock"))?;
    }
    sqlite::restore(session, &settings).await?;
    let words = "another connection is writing to the file".to_owned();
    Ok(if is_free? { None } else { Some(Holder { id: None, words }) })
}

/// Ends the session that holds the lock, at the server; whether there was one. The statement that it runs is rolled back by
/// the server, which takes its time: acquire the lock to wait for that.
///
/// # Errors
/// The server's words: without the right to end sessions, for one. [`LockError::NoSession`] on SQLite.
pub async fn end_holder(session: &mut dyn Session, key: &LockKey) -> Result<bool, LockError> {
    match session.server().dialect {
        DialectId::Postgres => postgres::end_holder(session, key).await,
        DialectId::MySql | DialectId::MariaDb => mysql::end_holder(session, key).await,
        DialectId::Sqlite => Err(LockError::NoSession),
    }
}

/// Whether the server's end of a session is still there; `None` where the engine has no such thing, and for a session of
/// another node of a cluster.
///
/// `started` is what the session said of itself, so that an id that is used again is not mistaken for it.
///
/// # Errors
/// The server's words.
pub async fn is_alive(session: &mut dyn Session, id: i64, started: &str) -> Result<Option<bool>, LockError> {
    match session.server().dialect {
        DialectId::Postgres => postgres::is_alive(session, id, started).await.map(Some),
        DialectId::MySql | DialectId::MariaDb => mysql::is_alive(session, id, started).await,
        DialectId::Sqlite => Ok(None),
    }
}
