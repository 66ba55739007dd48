//! The advisory lock of the executing session.

use std::time::Duration;

use trueup_schema::DialectId;
use trueup_session::{Clock, Session};

use crate::{LockError, LockKey, full_jitter, mysql, postgres, sqlite};

/// First and longest pause between two attempts.
const PAUSE: (Duration, Duration) = (Duration::from_millis(25), Duration::from_secs(1));

/// How to wait for a lock.
pub struct Wait<'a> {
    /// One deadline over all attempts.
    pub deadline: Duration,
    /// Waits.
    pub clock: &'a dyn Clock,
    /// Hears who holds the lock, once, if it is not free at once.
    pub on_busy: &'a (dyn Fn(&str) + Send + Sync),
}

impl std::fmt::Debug for Wait<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wait").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

/// An advisory lock that is held. It does not release itself: call [`Advisory::release`], or drop the session.
///
/// On SQLite it is an open write transaction with foreign keys off; releasing it rolls back what is not committed.
#[derive(Debug)]
#[must_use = "the lock is held until it is released or the session ends"]
pub struct Advisory {
    key: LockKey,
    engine: Engine,
    /// Whether somebody else held it first.
    pub waited: bool,
}

#[derive(Debug)]
enum Engine {
    Postgres,
    MySql,
    Sqlite(sqlite::Settings),
}

/// Takes the lock on `session`, polling; never queues up at the server. Leaves no trace in the database.
///
/// # Errors
/// [`LockError::Timeout`] naming the holder, [`LockError::InTransaction`], [`LockError::Pooler`], or the server's words.
pub async fn acquire(session: &mut dyn Session, key: &LockKey, wait: &Wait<'_>) -> Result<Advisory, LockError> {
    if session.in_transaction() {
        return Err(LockError::InTransaction);
    }
    let engine = match session.server().dialect {
        DialectId::Postgres => Engine::Postgres,
        DialectId::MySql | DialectId::MariaDb => Engine::MySql,
        DialectId::Sqlite => Engine::Sqlite(sqlite::prepare(session).await?),
    };
    match poll(session, key, &engine, wait).await {
        Ok(waited) => {
            let held = Advisory { key: key.clone(), engine, waited };
            if let Err(error) = held.verify(session).await {
                held.release_after(session, &error).await;
                return Err(error);
            }
            Ok(held)
        }
        Err(error) => {
            if let Engine::Sqlite(settings) = &engine {
                report(sqlite::restore(session, settings).await);
            }
            Err(error)
        }
    }
}

/// Whether it had to wait.
async fn poll(session: &mut dyn Session, key: &LockKey, engine: &Engine, wait: &Wait<'_>) -> Result<bool, LockError> {
    let start = wait.clock.now();
    let mut attempt = 0;
    loop {
        let is_ours = match engine {
            Engine::Postgres => postgres::try_lock(session, key).await?,
            Engine::MySql => mysql::try_lock(session, key).await?,
            Engine::Sqlite(settings) => sqlite::try_lock(session, settings).await?,
        };
        if is_ours {
            return Ok(attempt > 0);
        }
        if attempt == 0 {
            let holder = holder(session, key, engine).await?;
            tracing::info!(%holder, "waiting for the lock");
            (wait.on_busy)(&holder);
        }
        let waited = wait.clock.now().saturating_sub(start);
        let Some(left) = wait.deadline.checked_sub(waited).filter(|left| !left.is_zero()) else {
            return Err(LockError::Timeout { waited: wait.deadline, holder: holder(session, key, engine).await? });
        };
        let pause = full_jitter(PAUSE.0, PAUSE.1, attempt).max(Duration::from_millis(1));
        wait.clock.sleep(pause.min(left)).await;
        attempt = attempt.saturating_add(1);
    }
}

async fn holder(session: &mut dyn Session, key: &LockKey, engine: &Engine) -> Result<String, LockError> {
    match engine {
        Engine::Postgres => postgres::holder(session, key).await,
        Engine::MySql => mysql::holder(session, key).await,
        Engine::Sqlite(_) => Ok("another connection is writing to the file".to_owned()),
    }
}

/// A failure to tidy up never replaces the result of what came before.
fn report(result: Result<(), LockError>) {
    if let Err(error) = result {
        tracing::warn!(error = &error as &dyn std::error::Error, "the lock was not released in good order");
    }
}

impl Advisory {
    /// Asks the server whether this very session still holds the lock, and whether it is still the same session.
    ///
    /// # Errors
    /// [`LockError::Pooler`], [`LockError::NotHeld`], or the server's words.
    pub async fn verify(&self, session: &mut dyn Session) -> Result<(), LockError> {
        match &self.engine {
            Engine::Postgres => postgres::verify(session, &self.key).await,
            Engine::MySql => mysql::verify(session, &self.key).await,
            Engine::Sqlite(_) if session.in_transaction() => Ok(()),
            Engine::Sqlite(_) => Err(LockError::NotHeld),
        }
    }

    /// Gives the lock back. On SQLite it rolls back a transaction that is still open and restores the session's settings.
    ///
    /// # Errors
    /// The server's words. The server releases the lock anyway when the session ends.
    pub async fn release(self, session: &mut dyn Session) -> Result<(), LockError> {
        match &self.engine {
            Engine::Postgres => postgres::unlock(session, &self.key).await,
            Engine::MySql => mysql::unlock(session, &self.key).await,
            Engine::Sqlite(settings) => {
                let rolled_back =
                    session.rollback().await.map_err(LockError::database("roll back the transaction that is the lock"));
                sqlite::restore(session, settings).await.and(rolled_back)
            }
        }
    }

    async fn release_after(self, session: &mut dyn Session, error: &LockError) {
        tracing::warn!(error = error as &dyn std::error::Error, "the lock cannot be trusted");
        report(self.release(session).await);
    }
}
