//! Picks the reader of an engine.

use std::collections::BTreeMap;

use trueup_schema::DialectId;
use trueup_session::Session;

use crate::{IntrospectError, Introspected, Request, mariadb, mysql, postgres, sqlite};

/// Reads the catalog behind `session`. The caller opens the read-only transaction that makes it one consistent picture.
///
/// # Errors
/// [`IntrospectError`] with what was being read.
pub async fn introspect(session: &mut dyn Session, request: &Request) -> Result<Introspected, IntrospectError> {
    match session.server().dialect {
        DialectId::Postgres => postgres::introspect(session, request).await,
        DialectId::Sqlite => sqlite::introspect(session, request).await,
        DialectId::MySql => mysql::introspect(session, request).await,
        DialectId::MariaDb => mariadb::introspect(session, request).await,
    }
}

/// The settings of the server behind `session` that change how its engine thinks, as [`introspect`] reads them into the live facts. Empty
/// for engines that have none.
///
/// # Errors
/// [`IntrospectError`] if they cannot be read.
pub async fn settings(session: &mut dyn Session) -> Result<BTreeMap<String, String>, IntrospectError> {
    match session.server().dialect {
        DialectId::Postgres | DialectId::Sqlite => Ok(BTreeMap::new()),
        DialectId::MySql => mysql::settings(session).await,
        DialectId::MariaDb => mariadb::settings(session).await,
    }
}
