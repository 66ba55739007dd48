//! What the drivers share.

use std::future::Future;
use std::time::Duration;

use sqlx::AssertSqlSafe;

use crate::{DatabaseUrl, DbError, DbErrorKind, Row};

/// The one place where text becomes SQL for the driver. What comes here was rendered from checked names, or is a
/// declaration that its owner asked us to run.
pub(super) fn statement(sql: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(sql.to_owned())
}

/// An error of the driver that did not come from the server. Database errors go through the dialect's own table.
#[expect(clippy::wildcard_enum_match_arm, reason = "the driver's list is open and depends on its features")]
pub(super) fn driver_error(error: &sqlx::Error) -> DbError {
    use sqlx::Error as E;
    match error {
        E::Io(cause) => DbError::new(DbErrorKind::ConnectionLost, format!("the connection broke: {cause}")),
        E::WorkerCrashed => DbError::new(DbErrorKind::ConnectionLost, "the driver's worker thread has ended"),
        E::Tls(cause) => DbError::new(DbErrorKind::CannotConnect, format!("no encrypted connection: {cause}")),
        // The cause may repeat a value of the URL.
        E::Configuration(_) => {
            DbError::new(DbErrorKind::CannotConnect, "the driver does not take a parameter of the database URL")
        }
        E::Decode(cause) => {
            let carried = cause.downcast_ref::<DbError>().cloned();
            carried.unwrap_or_else(|| DbError::new(DbErrorKind::Decode, error.to_string()))
        }
        E::ColumnDecode { .. } => DbError::new(DbErrorKind::Decode, error.to_string()),
        E::Encode(cause) => DbError::new(DbErrorKind::Other, format!("a parameter does not encode: {cause}")),
        _ => DbError::new(DbErrorKind::Other, error.to_string()),
    }
}

/// An error of ours on its way through the driver; [`driver_error`] takes it out again.
pub(super) fn carry(error: DbError) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}

/// Puts the place in front of an error that came up while connecting, and gives it the kind that fits there.
pub(super) fn while_connecting(url: &DatabaseUrl, mut error: DbError) -> DbError {
    if matches!(error.kind, DbErrorKind::ConnectionLost | DbErrorKind::Other) {
        error.kind = DbErrorKind::CannotConnect;
    }
    error.message = format!("cannot connect to {}: {}", url.place(), error.message);
    error
}

/// Runs the whole of a connect, settings included, within `timeout`.
pub(super) async fn within<T>(
    timeout: Duration,
    url: &DatabaseUrl,
    connect: impl Future<Output = Result<T, DbError>>,
) -> Result<T, DbError> {
    match tokio::time::timeout(timeout, connect).await {
        Ok(result) => result.map_err(|error| while_connecting(url, error)),
        Err(_) => {
            let why = format!("no answer within {} ms", timeout.as_millis());
            Err(while_connecting(url, DbError::new(DbErrorKind::CannotConnect, why)))
        }
    }
}

/// The URL for the driver's own parser, with only the parameters in `known`: the driver would print the value of one
/// that it does not know, secrets included.
#[cfg(any(feature = "postgres", feature = "mysql"))]
pub(super) fn driver_url(url: &DatabaseUrl, known: &[&str]) -> Result<url::Url, DbError> {
    let bad = |_| DbError::new(DbErrorKind::CannotConnect, "the database URL does not parse");
    let mut parsed = url::Url::parse(url.secret_text()).map_err(bad)?;
    parsed.set_query(None);
    for name in url.parameter_names() {
        match url.secret_parameter(name) {
            Some(value) if known.contains(&name) => {
                parsed.query_pairs_mut().append_pair(name, value);
            }
            _ => tracing::warn!(parameter = name, "a parameter of the database URL is not used"),
        }
    }
    Ok(parsed)
}

/// The first numbers of a version text, such as `10.11.14-MariaDB`.
#[cfg(any(feature = "mysql", feature = "sqlite"))]
pub(super) fn version(text: &str) -> [u32; 3] {
    let mut version = [0; 3];
    for (place, part) in version.iter_mut().zip(text.split(['.', '-', '+', ' ', '~'])) {
        match part.parse() {
            Ok(number) => *place = number,
            Err(_) => break,
        }
    }
    version
}

/// The rows of statements that give one each.
pub(super) fn one_each(rows: Vec<Row>, statements: &[String]) -> Result<Vec<Row>, DbError> {
    if rows.len() == statements.len() {
        return Ok(rows);
    }
    let message = format!("{} rows for {} statements that give one each", rows.len(), statements.len());
    Err(DbError::new(DbErrorKind::Decode, message))
}

/// The error for beginning twice.
pub(super) fn already_open() -> DbError {
    DbError::new(DbErrorKind::Other, "a transaction is open already")
}

/// The error for committing nothing.
pub(super) fn not_open() -> DbError {
    DbError::new(DbErrorKind::Other, "no transaction is open: it was never begun, or the server has ended it")
}

/// The error for a parameter that the engine has no type for.
#[cfg(any(feature = "mysql", feature = "sqlite"))]
pub(super) fn no_arrays() -> DbError {
    DbError::new(DbErrorKind::Other, "this engine has no arrays for parameters")
}

/// The error for a column that cannot be read.
pub(super) fn undecodable(column: usize, name: &str, what: &str) -> DbError {
    DbError::new(DbErrorKind::Decode, format!("column {column} (`{name}`) {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(any(feature = "mysql", feature = "sqlite"))]
    #[test]
    fn versions_are_the_first_numbers() {
        assert_eq!(version("10.11.14-MariaDB-0+deb12u2"), [10, 11, 14]);
        assert_eq!(version("9.7.0"), [9, 7, 0]);
        assert_eq!(version("3.51.3"), [3, 51, 3]);
        assert_eq!(version("8.0-x"), [8, 0, 0]);
    }

    #[test]
    fn a_lost_connection_while_connecting_is_no_connection() {
        let url = DatabaseUrl::parse("postgres://a:canary@h:1/x").unwrap();
        let error =
            while_connecting(&url, driver_error(&sqlx::Error::Io(std::io::ErrorKind::ConnectionRefused.into())));
        assert_eq!(error.kind, DbErrorKind::CannotConnect);
        assert!(error.message.starts_with("cannot connect to `x` at h:1: ") && !error.message.contains("canary"));
    }
}
