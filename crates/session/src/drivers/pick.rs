//! Which driver serves which URL.

use trueup_schema::DialectId;

use crate::{Connector, DatabaseUrl, UrlError};

/// The connector for `url`. Nothing is connected yet.
///
/// # Errors
/// [`UrlError::NoDriver`], naming the missing feature.
pub fn connector(url: DatabaseUrl) -> Result<Box<dyn Connector>, UrlError> {
    match url.scheme() {
        #[cfg(feature = "postgres")]
        DialectId::Postgres => Ok(Box::new(super::postgres::PostgresConnector::new(url))),
        #[cfg(not(feature = "postgres"))]
        scheme @ DialectId::Postgres => Err(UrlError::NoDriver { scheme: scheme.as_str(), feature: "postgres" }),
        #[cfg(feature = "mysql")]
        DialectId::MySql | DialectId::MariaDb => Ok(Box::new(super::mysql::MySqlConnector::new(url))),
        #[cfg(not(feature = "mysql"))]
        scheme @ (DialectId::MySql | DialectId::MariaDb) => {
            Err(UrlError::NoDriver { scheme: scheme.as_str(), feature: "mysql" })
        }
        #[cfg(feature = "sqlite")]
        DialectId::Sqlite => Ok(Box::new(super::sqlite::SqliteConnector::new(url))),
        #[cfg(not(feature = "sqlite"))]
        scheme @ DialectId::Sqlite => Err(UrlError::NoDriver { scheme: scheme.as_str(), feature: "sqlite" }),
    }
}
