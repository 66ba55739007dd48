//! The port on one connection to MySQL or MariaDB.

use std::fmt;

use async_trait::async_trait;
use sqlx::{Connection, Executor, MySqlConnection, SqlSafeStr};

use super::cancel::Cancel;
use super::decode::{self, Protocol};
use super::{MySqlConnector, errors, implicit, parameters};
use crate::drivers::common;
use crate::{
    BackendId, CancelHandle, ConnectOptions, DbError, DbErrorKind, Row, ServerInfo, Session, TransactionMode, Value,
};

/// "This command is not supported in the prepared statement protocol yet".
const NOT_PREPARABLE: i32 = 1295;

/// How many prepared statements a connection holds before all of them are closed. Closing has no answer from the server, and the
/// driver leaves the socket's delay on, so that the statement after a close waits for the server's delayed acknowledgement
/// (some 40 ms): once in so many statements rather than at each.
pub(super) const HELD_STATEMENTS: usize = 128;

pub(super) struct MySqlSession {
    connection: MySqlConnection,
    server: ServerInfo,
    backend: BackendId,
    connector: MySqlConnector,
    options: ConnectOptions,
    in_transaction: bool,
}

impl MySqlSession {
    pub(super) const fn new(
        connection: MySqlConnection,
        server: ServerInfo,
        backend: BackendId,
        connector: MySqlConnector,
        options: ConnectOptions,
    ) -> Self {
        Self { connection, server, backend, connector, options, in_transaction: false }
    }

    /// These errors end the transaction on the server as well.
    const fn failed(&mut self, error: DbError) -> DbError {
        if matches!(error.kind, DbErrorKind::Deadlock | DbErrorKind::ConnectionLost) {
            self.in_transaction = false;
        }
        error
    }
}

/// Runs one statement as text. The driver lets the server take several at once, so that has to be ruled out first.
pub(super) async fn run(connection: &mut MySqlConnection, sql: &str) -> Result<u64, DbError> {
    one_statement(connection, sql).await?;
    match sqlx::raw_sql(common::statement(sql)).execute(connection).await {
        Ok(done) => Ok(done.rows_affected()),
        Err(error) => Err(errors::map(&error)),
    }
}

/// Asks the server's own parser: preparing a text of several statements is a syntax error, and preparing runs nothing.
/// Every other error is left for the statement itself to report.
async fn one_statement(connection: &mut MySqlConnection, sql: &str) -> Result<(), DbError> {
    make_room(connection).await?;
    match connection.prepare(common::statement(sql).into_sql_str()).await.map_err(|error| errors::map(&error)) {
        Err(error) if matches!(error.kind, DbErrorKind::Syntax | DbErrorKind::ConnectionLost) => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Closes the statements held, so that none is closed singly.
async fn make_room(connection: &mut MySqlConnection) -> Result<(), DbError> {
    if connection.cached_statements_size() < HELD_STATEMENTS {
        return Ok(());
    }
    connection.clear_cached_statements().await.map_err(|error| errors::map(&error))
}

/// The one row of each statement. Those that go as text anyway go as one text, where it is plain that each is one statement.
async fn fetch_each(connection: &mut MySqlConnection, statements: &[String]) -> Result<Vec<Row>, DbError> {
    if statements.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows = Vec::with_capacity(statements.len());
    if statements.iter().all(|sql| is_show(sql) && !sql.contains(';')) {
        let text = statements.join(";\n");
        rows.extend(as_text(connection, &text).await?);
    } else {
        for sql in statements {
            rows.extend(fetch(connection, sql, &[]).await?);
        }
    }
    common::one_each(rows, statements)
}

fn is_show(sql: &str) -> bool {
    sql.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("SHOW "))
}

/// Every row of one statement, prepared; what cannot be prepared goes as text, and so does SHOW: a server may answer a prepared one
/// from what it knew when it was prepared.
pub(super) async fn fetch(connection: &mut MySqlConnection, sql: &str, values: &[Value]) -> Result<Vec<Row>, DbError> {
    if values.is_empty() && is_show(sql) {
        // Preparing anything makes the server forget its warnings.
        if sql.contains(';') {
            one_statement(connection, sql).await?;
        }
        return as_text(connection, sql).await;
    }
    make_room(connection).await?;
    let query = sqlx::query_with(common::statement(sql), parameters::arguments(values)?);
    let query = query.try_map(|row| decode::row(&row, Protocol::Binary).map_err(common::carry));
    match query.fetch_all(&mut *connection).await.map_err(|error| errors::map(&error)) {
        Err(error) if values.is_empty() && error.vendor_code == Some(NOT_PREPARABLE) => as_text(connection, sql).await,
        prepared => prepared,
    }
}

/// Every row of one statement, sent as text.
async fn as_text(connection: &mut MySqlConnection, sql: &str) -> Result<Vec<Row>, DbError> {
    let rows =
        sqlx::raw_sql(common::statement(sql)).fetch_all(connection).await.map_err(|error| errors::map(&error))?;
    rows.iter().map(|row| decode::row(row, Protocol::Text)).collect()
}

impl fmt::Debug for MySqlSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MySqlSession")
            .field("connector", &self.connector)
            .field("backend", &self.backend)
            .field("in_transaction", &self.in_transaction)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Session for MySqlSession {
    fn server(&self) -> &ServerInfo {
        &self.server
    }

    fn backend(&self) -> &BackendId {
        &self.backend
    }

    fn in_transaction(&self) -> bool {
        self.in_transaction
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
        let result = run(&mut self.connection, sql).await;
        // A syntax error is found before anything is committed.
        let parsed = !matches!(&result, Err(error) if error.kind == DbErrorKind::Syntax);
        if parsed && implicit::commits(sql) {
            self.in_transaction = false;
        }
        result.map_err(|error| self.failed(error))
    }

    async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, DbError> {
        let result = fetch(&mut self.connection, sql, parameters).await;
        result.map_err(|error| self.failed(error))
    }

    async fn query_each(&mut self, statements: &[String]) -> Result<Vec<Row>, DbError> {
        let result = fetch_each(&mut self.connection, statements).await;
        result.map_err(|error| self.failed(error))
    }

    async fn begin(&mut self, mode: TransactionMode) -> Result<(), DbError> {
        if self.in_transaction {
            return Err(common::already_open());
        }
        let sql = match mode {
            TransactionMode::ReadOnly => "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
            TransactionMode::Write => "START TRANSACTION",
        };
        run(&mut self.connection, sql).await?;
        self.in_transaction = true;
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        if !self.in_transaction {
            return Err(common::not_open());
        }
        let result = run(&mut self.connection, "COMMIT").await;
        self.in_transaction = false;
        result.map(drop)
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        if !self.in_transaction {
            return Ok(());
        }
        let result = run(&mut self.connection, "ROLLBACK").await;
        self.in_transaction = false;
        result.map(drop)
    }

    async fn close(self: Box<Self>) -> Result<(), DbError> {
        self.connection.close().await.map_err(|error| errors::map(&error))
    }
}
