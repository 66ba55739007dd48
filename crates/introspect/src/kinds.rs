//! Kinds of objects that have no model of their own.

use trueup_schema::DialectId;

use crate::postgres;

/// Kinds that are kept as the statements that make them, compared as text and replaced as a whole.
#[must_use]
pub fn kept_as_text(dialect: DialectId) -> Vec<&'static str> {
    match dialect {
        DialectId::Postgres => postgres::kept_as_text(),
        DialectId::MySql | DialectId::MariaDb => vec!["event"],
        DialectId::Sqlite => Vec::new(),
    }
}

/// Kinds and properties that are listed as unmanaged where they are found, and never touched.
#[must_use]
pub fn unmanaged(dialect: DialectId) -> Vec<&'static str> {
    match dialect {
        DialectId::Postgres => postgres::not_modelled(),
        DialectId::MySql => vec!["JSON duality view", "library", "part of a table", "table of another kind"],
        DialectId::MariaDb => vec!["package", "part of a table", "table of another kind"],
        DialectId::Sqlite => vec!["statement that does not read"],
    }
}
