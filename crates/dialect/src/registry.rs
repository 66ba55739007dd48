//! The engines that there are rules for.

use trueup_schema::DialectId;

use crate::Dialect;
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;

/// The rules of `dialect` at `version` (major, minor, patch), where there are any.
#[must_use]
pub fn dialect_for(dialect: DialectId, version: [u32; 3]) -> Option<Box<dyn Dialect>> {
    match dialect {
        DialectId::Postgres => Some(Box::new(Postgres::new(version))),
        DialectId::Sqlite => Some(Box::new(Sqlite::new(version))),
        DialectId::MySql | DialectId::MariaDb => None,
    }
}
