//! From the engine's number to kind.

use sqlx::mysql::MySqlDatabaseError;

use crate::drivers::common;
use crate::{DbError, DbErrorKind};

use DbErrorKind as K;

/// One number each; both engines agree on every one below 1900.
const KINDS: &[(u16, DbErrorKind)] = &[
    (1064, K::Syntax),
    (1149, K::Syntax),
    (1049, K::UndefinedObject), // database
    (1008, K::UndefinedObject), // DROP DATABASE
    (1051, K::UndefinedObject), // DROP TABLE
    (1054, K::UndefinedObject), // column
    (1072, K::UndefinedObject), // column of a key
    (1091, K::UndefinedObject), // DROP COLUMN or KEY
    (1109, K::UndefinedObject), // table of a multi-table statement
    (1146, K::UndefinedObject), // table
    (1176, K::UndefinedObject), // index
    (1305, K::UndefinedObject), // routine
    (1360, K::UndefinedObject), // trigger
    (1539, K::UndefinedObject), // event
    (4031, K::ConnectionLost),  // client was idle for too long (MySQL)
    (4091, K::UndefinedObject), // sequence (MariaDB)
    (4092, K::UndefinedObject), // view (MariaDB)
    (3821, K::UndefinedObject), // check (MySQL)
    (3940, K::UndefinedObject), // constraint (MySQL)
    (1007, K::DuplicateObject), // database
    (1050, K::DuplicateObject), // table
    (1060, K::DuplicateObject), // column
    (1061, K::DuplicateObject), // key
    (1304, K::DuplicateObject), // routine
    (1359, K::DuplicateObject), // trigger
    (1537, K::DuplicateObject), // event
    (1826, K::DuplicateObject), // foreign key
    (3822, K::DuplicateObject), // check (MySQL)
    (1022, K::UniqueViolation),
    (1062, K::UniqueViolation),
    (1169, K::UniqueViolation),
    (1586, K::UniqueViolation),
    (1216, K::ForeignKeyViolation),
    (1217, K::ForeignKeyViolation),
    (1451, K::ForeignKeyViolation),
    (1452, K::ForeignKeyViolation),
    (1048, K::NotNullViolation),
    (1138, K::NotNullViolation),
    (1364, K::NotNullViolation), // no default
    (1263, K::NotNullViolation), // NULL in a column made NOT NULL
    (3819, K::CheckViolation),   // MySQL
    (4025, K::CheckViolation),   // MariaDB
    (1369, K::CheckViolation),   // WITH CHECK OPTION
    (1205, K::LockTimeout),
    (3572, K::LockTimeout), // NOWAIT (MySQL)
    (1317, K::StatementTimeout),
    (1969, K::StatementTimeout), // max_statement_time (MariaDB)
    (3024, K::StatementTimeout), // max_execution_time (MySQL)
    (1213, K::Deadlock),
    (1020, K::SerializationFailure), // the row has changed since the snapshot (MariaDB)
    (1412, K::SerializationFailure), // the table was made or changed since the snapshot
    (1044, K::PermissionDenied),     // database
    (1095, K::PermissionDenied),     // KILL
    (1142, K::PermissionDenied),     // table
    (1143, K::PermissionDenied),     // column
    (1227, K::PermissionDenied),
    (1370, K::PermissionDenied), // routine
    (1419, K::PermissionDenied), // trigger with binary logging
    (1045, K::AuthenticationFailed),
    (1130, K::AuthenticationFailed), // host
    (1251, K::AuthenticationFailed),
    (1524, K::AuthenticationFailed), // plug-in
    (1698, K::AuthenticationFailed),
    (1820, K::AuthenticationFailed), // password expired
    (1862, K::AuthenticationFailed),
    (3118, K::AuthenticationFailed), // account locked
    (1040, K::CannotConnect),
    (1129, K::CannotConnect),  // host blocked
    (1203, K::CannotConnect),  // too many connections of this user
    (1053, K::ConnectionLost), // shutdown
    (1158, K::ConnectionLost),
    (1159, K::ConnectionLost),
    (1160, K::ConnectionLost),
    (1161, K::ConnectionLost),
    (1184, K::ConnectionLost),
    (1927, K::ConnectionLost), // killed (MariaDB)
    (1290, K::ReadOnly),       // --read-only
    (1792, K::ReadOnly),       // transaction
    (1836, K::ReadOnly),       // server in read-only mode
    (1021, K::DiskFull),
    (1114, K::DiskFull),         // table
    (1828, K::DependentObjects), // column of a foreign key
    (1829, K::DependentObjects), // column of another table's foreign key
    (1553, K::DependentObjects), // index of a foreign key
    (1701, K::DependentObjects), // TRUNCATE
    (1833, K::DependentObjects), // column used by a foreign key
    (3730, K::DependentObjects), // DROP TABLE (MySQL)
    (3108, K::DependentObjects), // generated column
    (3959, K::DependentObjects), // check
    (3837, K::DependentObjects), // functional index
];

fn kind(number: u16) -> DbErrorKind {
    KINDS.iter().find(|(row, _)| *row == number).map_or(K::Other, |(_, kind)| *kind)
}

/// An error of the driver as one of ours.
pub(super) fn map(error: &sqlx::Error) -> DbError {
    let server = error.as_database_error().and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>());
    let Some(server) = server else { return common::driver_error(error) };
    DbError {
        sqlstate: server.code().map(ToOwned::to_owned),
        vendor_code: Some(server.number().into()),
        constraint: constraint(server.message()),
        ..DbError::new(kind(server.number()), server.message())
    }
}

/// While connecting, an unknown database means that there is nothing to connect to.
pub(super) fn map_connect(error: &sqlx::Error) -> DbError {
    let error = map(error);
    if error.vendor_code == Some(1049) { DbError { kind: K::CannotConnect, ..error } } else { error }
}

/// The broken constraint's name, which only the message holds.
fn constraint(message: &str) -> Option<String> {
    let between = |start: &str, end: char| {
        let (_, rest) = message.split_once(start)?;
        let (name, _) = rest.split_once(end)?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    // "Duplicate entry '…' for key 't.name'": the value comes first and may hold anything, so the last one counts.
    if message.starts_with("Duplicate entry ") {
        let (_, rest) = message.rsplit_once(" for key '")?;
        let name = rest.strip_suffix('\'')?;
        return Some(name.rsplit_once('.').map_or(name, |(_, name)| name).to_owned());
    }
    if message.starts_with("Cannot ") {
        return between("CONSTRAINT `", '`');
    }
    // MySQL: "Check constraint 'name' is violated."; MariaDB: "CONSTRAINT `name` failed for `db`.`table`".
    between("Check constraint '", '\'')
        .or_else(|| message.strip_prefix("CONSTRAINT `")?.split_once('`').map(|(n, _)| n.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_decides_for_its_own_number() {
        for (number, expected) in KINDS {
            assert_eq!(kind(*number), *expected, "{number}");
            assert_eq!(KINDS.iter().filter(|(other, _)| other == number).count(), 1, "{number} is there twice");
        }
        assert_eq!(kind(1), K::Other);
    }

    #[test]
    fn the_constraint_is_read_from_the_message() {
        let read = |message| constraint(message);
        assert_eq!(read("Duplicate entry 'a for key 'x'' for key 'users.users_email'").as_deref(), Some("users_email"));
        assert_eq!(read("Duplicate entry '1' for key 'PRIMARY'").as_deref(), Some("PRIMARY"));
        assert_eq!(
            read("Cannot add or update a child row: a foreign key constraint fails (`d`.`t`, CONSTRAINT `fk` FOREIGN KEY …)").as_deref(),
            Some("fk")
        );
        assert_eq!(read("Check constraint 'positive' is violated.").as_deref(), Some("positive"));
        assert_eq!(read("CONSTRAINT `positive` failed for `d`.`t`").as_deref(), Some("positive"));
        assert_eq!(read("Unknown column 'x' in 'field list'"), None);
    }
}
