//! The write transaction of SQLite, which is the whole lock there.
//!
//! Foreign keys can only be switched off outside of a transaction, and whether the plan needs that is known only inside of
//! it: they are switched off first, and put back when the lock is released.

use trueup_session::{DbErrorKind, Session, TransactionMode};

use crate::LockError;

/// What the session was set to before.
#[derive(Debug)]
pub(crate) struct Settings {
    foreign_keys: i64,
    legacy_alter_table: i64,
    busy_timeout: i64,
}

async fn pragma(session: &mut dyn Session, name: &str) -> Result<i64, LockError> {
    let failed = || LockError::database("read a pragma");
    let rows = session.query(&format!("PRAGMA {name}"), &[]).await.map_err(failed())?;
    rows.first().map_or(Ok(0), |row| row.int(0)).map_err(failed())
}

async fn set(session: &mut dyn Session, name: &str, value: i64) -> Result<(), LockError> {
    // Some pragmas answer with their new value, so this is a query.
    let done = session.query(&format!("PRAGMA {name} = {value}"), &[]).await;
    done.map(drop).map_err(LockError::database("set a pragma"))
}

pub(crate) async fn prepare(session: &mut dyn Session) -> Result<Settings, LockError> {
    let settings = Settings {
        foreign_keys: pragma(session, "foreign_keys").await?,
        legacy_alter_table: pragma(session, "legacy_alter_table").await?,
        busy_timeout: pragma(session, "busy_timeout").await?,
    };
    set(session, "foreign_keys", 0).await?;
    // Inside somebody else's transaction the pragma does nothing, and says nothing.
    if pragma(session, "foreign_keys").await? != 0 {
        return Err(LockError::InTransaction);
    }
    // The engine's own wait knows nothing of our deadline.
    set(session, "busy_timeout", 0).await?;
    Ok(settings)
}

pub(crate) async fn try_lock(session: &mut dyn Session, settings: &Settings) -> Result<bool, LockError> {
    match session.begin(TransactionMode::Write).await {
        Ok(()) => set(session, "busy_timeout", settings.busy_timeout).await.map(|()| true),
        Err(error) if error.kind == DbErrorKind::LockTimeout => Ok(false),
        Err(error) => Err(LockError::database("begin the transaction that is the lock")(error)),
    }
}

/// Outside of the transaction.
pub(crate) async fn restore(session: &mut dyn Session, settings: &Settings) -> Result<(), LockError> {
    let busy = set(session, "busy_timeout", settings.busy_timeout).await;
    let legacy = set(session, "legacy_alter_table", settings.legacy_alter_table).await;
    set(session, "foreign_keys", settings.foreign_keys).await.and(legacy).and(busy)
}
