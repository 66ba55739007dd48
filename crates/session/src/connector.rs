//! Opening sessions.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::{DatabaseUrl, DbError, Session};

/// How to open a session.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Longest wait for the server to answer.
    pub timeout: Duration,
    /// Open it so that the server refuses every write.
    pub read_only: bool,
    /// On SQLite: make the file if there is none. Elsewhere without meaning.
    pub create_if_missing: bool,
    /// Mark the session as one on a disposable branch or scratch database.
    pub branch: bool,
    /// What the server's process list shows for this session.
    pub application_name: String,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            read_only: false,
            create_if_missing: false,
            branch: false,
            application_name: "trueup".to_owned(),
        }
    }
}

/// Opens sessions on one server.
#[async_trait]
pub trait Connector: Send + Sync + fmt::Debug {
    /// Where it leads; secrets are never shown by `Display` or `Debug`.
    fn url(&self) -> &DatabaseUrl;

    /// A connector to another database of the same server (another file or `:memory:` on SQLite).
    fn with_database(&self, database: &str) -> Box<dyn Connector>;

    /// Opens a session and pins its settings.
    ///
    /// # Errors
    /// Kinds `CannotConnect`, `AuthenticationFailed`, or what the server says.
    async fn connect(&self, options: &ConnectOptions) -> Result<Box<dyn Session>, DbError>;
}
