//! From SQLSTATE to kind.

use sqlx::postgres::{PgDatabaseError, PgErrorPosition};

use crate::drivers::common;
use crate::{DbError, DbErrorKind};

use DbErrorKind as K;

/// Whole codes first, then classes of two characters; the first row that fits decides.
const KINDS: &[(&str, DbErrorKind)] = &[
    ("42601", K::Syntax),
    ("42P01", K::UndefinedObject), // table
    ("42703", K::UndefinedObject), // column
    ("42704", K::UndefinedObject), // type, index, role, constraint…
    ("42883", K::UndefinedObject), // function
    ("42P02", K::UndefinedObject), // parameter
    ("3F000", K::UndefinedObject), // schema
    ("34000", K::UndefinedObject), // cursor
    ("26000", K::UndefinedObject), // prepared statement
    ("42P07", K::DuplicateObject), // table
    ("42701", K::DuplicateObject), // column
    ("42710", K::DuplicateObject), // type, role, constraint…
    ("42P06", K::DuplicateObject), // schema
    ("42P04", K::DuplicateObject), // database
    ("42723", K::DuplicateObject), // function
    ("42P03", K::DuplicateObject), // cursor
    ("42P05", K::DuplicateObject), // prepared statement
    ("23505", K::UniqueViolation),
    ("23P01", K::UniqueViolation), // exclusion
    ("23503", K::ForeignKeyViolation),
    ("23001", K::ForeignKeyViolation), // restrict
    ("23502", K::NotNullViolation),
    ("23514", K::CheckViolation),
    ("44000", K::CheckViolation), // WITH CHECK OPTION
    ("55P03", K::LockTimeout),
    ("57014", K::StatementTimeout),
    ("25P04", K::StatementTimeout), // transaction_timeout
    ("40P01", K::Deadlock),
    ("40001", K::SerializationFailure),
    ("42501", K::PermissionDenied),
    ("28", K::AuthenticationFailed),
    ("3D000", K::CannotConnect),
    ("57P03", K::CannotConnect), // starting up or shutting down
    ("53300", K::CannotConnect), // too many connections
    ("57P01", K::ConnectionLost),
    ("57P02", K::ConnectionLost),
    ("57P04", K::ConnectionLost),
    ("57P05", K::ConnectionLost), // idle session
    ("25P03", K::ConnectionLost), // idle in transaction
    ("08", K::ConnectionLost),
    ("25006", K::ReadOnly),
    ("53100", K::DiskFull),
    ("2BP01", K::DependentObjects),
    ("2B", K::DependentObjects),
];

fn kind(code: &str) -> DbErrorKind {
    KINDS.iter().find(|(row, _)| code.starts_with(row)).map_or(K::Other, |(_, kind)| *kind)
}

/// Whether an error is about a prepared statement. A session's own are in nobody's way, unless somebody else shares its backend.
fn is_pooled(code: &str) -> bool {
    matches!(code, "42P05" | "26000")
}

/// An error of the driver as one of ours.
pub(super) fn map(error: &sqlx::Error) -> DbError {
    let server = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    let Some(server) = server else { return common::driver_error(error) };
    let mut message = server.message().to_owned();
    // Details and hints are whole sentences of the server's own.
    for more in [server.detail(), server.hint()].into_iter().flatten() {
        message.push_str("; ");
        message.push_str(more.trim_end_matches('.'));
    }
    if is_pooled(server.code()) {
        message.push_str("; a transaction pooler stands in between: connect to the server directly");
    }
    let position = match server.position() {
        Some(PgErrorPosition::Original(position)) => Some(position),
        // A position inside the body of a function says nothing about our statement.
        Some(PgErrorPosition::Internal { .. }) | None => None,
    };
    DbError {
        sqlstate: Some(server.code().to_owned()),
        constraint: server.constraint().map(ToOwned::to_owned),
        position,
        ..DbError::new(kind(server.code()), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_decides_for_its_own_code() {
        for (code, expected) in KINDS {
            let code = format!("{code:0<5}");
            assert_eq!(kind(&code), *expected, "{code}");
        }
        assert_eq!(kind("22012"), K::Other);
    }
}
