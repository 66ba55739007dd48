//! Stopping a statement from outside.

use async_trait::async_trait;

use super::PostgresConnector;
use crate::{BackendId, CancelHandle, ConnectOptions, Connector, DbError, Value};

/// Asks through a connection of its own. The start time is compared as well: process ids are used again.
const CANCEL: &str = "SELECT pg_catalog.pg_cancel_backend(a.pid) FROM pg_catalog.pg_stat_activity AS a \
     WHERE a.pid = $1::int4 AND to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') = $2";

#[derive(Debug)]
pub(super) struct Cancel {
    pub(super) connector: PostgresConnector,
    pub(super) options: ConnectOptions,
    pub(super) backend: BackendId,
}

#[async_trait]
impl CancelHandle for Cancel {
    async fn cancel(&self) -> Result<(), DbError> {
        let mut session = self.connector.connect(&self.options).await?;
        let pid = i64::try_from(self.backend.id).unwrap_or_default();
        session.query(CANCEL, &[Value::Int(pid), self.backend.started.as_str().into()]).await?;
        session.close().await
    }
}
