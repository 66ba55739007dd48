//! Picks the reader of an engine.

use std::collections::BTreeMap;

use trueup_plan::LiveFacts;
use trueup_schema::{DialectId, QualName};
use trueup_session::{BoxFuture, Session};

use crate::{IntrospectError, Introspected, Request, mariadb, mysql, postgres, sqlite};

/// Reads the catalog behind `session`. The caller opens the read-only transaction that makes it one consistent picture.
///
/// # Errors
/// [`IntrospectError`] with what was being read.
pub fn introspect<'a>(
    session: &'a mut dyn Session,
    request: &'a Request,
) -> BoxFuture<'a, Result<Introspected, IntrospectError>> {
    Box::pin(async move {
        match session.server().dialect {
            DialectId::Postgres => postgres::introspect(session, request).await,
            DialectId::Sqlite => sqlite::introspect(session, request).await,
            DialectId::MySql => mysql::introspect(session, request).await,
            DialectId::MariaDb => mariadb::introspect(session, request).await,
        }
    })
}

/// The settings of the server behind `session` that change how its engine thinks, as [`introspect`] reads them into the live facts. Empty
/// for engines that have none.
///
/// # Errors
/// [`IntrospectError`] if they cannot be read.
pub fn settings<'a>(session: &'a mut dyn Session) -> BoxFuture<'a, Result<BTreeMap<String, String>, IntrospectError>> {
    Box::pin(async move {
        match session.server().dialect {
            DialectId::Postgres | DialectId::Sqlite => Ok(BTreeMap::new()),
            DialectId::MySql => mysql::settings(session).await,
            DialectId::MariaDb => mariadb::settings(session).await,
        }
    })
}

/// Reads the sizes of all tables of `facts` and which of them are empty, where [`introspect`] left that out because it is dear: only a plan
/// that changes something asks.
///
/// # Errors
/// [`IntrospectError`] if they cannot be read.
pub fn measure<'a>(
    session: &'a mut dyn Session,
    facts: &'a mut LiveFacts,
) -> BoxFuture<'a, Result<(), IntrospectError>> {
    Box::pin(async move {
        match session.server().dialect {
            DialectId::Postgres => postgres::measure(session, facts).await,
            DialectId::Sqlite | DialectId::MySql | DialectId::MariaDb => Ok(()),
        }
    })
}

/// The definitions of tables as the server prints them, in few trips. None on engines that print none, and where one is not shown.
///
/// # Errors
/// [`IntrospectError`] if the connection is lost.
pub fn shown_tables<'a>(
    session: &'a mut dyn Session,
    names: Vec<QualName>,
) -> BoxFuture<'a, Result<BTreeMap<QualName, String>, IntrospectError>> {
    Box::pin(async move {
        let dialect = session.server().dialect;
        match dialect {
            DialectId::Postgres | DialectId::Sqlite => Ok(BTreeMap::new()),
            DialectId::MySql | DialectId::MariaDb => mysql::definitions::tables(session, dialect, names).await,
        }
    })
}
