//! The port on one connection to SQLite.

use std::fmt;

use async_trait::async_trait;
use sqlx::{Connection, SqliteConnection};

use super::cancel::Cancel;
use super::{decode, errors, parameters, single};
use crate::drivers::common;
use crate::{BackendId, CancelHandle, DbError, DbErrorKind, Row, ServerInfo, Session, TransactionMode, Value};

pub(super) struct SqliteSession {
    connection: SqliteConnection,
    server: ServerInfo,
    backend: BackendId,
    cancel: Cancel,
    is_branch: bool,
    transaction: Option<TransactionMode>,
}

impl SqliteSession {
    pub(super) const fn new(connection: SqliteConnection, server: ServerInfo, cancel: Cancel, is_branch: bool) -> Self {
        let backend = BackendId { id: 0, started: String::new() };
        Self { connection, server, backend, cancel, is_branch, transaction: None }
    }

    /// Several errors (a full disk, an interruption, a conflict clause that says so) end the transaction silently. The
    /// engine tells only by whether it begins another one.
    async fn failed(&mut self, error: DbError) -> DbError {
        if self.transaction.is_none() {
            return error;
        }
        self.cancel.clear();
        if run(&mut self.connection, "BEGIN").await.is_ok() {
            if let Err(error) = run(&mut self.connection, "ROLLBACK").await {
                return error;
            }
            if let Err(error) = self.ended().await {
                return error;
            }
        }
        error
    }

    /// The transaction is over: what it forbade is allowed again.
    async fn ended(&mut self) -> Result<(), DbError> {
        match self.transaction.take() {
            Some(TransactionMode::ReadOnly) => run(&mut self.connection, "PRAGMA query_only = OFF").await.map(drop),
            Some(TransactionMode::Write) | None => Ok(()),
        }
    }

    async fn end(&mut self, sql: &str) -> Result<(), DbError> {
        self.cancel.clear();
        match run(&mut self.connection, sql).await {
            Ok(_) => self.ended().await,
            // A commit that another connection's reader holds up leaves the transaction open: it can be tried again.
            Err(error) => Err(self.failed(error).await),
        }
    }
}

/// Runs one statement, prepared for this once.
async fn run(connection: &mut SqliteConnection, sql: &str) -> Result<u64, DbError> {
    single::check(sql)?;
    let query = sqlx::query_with(common::statement(sql), parameters::arguments(&[])?).persistent(false);
    let done = query.execute(connection).await.map_err(|error| errors::map(&error))?;
    Ok(if single::changes_rows(sql) { done.rows_affected() } else { 0 })
}

/// Every row of one statement, prepared for this once.
pub(super) async fn fetch(connection: &mut SqliteConnection, sql: &str, values: &[Value]) -> Result<Vec<Row>, DbError> {
    single::check(sql)?;
    let query = sqlx::query_with(common::statement(sql), parameters::arguments(values)?).persistent(false);
    let rows = query.try_map(|row| decode::row(&row).map_err(common::carry)).fetch_all(connection);
    rows.await.map_err(|error| errors::map(&error))
}

impl fmt::Debug for SqliteSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteSession")
            .field("database", &self.server.database)
            .field("transaction", &self.transaction)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Session for SqliteSession {
    fn server(&self) -> &ServerInfo {
        &self.server
    }

    fn backend(&self) -> &BackendId {
        &self.backend
    }

    fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    fn is_branch(&self) -> bool {
        self.is_branch
    }

    fn cancel_handle(&self) -> Box<dyn CancelHandle> {
        Box::new(self.cancel.clone())
    }

    async fn execute(&mut self, sql: &str) -> Result<u64, DbError> {
        self.cancel.clear();
        match run(&mut self.connection, sql).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.failed(error).await),
        }
    }

    async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, DbError> {
        self.cancel.clear();
        match fetch(&mut self.connection, sql, parameters).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.failed(error).await),
        }
    }

    async fn query_each(&mut self, statements: &[String]) -> Result<Vec<Row>, DbError> {
        let mut rows = Vec::with_capacity(statements.len());
        for sql in statements {
            rows.extend(self.query(sql, &[]).await?);
        }
        common::one_each(rows, statements)
    }

    async fn begin(&mut self, mode: TransactionMode) -> Result<(), DbError> {
        if self.transaction.is_some() {
            return Err(common::already_open());
        }
        self.cancel.clear();
        match mode {
            TransactionMode::Write => drop(run(&mut self.connection, "BEGIN IMMEDIATE").await?),
            TransactionMode::ReadOnly => {
                run(&mut self.connection, "PRAGMA query_only = ON").await?;
                if let Err(error) = run(&mut self.connection, "BEGIN DEFERRED").await {
                    run(&mut self.connection, "PRAGMA query_only = OFF").await?;
                    return Err(error);
                }
            }
        }
        self.transaction = Some(mode);
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        if self.transaction.is_none() {
            return Err(common::not_open());
        }
        self.end("COMMIT").await
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        if self.transaction.is_none() {
            return Ok(());
        }
        self.end("ROLLBACK").await
    }

    async fn close(self: Box<Self>) -> Result<(), DbError> {
        match self.connection.close().await {
            Ok(()) => Ok(()),
            Err(sqlx::Error::WorkerCrashed) => Err(DbError::new(DbErrorKind::ConnectionLost, "the session had ended")),
            Err(error) => Err(errors::map(&error)),
        }
    }
}
