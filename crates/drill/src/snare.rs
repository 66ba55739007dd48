//! A session that counts its calls and is hit at one of them.
//!
//! The run itself knows nothing of it: it gets a connector like any other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};
use trueup::schema::DialectId;
use trueup::session::{
    BackendId, CancelHandle, Clock, ConnectOptions, Connector, DatabaseUrl, DbError, Row, ServerInfo, Session,
    SystemClock, TransactionMode, Value,
};
use trueup_testkit::Proxy;

use crate::job::{Blow, Call, CallKind, Job, Strike, When};

/// What every session of one run shares.
#[derive(Debug)]
pub(crate) struct Snare {
    pub(crate) strike: Option<Strike>,
    pub(crate) calls: Mutex<Vec<Call>>,
    /// Ends backends from outside.
    pub(crate) plain: Box<dyn Connector>,
    pub(crate) proxy: Option<Proxy>,
    /// The most pages that the file may have (SQLite).
    pub(crate) pages: Option<i64>,
    is_taken: AtomicBool,
}

impl Snare {
    pub(crate) fn new(job: &Job, plain: Box<dyn Connector>, proxy: Option<Proxy>) -> Arc<Self> {
        let strike = job.strike.clone();
        Arc::new(Self { strike, calls: Mutex::default(), plain, proxy, pages: job.pages, is_taken: false.into() })
    }

    /// Every call so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn hit(&self, blow: Blow, backend: &BackendId, server: &ServerInfo) {
        match blow {
            Blow::Kill => kill_process(getpid(), Signal::KILL).unwrap_or_default(),
            Blow::Stop => kill_process(getpid(), Signal::STOP).unwrap_or_default(),
            Blow::Pause(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            Blow::EndServer { pid } => {
                if let Some(pid) = Pid::from_raw(pid) {
                    kill_process_group(pid, Signal::KILL).unwrap_or_default();
                }
            }
            Blow::Reset => {
                if let Some(proxy) = &self.proxy {
                    proxy.reset();
                }
            }
            Blow::BlackHole => {
                if let Some(proxy) = &self.proxy {
                    proxy.swallow();
                }
            }
            Blow::EndBackend => {
                if let Ok(mut session) = self.plain.connect(&ConnectOptions::default()).await {
                    let sql = match server.dialect {
                        DialectId::Postgres => format!("SELECT pg_terminate_backend({})", backend.id),
                        DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => format!("KILL {}", backend.id),
                    };
                    drop(session.execute(&sql).await);
                }
            }
        }
        // What was told to end takes a moment.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Opens sessions, the first of which is in the snare: the others are heartbeats and looks from outside.
#[derive(Debug)]
pub(crate) struct SnareConnector {
    pub(crate) inner: Box<dyn Connector>,
    pub(crate) snare: Arc<Snare>,
}

#[async_trait]
impl Connector for SnareConnector {
    fn url(&self) -> &DatabaseUrl {
        self.inner.url()
    }

    fn with_database(&self, database: &str) -> Box<dyn Connector> {
        self.inner.with_database(database)
    }

    async fn connect(&self, options: &ConnectOptions) -> Result<Box<dyn Session>, DbError> {
        let session = self.inner.connect(options).await?;
        if self.snare.is_taken.swap(true, Ordering::SeqCst) {
            return Ok(session);
        }
        let mut session = session;
        if let Some(pages) = self.snare.pages {
            session.query(&format!("PRAGMA max_page_count = {pages}"), &[]).await?;
        }
        Ok(Box::new(SnareSession { inner: session, snare: Arc::clone(&self.snare), clock: SystemClock::new() }))
    }
}

#[derive(Debug)]
struct SnareSession {
    inner: Box<dyn Session>,
    snare: Arc<Snare>,
    clock: SystemClock,
}

impl SnareSession {
    /// Notes the call and says how it is hit.
    fn note(&self, kind: CallKind, sql: &str, parameters: &[Value]) -> (usize, Option<Strike>) {
        let first = match parameters.first() {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let mut calls = self.snare.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let at = calls.len();
        calls.push(Call { kind, sql: sql.to_owned(), first, micros: 0 });
        (at, self.snare.strike.clone().filter(|strike| strike.at == at))
    }

    /// Makes a call under the strike that is meant for it.
    async fn make(&mut self, kind: CallKind, sql: &str, parameters: &[Value]) -> Result<Answer, DbError> {
        let (at, strike) = self.note(kind, sql, parameters);
        let (backend, server) = (self.inner.backend().clone(), self.inner.server().clone());
        let snare = Arc::clone(&self.snare);
        if let Some(strike) = strike.as_ref().filter(|strike| strike.when == When::Before) {
            snare.hit(strike.blow, &backend, &server).await;
        }
        let start = self.clock.now();
        let answer = {
            let mut work = std::pin::pin!(ask(self.inner.as_mut(), kind, sql, parameters));
            match &strike {
                Some(Strike { when: When::During(micros), blow, .. }) => {
                    tokio::select! {
                        biased;
                        () = tokio::time::sleep(Duration::from_micros(*micros)) => {
                            snare.hit(*blow, &backend, &server).await;
                            work.await
                        }
                        answer = &mut work => {
                            snare.hit(*blow, &backend, &server).await;
                            answer
                        }
                    }
                }
                Some(_) | None => work.await,
            }
        };
        let took = self.clock.now().saturating_sub(start);
        if let Some(call) = self.snare.calls.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
            call.micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        }
        if let Some(strike) = strike.as_ref().filter(|strike| strike.when == When::After) {
            snare.hit(strike.blow, &backend, &server).await;
        }
        answer
    }
}

/// What a call gave.
enum Answer {
    Count(u64),
    Rows(Vec<Row>),
    Nothing,
}

async fn ask(session: &mut dyn Session, kind: CallKind, sql: &str, parameters: &[Value]) -> Result<Answer, DbError> {
    match kind {
        CallKind::Execute => session.execute(sql).await.map(Answer::Count),
        CallKind::Query => session.query(sql, parameters).await.map(Answer::Rows),
        CallKind::Begin => session.begin(TransactionMode::Write).await.map(|()| Answer::Nothing),
        CallKind::Read => session.begin(TransactionMode::ReadOnly).await.map(|()| Answer::Nothing),
        CallKind::Commit => session.commit().await.map(|()| Answer::Nothing),
        CallKind::Rollback => session.rollback().await.map(|()| Answer::Nothing),
    }
}

#[async_trait]
impl Session for SnareSession {
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
        Ok(match self.make(CallKind::Execute, sql, &[]).await? {
            Answer::Count(count) => count,
            Answer::Rows(_) | Answer::Nothing => 0,
        })
    }

    async fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>, DbError> {
        Ok(match self.make(CallKind::Query, sql, parameters).await? {
            Answer::Rows(rows) => rows,
            Answer::Count(_) | Answer::Nothing => Vec::new(),
        })
    }

    async fn query_each(&mut self, statements: &[String]) -> Result<Vec<Row>, DbError> {
        let mut rows = Vec::with_capacity(statements.len());
        for sql in statements {
            rows.extend(self.query(sql, &[]).await?);
        }
        Ok(rows)
    }

    async fn begin(&mut self, mode: TransactionMode) -> Result<(), DbError> {
        let kind = match mode {
            TransactionMode::ReadOnly => CallKind::Read,
            TransactionMode::Write => CallKind::Begin,
        };
        self.make(kind, "", &[]).await.map(drop)
    }

    async fn commit(&mut self) -> Result<(), DbError> {
        self.make(CallKind::Commit, "", &[]).await.map(drop)
    }

    async fn rollback(&mut self) -> Result<(), DbError> {
        self.make(CallKind::Rollback, "", &[]).await.map(drop)
    }

    async fn close(self: Box<Self>) -> Result<(), DbError> {
        self.inner.close().await
    }
}
