//! Opening sessions.

use async_trait::async_trait;
use sqlx::{ConnectOptions as _, SqliteConnection};
use trueup_schema::DialectId;

use super::cancel::{Cancel, STEPS};
use super::session::{SqliteSession, fetch};
use super::{errors, settings};
use crate::drivers::common;
use crate::{ConnectOptions, Connector, DatabaseUrl, DbError, DbErrorKind, ServerInfo, Session};

/// Opens sessions on a file, or each on a database in memory of its own.
#[derive(Debug, Clone)]
pub(crate) struct SqliteConnector {
    url: DatabaseUrl,
}

impl SqliteConnector {
    pub(crate) const fn new(url: DatabaseUrl) -> Self {
        Self { url }
    }

    async fn open(&self, options: &ConnectOptions) -> Result<SqliteSession, DbError> {
        let mut connection = open(&self.url, options).await?;
        let rows = fetch(&mut connection, "SELECT sqlite_version()", &[]).await?;
        let row = rows.first().ok_or_else(|| DbError::new(DbErrorKind::Decode, "the engine said nothing of itself"))?;
        let version_text = row.text(0)?.to_owned();
        let server = ServerInfo {
            dialect: DialectId::Sqlite,
            version: common::version(&version_text),
            version_text,
            default_namespace: None,
            database: self.url.database().unwrap_or_default().to_owned(),
            sql_mode: None,
        };
        // The file's header is read here and not with the first statement of the caller: it may be no database at all.
        fetch(&mut connection, "SELECT count(*) FROM sqlite_schema", &[]).await?;
        let cancel = Cancel::default();
        let asked = cancel.clone();
        let mut handle = connection.lock_handle().await.map_err(|error| errors::map(&error))?;
        handle.set_progress_handler(STEPS, move || !asked.is_set());
        drop(handle);
        Ok(SqliteSession::new(connection, server, cancel, options.branch))
    }
}

/// The bare connection with its settings.
pub(super) async fn open(url: &DatabaseUrl, options: &ConnectOptions) -> Result<SqliteConnection, DbError> {
    settings::pinned(url, options).disable_statement_logging().connect().await.map_err(|error| errors::map(&error))
}

#[async_trait]
impl Connector for SqliteConnector {
    fn url(&self) -> &DatabaseUrl {
        &self.url
    }

    fn with_database(&self, database: &str) -> Box<dyn Connector> {
        Box::new(Self::new(self.url.with_database(database)))
    }

    async fn connect(&self, options: &ConnectOptions) -> Result<Box<dyn Session>, DbError> {
        Ok(Box::new(common::within(options.timeout, &self.url, self.open(options)).await?))
    }
}
