//! Sessions that break where a test says, and remember what they were asked.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use trueup_session::{
    BackendId, CancelHandle, ConnectOptions, Connector, DatabaseUrl, DbError, DbErrorKind, Row, ServerInfo, Session,
    TransactionMode, Value,
};

/// One call of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// [`Connector::connect`], of a connector under a plan.
    Connect,
    /// [`Session::execute`] of this text.
    Execute(String),
    /// [`Session::query`] of this text with these parameters.
    Query(String, Vec<Value>),
    /// [`Session::begin`].
    Begin(TransactionMode),
    /// [`Session::commit`].
    Commit,
    /// [`Session::rollback`].
    Rollback,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Execute(sql) | Self::Query(sql, _) => f.write_str(sql),
            Self::Connect => f.write_str("CONNECT"),
            Self::Begin(TransactionMode::ReadOnly) => f.write_str("BEGIN READ ONLY"),
            Self::Begin(TransactionMode::Write) => f.write_str("BEGIN"),
            Self::Commit => f.write_str("COMMIT"),
            Self::Rollback => f.write_str("ROLLBACK"),
        }
    }
}

/// On which side of a call it breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The call never reaches the server.
    Before,
    /// The server has done it, but its answer does not arrive.
    After,
}

/// How it breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// This call fails with this error, and the session lives on.
    Error(DbError),
    /// The connection is gone, and with it the open transaction; every later call of the session fails too.
    Disconnect,
}

#[derive(Debug, Default)]
struct State {
    log: Vec<Call>,
    fault: Option<(usize, Side, Failure)>,
    has_fired: bool,
}

/// Which call breaks, counted over all sessions that it was given to, and the log of all calls.
///
/// Clones share everything: keep one, hand the others away.
#[derive(Debug, Clone, Default)]
pub struct FaultPlan(Arc<Mutex<State>>);

impl FaultPlan {
    /// Nothing breaks; calls are only logged.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The call number `at`, the first being 1, breaks on `side`, once.
    #[must_use]
    pub fn at(at: usize, side: Side, failure: Failure) -> Self {
        Self(Arc::new(Mutex::new(State { fault: Some((at, side, failure)), ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every call so far that reached a session that was still connected, the one that broke included.
    #[must_use]
    pub fn log(&self) -> Vec<Call> {
        self.state().log.clone()
    }

    /// Whether the fault has happened. A test that goes through all numbers is done when it has not.
    #[must_use]
    pub fn has_fired(&self) -> bool {
        self.state().has_fired
    }

    /// `session` under this plan.
    #[must_use]
    pub fn session(&self, session: Box<dyn Session>) -> FaultSession {
        let (server, backend) = (session.server().clone(), session.backend().clone());
        let is_branch = session.is_branch();
        FaultSession { plan: self.clone(), inner: Some(session), server, backend, is_branch }
    }

    /// `connector`, all of whose sessions are under this plan.
    #[must_use]
    pub fn connector(&self, connector: Box<dyn Connector>) -> FaultConnector {
        FaultConnector { plan: self.clone(), inner: connector }
    }

    /// Logs `call` and says whether it is the one to break.
    fn count(&self, call: Call) -> Option<(Side, Failure)> {
        let mut state = self.state();
        state.log.push(call);
        let number = state.log.len();
        let (_, side, failure) = state.fault.take_if(|(at, ..)| *at == number)?;
        state.has_fired = true;
        Some((side, failure))
    }
}

/// A session that breaks as its [`FaultPlan`] says.
#[derive(Debug)]
pub struct FaultSession {
    plan: FaultPlan,
    /// None once disconnected.
    inner: Option<Box<dyn Session>>,
    server: ServerInfo,
    backend: BackendId,
    is_branch: bool,
}

fn lost() -> DbError {
    DbError::new(DbErrorKind::ConnectionLost, "the connection was cut by a test")
}

fn not_connected(failure: Failure) -> DbError {
    match failure {
        Failure::Error(error) => error,
        Failure::Disconnect => DbError::new(DbErrorKind::CannotConnect, "the connection was cut by a test"),
    }
}

impl FaultSession {
    fn inner(&mut self) -> Result<&mut Box<dyn Session>, DbError> {
        self.inner.as_mut().ok_or_else(lost)
    }

    fn fail(&mut self, failure: Failure) -> DbError {
        match failure {
            Failure::Error(error) => error,
            Failure::Disconnect => {
                // Dropping it ends the connection, and the server rolls back.
                self.inner = None;
                lost()
            }
        }
    }

    /// Before a call: logs it and breaks there if the plan says so. Returns what breaks after it.
    fn enter(&mut self, call: Call) -> Result<Option<Failure>, DbError> {
        self.inner()?;
        match self.plan.count(call) {
            Some((Side::Before, failure)) => Err(self.fail(failure)),
            Some((Side::After, failure)) => Ok(Some(failure)),
            None => Ok(None),
        }
    }

    /// After a call: breaks there if the plan says so and the call itself went well.
    fn leave<T>(&mut self, result: Result<T, DbError>, failure: Option<Failure>) -> Result<T, DbError> {
        match (result, failure) {
            (Ok(_), Some(failure)) => Err(self.fail(failure)),
            (result, _) => result,
        }
    }
}

#[async_trait]
impl Session for FaultSession {
    fn server(&self) -> &ServerInfo {
        &self.server
    }

    fn backend(&self) -> &BackendId {
        &self.backend
    }

    fn in_transaction(&self) -> bool {
        self.inner.as_ref().is_some_and(|session| session.in_transaction())
    }

    fn is_branch(&self) -> bool {
        self.is_branch
    }

    fn cancel_handle(&self) -> Box<dyn CancelHandle> {
        self.inner
            .as_ref()
            .map_or_else(|| -> Box<dyn CancelHandle> { Box::new(Gone) }, |session| session.cancel_handle())
    }

    async fn execute(&mut self, sql: &str) -> Result<u64, DbError> {
        let failure = self.enter(Call::Execute(sql.to_owned()))?;
        let result = self.inner()?.execute(sql).await;
        self.leave(result, failure)
    }

    async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, DbError> {
        let failure = self.enter(Call::Query(sql.to_owned(), parameters.to_vec()))?;
        let result = self.inner()?.query(sql, parameters).await;
        self.leave(result, failure)
    }

    async fn query_each(&mut self, statements: &[String]) -> Result<Vec<Row>, DbError> {
        let failure = self.enter(Call::Query(statements.join(";\n"), Vec::new()))?;
        let result = self.inner()?.query_each(statements).await;
        self.leave(result, failure)
    }

    async fn begin(&mut self, mode: TransactionMode) -> Result<(), DbError> {
        let failure = self.enter(Call::Begin(mode))?;
        let result = self.inner()?.begin(mode).await;
        self.leave(result, failure)
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        let failure = self.enter(Call::Commit)?;
        let result = self.inner()?.commit().await;
        self.leave(result, failure)
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        let failure = self.enter(Call::Rollback)?;
        let result = self.inner()?.rollback().await;
        self.leave(result, failure)
    }

    async fn close(self: Box<Self>) -> Result<(), DbError> {
        match self.inner {
            Some(session) => session.close().await,
            None => Err(lost()),
        }
    }
}

/// The handle of a session that is disconnected.
#[derive(Debug)]
struct Gone;

#[async_trait]
impl CancelHandle for Gone {
    async fn cancel(&self) -> Result<(), DbError> {
        Err(lost())
    }
}

/// A connector whose sessions break as its [`FaultPlan`] says.
#[derive(Debug)]
pub struct FaultConnector {
    plan: FaultPlan,
    inner: Box<dyn Connector>,
}

#[async_trait]
impl Connector for FaultConnector {
    fn url(&self) -> &DatabaseUrl {
        self.inner.url()
    }

    fn with_database(&self, database: &str) -> Box<dyn Connector> {
        Box::new(self.plan.connector(self.inner.with_database(database)))
    }

    async fn connect(&self, options: &ConnectOptions) -> Result<Box<dyn Session>, DbError> {
        let fault = self.plan.count(Call::Connect);
        if let Some((Side::Before, failure)) = fault {
            return Err(not_connected(failure));
        }
        let session = self.inner.connect(options).await?;
        match fault {
            Some((_, failure)) => Err(not_connected(failure)),
            None => Ok(Box::new(self.plan.session(session))),
        }
    }
}
