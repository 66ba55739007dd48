//! The port on one connection to PostgreSQL.

use std::fmt;

use async_trait::async_trait;
use sqlx::{Connection, PgConnection};

use super::cancel::Cancel;
use super::statement::{fetch, run};
use super::{PostgresConnector, errors};
use crate::drivers::common;
use crate::{
    BackendId, CancelHandle, ConnectOptions, DbError, DbErrorKind, Row, ServerInfo, Session, TransactionMode, Value,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Open,
    /// A statement failed. Unless a savepoint was rolled back to, COMMIT would roll back without an error.
    Doubtful,
}

pub(super) struct PostgresSession {
    connection: PgConnection,
    server: ServerInfo,
    backend: BackendId,
    connector: PostgresConnector,
    options: ConnectOptions,
    state: State,
}

impl PostgresSession {
    pub(super) const fn new(
        connection: PgConnection,
        server: ServerInfo,
        backend: BackendId,
        connector: PostgresConnector,
        options: ConnectOptions,
    ) -> Self {
        Self { connection, server, backend, connector, options, state: State::Idle }
    }

    async fn run(&mut self, sql: &str) -> Result<u64, DbError> {
        match run(&mut self.connection, sql).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&mut self, error: DbError) -> DbError {
        if self.state == State::Open {
            self.state = State::Doubtful;
        }
        if error.kind == DbErrorKind::ConnectionLost {
            self.state = State::Idle;
        }
        error
    }
}

impl fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresSession")
            .field("connector", &self.connector)
            .field("backend", &self.backend)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Session for PostgresSession {
    fn server(&self) -> &ServerInfo {
        &self.server
    }

    fn backend(&self) -> &BackendId {
        &self.backend
    }

    fn in_transaction(&self) -> bool {
        self.state != State::Idle
    }

    fn is_branch(&self) -> bool {
        self.options.branch
    }

    fn cancel_handle(&self) -> Box<dyn CancelHandle> {
        Box::new(Cancel {
            connector: self.connector.clone(),
            options: self.options.clone(),
            backend: self.backend.clone(),
        })
    }

    async fn execute(&mut self, sql: &str) -> Result<u64, DbError> {
        self.run(sql).await
    }

    async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, DbError> {
        match fetch(&mut self.connection, sql, parameters).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.failed(error)),
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
        if self.in_transaction() {
            return Err(common::already_open());
        }
        let sql = match mode {
            TransactionMode::ReadOnly => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            TransactionMode::Write => "BEGIN",
        };
        self.run(sql).await?;
        self.state = State::Open;
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        match self.state {
            State::Idle => return Err(common::not_open()),
            State::Open => {}
            // Fails if the transaction is aborted; then it stays open for the rollback.
            State::Doubtful => drop(self.run("SELECT 1").await?),
        }
        let result = self.run("COMMIT").await;
        self.state = State::Idle;
        result.map(drop)
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        if !self.in_transaction() {
            return Ok(());
        }
        let result = self.run("ROLLBACK").await;
        self.state = State::Idle;
        result.map(drop)
    }

    async fn close(self: Box<Self>) -> Result<(), DbError> {
        self.connection.close().await.map_err(|error| errors::map(&error))
    }
}
