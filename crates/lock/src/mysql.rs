//! The named lock of MySQL and MariaDB. It belongs to the session; its name counts for the whole server.

use trueup_session::Session;

use crate::{LockError, LockKey};

/// A finite wait: MariaDB refuses a negative one, and NULL is an error that only looks like a no.
const TRY: &str = "SELECT GET_LOCK(?, 0)";

const UNLOCK: &str = "SELECT RELEASE_LOCK(?)";

const VERIFY: &str = "SELECT CAST(CONNECTION_ID() AS SIGNED), CAST(IS_USED_LOCK(?) AS SIGNED)";

const HOLDER: &str = "SELECT CAST(p.ID AS CHAR), p.USER, CAST(p.TIME AS CHAR) FROM information_schema.PROCESSLIST AS p \
     WHERE p.ID = IS_USED_LOCK(?)";

/// What the server says to a KILL of a connection that has just gone.
const NO_SUCH_THREAD: i32 = 1094;

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

pub(crate) async fn holder_id(session: &mut dyn Session, key: &LockKey) -> Result<Option<u64>, LockError> {
    let failed = || LockError::database("ask who holds the named lock");
    let sql = "SELECT CAST(IS_USED_LOCK(?) AS SIGNED)";
    let rows = session.query(sql, &[key.name().into()]).await.map_err(failed())?;
    let id = rows.first().map(|row| row.int_or_null(0)).transpose().map_err(failed())?;
    Ok(id.flatten().map(i64::unsigned_abs))
}

/// Ids count up from the server's start, so that one that is gone meanwhile names nobody else.
pub(crate) async fn end_holder(session: &mut dyn Session, key: &LockKey) -> Result<bool, LockError> {
    let Some(id) = holder_id(session, key).await?.filter(|id| *id != session.backend().id) else { return Ok(false) };
    match session.execute(&format!("KILL {id}")).await {
        Ok(_) => Ok(true),
        Err(error) if error.vendor_code == Some(NO_SUCH_THREAD) => Ok(false),
        Err(error) => Err(LockError::database("end the session that holds the named lock")(error)),
    }
}

/// `None` for a session of another node: this one does not list it.
pub(crate) async fn is_alive(session: &mut dyn Session, id: i64, started: &str) -> Result<Option<bool>, LockError> {
    let own = session.backend().started.as_str();
    if own != started {
        // another start of this very server tells of nobody
        return Ok(if is_elsewhere(own, started) { None } else { Some(false) });
    }
    let failed = || LockError::database("ask whether a session is still there");
    let sql = "SELECT EXISTS (SELECT 1 FROM information_schema.PROCESSLIST AS p WHERE p.ID = ?)";
    let rows = session.query(sql, &[id.into()]).await.map_err(failed())?;
    rows.first().map_or(Ok(false), |row| row.bool(0)).map(Some).map_err(failed())
}

/// Whether two backends are of different servers. What was written without the server's id is of this one.
fn is_elsewhere(one: &str, other: &str) -> bool {
    match (one.split_once(" @"), other.split_once(" @")) {
        (Some((_, one)), Some((_, other))) => one != other,
        (Some(_) | None, None) | (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_is_not_another_server() {
        assert!(!is_elsewhere("2026-11-30 10:00:00 @a", "2026-11-30 09:00:00 @a"));
        assert!(is_elsewhere("2026-11-30 10:00:00 @a", "2026-11-30 10:00:00 @b"));
        assert!(!is_elsewhere("2026-11-30 10:00:00 @a", "2026-11-30 10:00:00"));
    }
}
