//! Database URLs that never show their secrets.

use std::fmt;

use trueup_schema::DialectId;

/// A parsed database URL. `Display` and `Debug` hide the password and every query value that could hold one.
#[derive(Clone)]
pub struct DatabaseUrl {
    raw: String,
    scheme: DialectId,
}

/// Why a text is not a database URL. Never repeats the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The scheme is not one that trueup knows.
    #[error("unknown database URL scheme; use postgres://, mysql://, mariadb:// or sqlite://")]
    Scheme,
    /// The rest does not parse.
    #[error("the database URL does not parse: {0}")]
    Malformed(String),
}

impl DatabaseUrl {
    /// The engine that the scheme names. A `mysql:` URL may still lead to MariaDB.
    #[must_use]
    pub const fn scheme(&self) -> DialectId {
        self.scheme
    }

    /// The text with its secrets, for the driver only.
    #[must_use]
    pub fn secret_text(&self) -> &str {
        &self.raw
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scheme.as_str())
    }
}
