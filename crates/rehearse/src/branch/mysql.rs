//! MySQL and MariaDB: a scratch database on the same server, empty at first.

use trueup_session::{ConnectOptions, Connector, DbError, DbErrorKind, Session};

use super::{Branch, BranchError};

/// What branches are called, before a time stamp.
const PREFIX: &str = "trueup_branch_";

/// How old, in seconds, a branch must be before another run drops it.
const OLD: i64 = 3600;

pub(super) async fn make(parent: &dyn Connector, with_data: bool) -> Result<Branch, BranchError> {
    if with_data {
        return Err(BranchError::Unsupported(
            "the server cannot copy a database with its rows as they are at one moment; rehearse without --with-data, \
             or on a restored backup"
                .to_owned(),
        ));
    }
    let mut session = connect(parent).await?;
    reap(session.as_mut()).await?;
    let name = create(session.as_mut()).await?;
    session.close().await.map_err(|source| BranchError::Database { doing: "leaving its server", source })?;
    Ok(Branch { mechanism: "database", connector: parent.with_database(&name), name, filled: false })
}

/// Makes an empty database with the character set and collation of the connection's, and says what it is called.
async fn create(session: &mut dyn Session) -> Result<String, BranchError> {
    let failed = |source| BranchError::Database { doing: "making it", source };
    let sql = "SELECT CONCAT('trueup_branch_', UNIX_TIMESTAMP(), '_', \
               LEFT(SHA2(CONCAT(RAND(), CONNECTION_ID(), UTC_TIMESTAMP(6)), 256), 12)), \
               CAST(DEFAULT_CHARACTER_SET_NAME AS CHAR), CAST(DEFAULT_COLLATION_NAME AS CHAR) \
               FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = DATABASE()";
    let rows = session.query(sql, &[]).await.map_err(failed)?;
    let Some(row) = rows.first() else {
        return Err(BranchError::Unsupported("a rehearsal needs a database in the connection URL".to_owned()));
    };
    let read = |at: usize| row.text(at).map_err(failed);
    let name = read(0)?.to_owned();
    let sql = format!("CREATE DATABASE `{name}` CHARACTER SET {} COLLATE {}", read(1)?, read(2)?);
    session.execute(&sql).await.map_err(|source| {
        if source.kind != DbErrorKind::PermissionDenied {
            return failed(source);
        }
        let why = "a rehearsal needs a scratch database, and this account may not create one; \
                   grant it all on `trueup\\_branch\\_%`.*";
        BranchError::Unsupported(why.to_owned())
    })?;
    Ok(name)
}

async fn connect(connector: &dyn Connector) -> Result<Box<dyn Session>, BranchError> {
    let options = ConnectOptions { application_name: "trueup rehearsal".to_owned(), ..ConnectOptions::default() };
    connector
        .connect(&options)
        .await
        .map_err(|source| BranchError::Database { doing: "connecting to its server", source })
}

async fn reap(session: &mut dyn Session) -> Result<(), BranchError> {
    let failed = |source| BranchError::Database { doing: "looking for old ones", source };
    let sql = "SELECT CAST(SCHEMA_NAME AS CHAR), CAST(UNIX_TIMESTAMP() AS SIGNED) FROM information_schema.SCHEMATA \
               WHERE SCHEMA_NAME LIKE 'trueup\\_branch\\_%'";
    for row in session.query(sql, &[]).await.map_err(failed)? {
        let (Ok(name), Ok(now)) = (row.text(0), row.int(1)) else { continue };
        if made_at(name).is_some_and(|made| now - made > OLD) {
            // Somebody else may be dropping it, or may have made it.
            session.execute(&format!("DROP DATABASE IF EXISTS `{name}`")).await.ok();
        }
    }
    Ok(())
}

/// When a branch of this name was made; `None` for any other database.
fn made_at(name: &str) -> Option<i64> {
    let (seconds, rest) = name.strip_prefix(PREFIX)?.split_once('_')?;
    let is_hex = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_hexdigit());
    if is_hex { seconds.parse().ok() } else { None }
}

pub(super) async fn drop(parent: &dyn Connector, name: &str) -> Result<(), BranchError> {
    let failed = |source| BranchError::Database { doing: "dropping it", source };
    if made_at(name).is_none() {
        return Err(failed(DbError::new(DbErrorKind::Other, format!("`{name}` is no branch"))));
    }
    let mut session = connect(parent).await?;
    session.execute(&format!("DROP DATABASE IF EXISTS `{name}`")).await.map_err(failed)?;
    session.close().await.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_are_known_by_name() {
        assert_eq!(made_at("trueup_branch_1700000000_00ff00ff00ff"), Some(1_700_000_000));
        for name in ["trueup_branch_1700000000", "trueup_branch_x_00", "trueup_dev_1_00", "shop"] {
            assert_eq!(made_at(name), None, "{name}");
        }
    }
}
