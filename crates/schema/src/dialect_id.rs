//! Which engine a value is for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A database engine. MariaDB is an engine of its own, not a flag on MySQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DialectId {
    /// PostgreSQL.
    Postgres,
    /// MySQL.
    MySql,
    /// MariaDB.
    MariaDb,
    /// SQLite.
    Sqlite,
}

impl DialectId {
    /// Every engine, in a fixed order.
    pub const ALL: [Self; 4] = [Self::Postgres, Self::MySql, Self::MariaDb, Self::Sqlite];

    /// The name used in documents, URLs and output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
            Self::MariaDb => "mariadb",
            Self::Sqlite => "sqlite",
        }
    }

    /// The character around a quoted identifier.
    #[must_use]
    pub const fn quote_char(self) -> char {
        match self {
            Self::Postgres | Self::Sqlite => '"',
            Self::MySql | Self::MariaDb => '`',
        }
    }
}

impl fmt::Display for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
