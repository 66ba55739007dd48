//! One connection to a database.

use std::fmt;

use async_trait::async_trait;
use trueup_schema::DialectId;

use crate::{DbError, Row, Value};

/// What the server says of itself, read once when the session opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// The engine behind the connection, as the server reports it: a `mysql:` URL may lead to MariaDB.
    pub dialect: DialectId,
    /// Major, minor and patch number. PostgreSQL 15.18 is `[15, 18, 0]`, SQLite 3.51.3 is `[3, 51, 3]`.
    pub version: [u32; 3],
    /// The server's own version text.
    pub version_text: String,
    /// The connection's default namespace: `current_schema()` at connect time, the URL's database, or none on SQLite.
    pub default_namespace: Option<String>,
    /// The database connected to: its name, or the file's path on SQLite. Empty where MySQL or MariaDB has none chosen.
    pub database: String,
    /// The `sql_mode` that the server gives to a new session (MySQL and MariaDB); the session itself runs under a fixed
    /// one.
    pub sql_mode: Option<String>,
}

/// Identity of the server's end of a session, good enough to tell whether it is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendId {
    /// Process id or connection id; zero on SQLite.
    pub id: u64,
    /// When that backend started, as the server prints it, or when the server started where only that is known (MySQL
    /// and MariaDB, which count ids up from there), and then ` @` with the server's own id. Ids are used again, the pair is
    /// not. Empty on SQLite.
    pub started: String,
}

/// How a transaction begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionMode {
    /// One consistent snapshot, no writes: REPEATABLE READ READ ONLY, WITH CONSISTENT SNAPSHOT, or DEFERRED.
    ReadOnly,
    /// Reads and writes; on SQLite BEGIN IMMEDIATE, which is the lock there.
    Write,
}

/// Stops what a session is doing, from outside of it.
#[async_trait]
pub trait CancelHandle: Send + Sync + fmt::Debug {
    /// Asks the server to stop the statement that the session is running now; an idle session doesn't notice.
    ///
    /// The statement then fails with kind `StatementTimeout`. On PostgreSQL, MySQL and MariaDB the request takes a second
    /// connection. When it returns the statement may still be ending.
    ///
    /// # Errors
    /// [`DbError`] if the server cannot be reached or refuses.
    async fn cancel(&self) -> Result<(), DbError>;
}

/// One connection with its own state: transaction, settings, locks.
///
/// # Cancellation
/// Dropping a future of any method leaves the session in an unknown state: drop the session as well.
#[async_trait]
pub trait Session: Send + fmt::Debug {
    /// What the server said of itself.
    fn server(&self) -> &ServerInfo;

    /// The server's end of this session.
    fn backend(&self) -> &BackendId;

    /// Whether [`Session::begin`] was called and the transaction is still open. Transactions that the server ends by itself
    /// (DDL on MySQL and MariaDB, a full disk on SQLite) are taken into account.
    fn in_transaction(&self) -> bool;

    /// Whether this session was opened on a disposable branch or scratch database.
    fn is_branch(&self) -> bool;

    /// A handle that stops this session's running statement; it may outlive the session.
    fn cancel_handle(&self) -> Box<dyn CancelHandle>;

    /// Runs exactly one statement and returns the number of rows it affected. No prepared statement is kept.
    ///
    /// A text of several statements is refused before any of them runs.
    ///
    /// # Errors
    /// [`DbError`] with the server's words.
    async fn execute(&mut self, sql: &str) -> Result<u64, DbError>;

    /// Runs one query with `parameters` (`$1…` on PostgreSQL, `?` elsewhere) and returns every row.
    ///
    /// Statements are not kept prepared, so a changed table never meets a stale plan.
    ///
    /// # Errors
    /// [`DbError`] with the server's words, or of kind `Decode` for a value of an unexpected type.
    async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, DbError>;

    /// Runs queries that take no parameters and give one row each, and returns these rows: in one trip to the server where the
    /// driver can.
    ///
    /// # Errors
    /// [`DbError`] of the first that fails, or of kind `Decode` if one gives more rows or none; the others may have run or not.
    async fn query_each(&mut self, statements: &[String]) -> Result<Vec<Row>, DbError>;

    /// Opens a transaction.
    ///
    /// # Errors
    /// [`DbError`] if one is open already or the server refuses.
    async fn begin(&mut self, mode: TransactionMode) -> Result<(), DbError>;

    /// Commits the open transaction.
    ///
    /// # Errors
    /// [`DbError`]; of kind `ConnectionLost` when nobody knows whether the commit happened. A transaction that
    /// a failed statement aborted (PostgreSQL) is never reported as committed.
    async fn commit(&mut self) -> Result<(), DbError>;

    /// Rolls the open transaction back; without one it does nothing.
    ///
    /// # Errors
    /// [`DbError`] if the connection is gone, in which case the server has rolled back by itself.
    async fn rollback(&mut self) -> Result<(), DbError>;

    /// Ends the session in good order. Dropping it does the same without waiting.
    ///
    /// # Errors
    /// [`DbError`] if the connection broke first.
    async fn close(self: Box<Self>) -> Result<(), DbError>;
}
