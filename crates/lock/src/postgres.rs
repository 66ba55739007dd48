//! The advisory lock of PostgreSQL. It belongs to the session, and to the database by itself.

use trueup_session::Session;

use crate::{LockError, LockKey};

const TRY: &str = "SELECT pg_catalog.pg_try_advisory_lock($1::bigint)";

const UNLOCK: &str = "SELECT pg_catalog.pg_advisory_unlock($1::bigint)";

/// Rows of `pg_locks` that are this lock: a number of 64 bits is listed as two halves.
const IS_OURS: &str = "l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted \
     AND l.classid = (($1::bigint >> 32) & 4294967295)::oid AND l.objid = ($1::bigint & 4294967295)::oid \
     AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = current_database())";

pub(crate) async fn try_lock(session: &mut dyn Session, key: &LockKey) -> Result<bool, LockError> {
    let failed = || LockError::database("take the advisory lock");
    let rows = session.query(TRY, &[key.number().into()]).await.map_err(failed())?;
    rows.first().map_or(Ok(false), |row| row.bool(0)).map_err(failed())
}

/// One statement, so that both answers come from the same backend.
pub(crate) async fn verify(session: &mut dyn Session, key: &LockKey) -> Result<(), LockError> {
    let failed = || LockError::database("verify the advisory lock");
    let sql = format!(
        "SELECT pg_catalog.pg_backend_pid()::bigint, EXISTS (SELECT 1 FROM pg_catalog.pg_locks AS l \
         WHERE {IS_OURS} AND l.pid = pg_catalog.pg_backend_pid())"
    );
    let rows = session.query(&sql, &[key.number().into()]).await.map_err(failed())?;
    let Some(row) = rows.first() else { return Err(LockError::NotHeld) };
    let after = row.int(0).map_err(failed())?.unsigned_abs();
    let before = session.backend().id;
    if after != before {
        return Err(LockError::Pooler { before, after });
    }
    if row.bool(1).map_err(failed())? { Ok(()) } else { Err(LockError::NotHeld) }
}

pub(crate) async fn unlock(session: &mut dyn Session, key: &LockKey) -> Result<(), LockError> {
    let failed = || LockError::database("release the advisory lock");
    let rows = session.query(UNLOCK, &[key.number().into()]).await.map_err(failed())?;
    match rows.first().map(|row| row.bool(0)).transpose().map_err(failed())? {
        Some(true) => Ok(()),
        Some(false) | None => Err(LockError::NotHeld),
    }
}

pub(crate) async fn holder(session: &mut dyn Session, key: &LockKey) -> Result<String, LockError> {
    let failed = || LockError::database("ask who holds the advisory lock");
    let sql = format!(
        "SELECT 'process ' || l.pid || coalesce(' (' || nullif(a.application_name, '') || ')', '') \
         || coalesce(' of role ' || a.usename, '') \
         || coalesce(', connected since ' || to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC', '') \
         FROM pg_catalog.pg_locks AS l LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid WHERE {IS_OURS}"
    );
    let rows = session.query(&sql, &[key.number().into()]).await.map_err(failed())?;
    match rows.first() {
        Some(row) => Ok(format!("held by {}", row.text(0).map_err(failed())?)),
        None => Ok("the holder has just gone".to_owned()),
    }
}

pub(crate) async fn holder_id(session: &mut dyn Session, key: &LockKey) -> Result<Option<u64>, LockError> {
    let failed = || LockError::database("ask who holds the advisory lock");
    let sql = format!("SELECT l.pid::bigint FROM pg_catalog.pg_locks AS l WHERE {IS_OURS}");
    let rows = session.query(&sql, &[key.number().into()]).await.map_err(failed())?;
    rows.first().map(|row| row.int(0).map(i64::unsigned_abs)).transpose().map_err(failed())
}

/// One statement: who is ended is whoever holds it then.
pub(crate) async fn end_holder(session: &mut dyn Session, key: &LockKey) -> Result<bool, LockError> {
    let failed = || LockError::database("end the session that holds the advisory lock");
    let sql = format!(
        "SELECT pg_catalog.pg_terminate_backend(l.pid) FROM pg_catalog.pg_locks AS l \
         WHERE {IS_OURS} AND l.pid <> pg_catalog.pg_backend_pid()"
    );
    let rows = session.query(&sql, &[key.number().into()]).await.map_err(failed())?;
    rows.first().map_or(Ok(false), |row| row.bool(0)).map_err(failed())
}

pub(crate) async fn is_alive(session: &mut dyn Session, id: i64, started: &str) -> Result<bool, LockError> {
    let failed = || LockError::database("ask whether a session is still there");
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity AS a WHERE a.pid = $1::int \
               AND to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') = $2::text)";
    let rows = session.query(sql, &[id.into(), started.into()]).await.map_err(failed())?;
    rows.first().map_or(Ok(false), |row| row.bool(0)).map_err(failed())
}
