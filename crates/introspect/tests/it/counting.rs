//! A session that counts.

use async_trait::async_trait;
use trueup_session::{BackendId, CancelHandle, DbError, Row, ServerInfo, Session, TransactionMode, Value};

/// Passes everything on and counts the questions.
#[derive(Debug)]
pub(crate) struct Counting {
    pub(crate) inner: Box<dyn Session>,
    pub(crate) statements: usize,
}

#[async_trait]
impl Session for Counting {
    fn server(&self) -> &ServerInfo {
        self.inner.server()
    }

    fn backend(&self) -> &BackendId {
        self.inner.backend()
    }

    fn in_transaction(&self) -> bool {
        self.inner.in_transaction()
    }

    fn is_branch(&self) -> bool {
        self.inner.is_branch()
    }

    fn cancel_handle(&self) -> Box<dyn CancelHandle> {
        self.inner.cancel_handle()
    }

    async fn execute(&mut self, sql: &str) -> Result<u64, DbError> {
        self.statements += 1;
        self.inner.execute(sql).await
    }

    async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, DbError> {
        self.statements += 1;
        self.inner.query(sql, parameters).await
    }

    async fn query_each(&mut self, statements: &[String]) -> Result<Vec<Row>, DbError> {
        self.statements += 1;
        self.inner.query_each(statements).await
    }

    async fn begin(&mut self, mode: TransactionMode) -> Result<(), DbError> {
        self.inner.begin(mode).await
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        self.inner.commit().await
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        self.inner.rollback().await
    }

    async fn close(self: Box<Self>) -> Result<(), DbError> {
        self.inner.close().await
    }
}
