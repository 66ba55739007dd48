//! Stopping a statement from outside.

use async_trait::async_trait;

use super::MySqlConnector;
use crate::{BackendId, CancelHandle, ConnectOptions, Connector, DbError};

/// "Unknown thread id": there is nothing left to stop.
const NO_SUCH_THREAD: i32 = 1094;

#[derive(Debug)]
pub(super) struct Cancel {
    pub(super) connector: MySqlConnector,
    pub(super) options: ConnectOptions,
    pub(super) backend: BackendId,
}

#[async_trait]
impl CancelHandle for Cancel {
    async fn cancel(&self) -> Result<(), DbError> {
        let mut session = self.connector.connect(&self.options).await?;
        // After a restart the id may be somebody else's.
        if session.backend().started == self.backend.started {
            match session.execute(&format!("KILL QUERY {}", self.backend.id)).await {
                Err(error) if error.vendor_code != Some(NO_SUCH_THREAD) => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        session.close().await
    }
}
