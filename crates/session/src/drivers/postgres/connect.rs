//! Opening sessions.

use async_trait::async_trait;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection};
use trueup_schema::DialectId;

use super::session::PostgresSession;
use super::statement::fetch;
use super::{errors, settings};
use crate::drivers::common;
use crate::{BackendId, ConnectOptions, Connector, DatabaseUrl, DbError, DbErrorKind, ServerInfo, Session, Value};

/// The parameters of a URL that the driver acts on; the rest of what we set ourselves.
const PARAMETERS: &[&str] = &[
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "options",
];

/// Opens sessions on PostgreSQL. As with the server's own tools, a password that the URL lacks may come from
/// `PGPASSWORD` or the password file.
#[derive(Debug, Clone)]
pub(crate) struct PostgresConnector {
    url: DatabaseUrl,
}

impl PostgresConnector {
    pub(crate) const fn new(url: DatabaseUrl) -> Self {
        Self { url }
    }

    async fn open(&self, options: &ConnectOptions) -> Result<PostgresSession, DbError> {
        let url = common::driver_url(&self.url, PARAMETERS)?;
        let driver = PgConnectOptions::from_url(&url)
            .map_err(|error| errors::map(&error))?
            .application_name(&options.application_name)
            // Poolers refuse start-up parameters that they do not know; it is set with the others instead.
            .extra_float_digits(None)
            .disable_statement_logging();
        let mut connection = driver.connect().await.map_err(|error| errors::map(&error))?;
        let (server, backend) = hello(&mut connection).await?;
        pin(&mut connection, options).await?;
        let cancel = ConnectOptions { branch: options.branch, read_only: false, ..options.clone() };
        Ok(PostgresSession::new(connection, server, backend, self.clone(), cancel))
    }
}

/// What the server says of itself.
async fn hello(connection: &mut PgConnection) -> Result<(ServerInfo, BackendId), DbError> {
    let rows = fetch(connection, settings::HELLO, &[]).await?;
    let row = rows.first().ok_or_else(|| DbError::new(DbErrorKind::Decode, "the server said nothing of itself"))?;
    let number = u32::try_from(row.int(0)?).unwrap_or_default();
    let server = ServerInfo {
        dialect: DialectId::Postgres,
        version: [number / 10_000, number % 10_000, 0],
        version_text: row.text(1)?.to_owned(),
        default_namespace: row.text_or_null(2)?.map(ToOwned::to_owned),
        database: row.text(3)?.to_owned(),
        sql_mode: None,
    };
    let id = u64::try_from(row.int(4)?).unwrap_or_default();
    Ok((server, BackendId { id, started: row.text_or_null(5)?.unwrap_or_default().to_owned() }))
}

async fn pin(connection: &mut PgConnection, options: &ConnectOptions) -> Result<(), DbError> {
    let (names, values) =
        settings::pinned(options).into_iter().map(|(name, value)| (Some(name.to_owned()), Some(value))).unzip();
    fetch(connection, settings::PIN, &[Value::Texts(names), Value::Texts(values)]).await.map(drop)
}

#[async_trait]
impl Connector for PostgresConnector {
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
