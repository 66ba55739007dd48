//! Scratch databases: made, found again when they are old, dropped.

use trueup_schema::{DialectId, Ident};
use trueup_session::{DbError, DbErrorKind, Session};

use crate::LoadError;

/// What scratch databases are called, before a time stamp.
const PREFIX: &str = "trueup_dev_";

/// How old, in seconds, a scratch database must be before another run drops it.
const OLD: i64 = 3600;

/// Drops scratch databases that some earlier run left behind more than an hour ago.
pub(super) async fn reap(session: &mut dyn Session) -> Result<(), LoadError> {
    let failed = |source| LoadError::DevDatabase { doing: "looking for old ones", source };
    let sql = "SELECT CAST(SCHEMA_NAME AS CHAR), CAST(UNIX_TIMESTAMP() AS SIGNED) FROM information_schema.SCHEMATA \
               WHERE SCHEMA_NAME LIKE 'trueup\\_dev\\_%'";
    for row in session.query(sql, &[]).await.map_err(failed)? {
        let (Ok(name), Ok(now)) = (row.text(0), row.int(1)) else { continue };
        if made_at(name).is_some_and(|made| now - made > OLD) {
            // Somebody else may be dropping it, or may have made it.
            session.execute(&format!("DROP DATABASE IF EXISTS `{name}`")).await.ok();
        }
    }
    Ok(())
}

/// When a scratch database of this name was made; `None` for any other database.
fn made_at(name: &str) -> Option<i64> {
    let (seconds, rest) = name.strip_prefix(PREFIX)?.split_once('_')?;
    let is_hex = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_hexdigit());
    if is_hex { seconds.parse().ok() } else { None }
}

/// Makes an empty scratch database with `options`, and says what it is called.
pub(super) async fn create(session: &mut dyn Session, options: &str) -> Result<Ident, LoadError> {
    let failed = |source| LoadError::DevDatabase { doing: "making it", source };
    let sql = "SELECT CONCAT('trueup_dev_', UNIX_TIMESTAMP(), '_', \
               LEFT(SHA2(CONCAT(RAND(), CONNECTION_ID(), UTC_TIMESTAMP(6)), 256), 12))";
    let rows = session.query(sql, &[]).await.map_err(failed)?;
    let odd = || failed(DbError::new(DbErrorKind::Decode, "no name"));
    let name = rows.first().ok_or_else(odd)?.text(0).map_err(failed)?.to_owned();
    let name = Ident::new(name).map_err(|_| odd())?;
    let sql = format!("CREATE DATABASE {} {options}", name.quoted(DialectId::MySql));
    session.execute(&sql).await.map_err(|source| {
        if source.kind == DbErrorKind::PermissionDenied {
            LoadError::NoDevDatabase(
                "SQL files are loaded through a scratch database, and this account may not create one; \
                 grant it all on `trueup\\_dev\\_%`.*, name a server where it may with --dev-url, or compile the files to a document \
                 there once (trueup inspect --schema PATH --format json) and plan from that"
                    .to_owned(),
            )
        } else {
            failed(source)
        }
    })?;
    Ok(name)
}

/// Character set and collation of a database as options, empty where it is not there.
pub(super) async fn options_of(session: &mut dyn Session, database: &str) -> Result<String, LoadError> {
    let failed = |source| LoadError::DevDatabase { doing: "looking at the target database", source };
    let sql = "SELECT CAST(DEFAULT_CHARACTER_SET_NAME AS CHAR), CAST(DEFAULT_COLLATION_NAME AS CHAR) \
               FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?";
    let rows = session.query(sql, &[database.into()]).await.map_err(failed)?;
    match rows.first() {
        Some(row) => {
            Ok(format!("CHARACTER SET {} COLLATE {}", row.text(0).map_err(failed)?, row.text(1).map_err(failed)?))
        }
        None => Ok(String::new()),
    }
}

/// Drops scratch databases.
pub(super) async fn drop<'n>(
    session: &mut dyn Session,
    names: impl Iterator<Item = &'n Ident>,
) -> Result<(), LoadError> {
    let mut first = Ok(());
    for name in names {
        let sql = format!("DROP DATABASE IF EXISTS {}", name.quoted(DialectId::MySql));
        let dropped = session.execute(&sql).await;
        let dropped =
            dropped.map(std::mem::drop).map_err(|source| LoadError::DevDatabase { doing: "dropping it", source });
        first = first.and(dropped);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_are_known_by_name() {
        assert_eq!(made_at("trueup_dev_1700000000_00ff00ff00ff"), Some(1_700_000_000));
        for name in
            ["trueup_dev_1700000000", "trueup_dev_x_00", "trueup_dev_1_shop", "trueup_branch_1_00", "trueup_dev_1_"]
        {
            assert_eq!(made_at(name), None, "{name}");
        }
    }
}
