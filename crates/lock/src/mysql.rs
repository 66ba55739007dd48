//! The named lock of MySQL and MariaDB. It belongs to the session; its name counts for the whole server.

use trueup_session::Session;

use crate::{LockError, LockKey};

/// A finite wait: MariaDB refuses a negative one, and NULL is an error that only looks like a no.
const TRY: &str = "SELECT GET_LOCK(?, 0)";

const UNLOCK: &str = "SELECT RELEASE_LOCK(?)";

const VERIFY: &str = "SELECT CAST(CONNECTION_ID() AS SIGNED), CAST(IS_USED_LOCK(?) AS SIGNED)";

const HOLDER: &str = "SELECT CAST(p.ID AS CHAR), p.USER, CAST(p.TIME AS CHAR) FROM information_schema.PROCESSLIST AS p \
     WHERE p.ID = IS_USED_LOCK(?)";

/// Only 1 is a yes: 0 is somebody else's lock, NULL an error.
pub(crate) async fn try_lock(session: &mut dyn Session, key: &LockKey) -> Result<bool, LockError> {
    let failed = || LockError::database("take the named lock");
    let rows = session.query(TRY, &[key.name().into()]).await.map_err(failed())?;
    let answer = rows.first().map(|row| row.int_or_null(0)).transpose().map_err(failed())?;
    Ok(answer.flatten() == Some(1))
}

pub(crate) async fn verify(session: &mut dyn Session, key: &LockKey) -> Result<(), LockError> {
    let failed = || LockError::database("verify the named lock");
    let rows = session.query(VERIFY, &[key.name().into()]).await.map_err(failed())?;
    let Some(row) = rows.first() else { return Err(LockError::NotHeld) };
    let after = row.int(0).map_err(failed())?.unsigned_abs();
    let before = session.backend().id;
    if after != before {
        return Err(LockError::Pooler { before, after });
    }
    let holder = row.int_or_null(1).map_err(failed())?;
    if holder.map(i64::unsigned_abs) == Some(before) { Ok(()) } else { Err(LockError::NotHeld) }
}

pub(crate) async fn unlock(session: &mut dyn Session, key: &LockKey) -> Result<(), LockError> {
    let failed = || LockError::database("release the named lock");
    let rows = session.query(UNLOCK, &[key.name().into()]).await.map_err(failed())?;
    match rows.first().map(|row| row.int_or_null(0)).transpose().map_err(failed())?.flatten() {
        Some(1) => Ok(()),
        _ => Err(LockError::NotHeld),
    }
}

pub(crate) async fn holder(session: &mut dyn Session, key: &LockKey) -> Result<String, LockError> {
    let failed = || LockError::database("ask who holds the named lock");
    let rows = session.query(HOLDER, &[key.name().into()]).await.map_err(failed())?;
    let Some(row) = rows.first() else {
        return Ok(format!("`{}` is held by a connection that this role may not see", key.name()));
    };
    let text = |at| row.text(at).map_err(failed());
    Ok(format!("held by connection {} of user {}, busy or idle for {} s", text(0)?, text(1)?, text(2)?))
}
