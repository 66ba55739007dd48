//! Opening sessions.

use async_trait::async_trait;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{ConnectOptions as _, MySqlConnection};
use trueup_schema::DialectId;

use super::session::{HELD_STATEMENTS, MySqlSession, fetch, run};
use super::{errors, settings};
use crate::drivers::common;
use crate::{BackendId, ConnectOptions, Connector, DatabaseUrl, DbError, DbErrorKind, ServerInfo, Session};

/// The parameters of a URL that the driver acts on; charset and time zone are ours to set.
const PARAMETERS: &[&str] = &["sslmode", "ssl-mode", "sslca", "ssl-ca", "sslcert", "ssl-cert", "sslkey", "ssl-key"];

/// Opens sessions on MySQL or MariaDB.
#[derive(Debug, Clone)]
pub(crate) struct MySqlConnector {
    url: DatabaseUrl,
}

impl MySqlConnector {
    pub(crate) const fn new(url: DatabaseUrl) -> Self {
        Self { url }
    }

    async fn open(&self, options: &ConnectOptions) -> Result<MySqlSession, DbError> {
        let url = common::driver_url(&self.url, PARAMETERS)?;
        let mut driver = MySqlConnectOptions::from_url(&url)
            .map_err(|error| errors::map(&error))?
            .charset("utf8mb4")
            // The driver would add modes to the server's; ours are set below, after the server's were read.
            .pipes_as_concat(false)
            .no_engine_substitution(false)
            .statement_cache_capacity(HELD_STATEMENTS)
            .disable_statement_logging();
        if let Some(socket) = self.url.host().filter(|host| host.starts_with('/')) {
            driver = driver.host("localhost").socket(socket);
        }
        let mut connection = driver.connect().await.map_err(|error| errors::map_connect(&error))?;
        let (server, backend) = hello(&mut connection).await?;
        for pin in settings::pins(server.dialect, options.read_only) {
            run(&mut connection, &pin).await?;
        }
        let cancel = ConnectOptions { branch: options.branch, read_only: false, ..options.clone() };
        Ok(MySqlSession::new(connection, server, backend, self.clone(), cancel))
    }
}

/// What the server says of itself.
async fn hello(connection: &mut MySqlConnection) -> Result<(ServerInfo, BackendId), DbError> {
    let rows = fetch(connection, settings::HELLO, &[]).await?;
    let row = rows.first().ok_or_else(|| DbError::new(DbErrorKind::Decode, "the server said nothing of itself"))?;
    let version_text = row.text(0)?.to_owned();
    let database = row.text_or_null(1)?.map(ToOwned::to_owned);
    let dialect = if version_text.contains("MariaDB") { DialectId::MariaDb } else { DialectId::MySql };
    let server = ServerInfo {
        dialect,
        version: common::version(&version_text),
        version_text,
        default_namespace: database.clone(),
        database: database.unwrap_or_default(),
        sql_mode: Some(row.text(3)?.to_owned()),
    };
    let started = fetch(connection, settings::started(dialect), &[]).await?;
    let started = started.first().map(|row| row.text(0).map(ToOwned::to_owned)).transpose()?.unwrap_or_default();
    Ok((server, BackendId { id: u64::try_from(row.int(2)?).unwrap_or_default(), started }))
}

#[async_trait]
impl Connector for MySqlConnector {
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
