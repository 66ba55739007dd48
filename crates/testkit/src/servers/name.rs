//! Which servers can be started.

use std::fmt;
use std::str::FromStr;

use super::ServerError;

/// A kind of database server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// PostgreSQL.
    Postgres,
    /// MariaDB.
    MariaDb,
    /// MySQL.
    MySql,
}

impl Engine {
    /// The word that names it in a server name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::MariaDb => "mariadb",
            Self::MySql => "mysql",
        }
    }
}

/// An engine and a release line of it, written `postgres15` or `mariadb10.11`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerName {
    /// The engine.
    pub engine: Engine,
    /// The release line: the major number of PostgreSQL, major and minor number of the others.
    pub version: &'static str,
}

impl ServerName {
    /// Every server that can be started.
    pub const KNOWN: [Self; 8] = [
        Self::postgres("14"),
        Self::postgres("15"),
        Self::postgres("16"),
        Self::postgres("17"),
        Self::postgres("18"),
        Self { engine: Engine::MariaDb, version: "10.11" },
        Self { engine: Engine::MariaDb, version: "11.8" },
        Self { engine: Engine::MySql, version: "9.7" },
    ];

    /// A release line of PostgreSQL.
    #[must_use]
    pub const fn postgres(version: &'static str) -> Self {
        Self { engine: Engine::Postgres, version }
    }

    /// Whether a server that calls itself `version` belongs to this release line.
    #[must_use]
    pub fn covers(self, version: &str) -> bool {
        version.strip_prefix(self.version).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.engine.as_str(), self.version)
    }
}

impl FromStr for ServerName {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        Self::KNOWN
            .into_iter()
            .find(|known| known.to_string() == text)
            .ok_or_else(|| ServerError::UnknownName { name: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for name in ServerName::KNOWN {
            assert_eq!(name.to_string().parse::<ServerName>().unwrap(), name);
        }
        assert!("oracle23".parse::<ServerName>().is_err());
    }

    #[test]
    fn a_release_line_is_no_text_prefix() {
        let line = ServerName { engine: Engine::MariaDb, version: "10.1" };
        assert!(line.covers("10.1.48-MariaDB"));
        assert!(!line.covers("10.11.6-MariaDB"));
        assert!(ServerName::postgres("18").covers("18.1"));
        assert!(ServerName::postgres("18").covers("18beta1"));
        assert!(!ServerName::postgres("18").covers("1.8"));
    }
}
