//! From extended result code, and from the message where there is only code 1, to kind.

use sqlx::sqlite::SqliteError;

use crate::drivers::common;
use crate::{DbError, DbErrorKind};

use DbErrorKind as K;

/// Extended codes first, then primary ones: the first row that is equal to the code, or else to its low byte, decides.
const CODES: &[(i32, DbErrorKind)] = &[
    (2067, K::UniqueViolation), // UNIQUE
    (1555, K::UniqueViolation), // PRIMARY KEY
    (2579, K::UniqueViolation), // rowid
    (787, K::ForeignKeyViolation),
    (1299, K::NotNullViolation),
    (275, K::CheckViolation),
    (3091, K::CheckViolation),      // the type of a column in a strict table
    (517, K::SerializationFailure), // another connection has written since our snapshot
    (5, K::LockTimeout),            // busy
    (6, K::LockTimeout),            // locked
    (9, K::StatementTimeout),       // interrupted
    (3, K::PermissionDenied),
    (23, K::PermissionDenied),
    (8, K::ReadOnly),
    (13, K::DiskFull),
    (14, K::CannotConnect), // cannot open
    (26, K::CannotConnect), // not a database
];

/// How a message of code 1 starts, or what it holds.
enum Words {
    Start(&'static str),
    Hold(&'static str),
}

const MESSAGES: &[(Words, DbErrorKind)] = &[
    (Words::Start("FOREIGN KEY constraint failed"), K::ForeignKeyViolation),
    // A view or trigger that no longer makes sense: "error in view v after drop column: no such column: x".
    (Words::Start("error in "), K::DependentObjects),
    (Words::Start("no such "), K::UndefinedObject),
    (Words::Start("unknown database"), K::UndefinedObject),
    (Words::Start("unknown column"), K::UndefinedObject),
    (Words::Start("duplicate column name"), K::DuplicateObject),
    (Words::Hold("already exists"), K::DuplicateObject),
    (Words::Hold("there is already "), K::DuplicateObject),
    (Words::Hold("has no column named"), K::UndefinedObject),
    (Words::Hold("syntax error"), K::Syntax),
    (Words::Start("incomplete input"), K::Syntax),
    (Words::Start("unrecognized token"), K::Syntax),
];

fn kind(code: i32, message: &str) -> DbErrorKind {
    let by_code = |code: i32| CODES.iter().find(|(row, _)| *row == code).map(|(_, kind)| *kind);
    if let Some(kind) = by_code(code).or_else(|| by_code(code & 0xff)) {
        return kind;
    }
    let fits = |words: &Words| match words {
        Words::Start(words) => message.starts_with(words),
        Words::Hold(words) => message.contains(words),
    };
    MESSAGES.iter().find(|(words, _)| fits(words)).map_or(K::Other, |(_, kind)| *kind)
}

/// An error of the driver as one of ours.
pub(super) fn map(error: &sqlx::Error) -> DbError {
    let server = error.as_database_error().and_then(|error| error.try_downcast_ref::<SqliteError>());
    let Some(server) = server else { return common::driver_error(error) };
    let (message, code) = (sqlx::error::DatabaseError::message(server), sqlx::error::DatabaseError::code(server));
    let code = code.and_then(|code| code.parse().ok()).unwrap_or(1);
    DbError { vendor_code: Some(code), constraint: constraint(message), ..DbError::new(kind(code, message), message) }
}

/// The broken constraint's name: of a check, or of an index on expressions. Others are told by their columns only.
fn constraint(message: &str) -> Option<String> {
    let name = message
        .strip_prefix("CHECK constraint failed: ")
        .or_else(|| message.strip_prefix("UNIQUE constraint failed: index '")?.strip_suffix('\''))?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_decides_for_its_own_code() {
        for (code, expected) in CODES {
            assert_eq!(kind(*code, ""), *expected, "{code}");
        }
        assert_eq!(kind(261, ""), K::LockTimeout, "SQLITE_BUSY_RECOVERY");
        assert_eq!(kind(1, ""), K::Other);
    }

    #[test]
    fn every_message_row_decides_for_its_own_words() {
        for (words, expected) in MESSAGES {
            let message = match words {
                Words::Start(words) => format!("{words}: x"),
                Words::Hold(words) => format!("x {words}: x"),
            };
            assert_eq!(kind(1, &message), *expected, "{message}");
        }
    }

    #[test]
    fn the_constraint_is_read_from_the_message() {
        assert_eq!(constraint("CHECK constraint failed: positive").as_deref(), Some("positive"));
        assert_eq!(constraint("UNIQUE constraint failed: index 'low'").as_deref(), Some("low"));
        assert_eq!(constraint("UNIQUE constraint failed: t.a, t.b"), None);
    }
}
