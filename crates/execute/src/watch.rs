//! What goes on beside a statement: somebody may ask to stop, and somebody else may be in its way.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use trueup_plan::Statement;
use trueup_schema::DialectId;
use trueup_session::{ConnectOptions, DbError, Row, Session, Value};

use crate::run::Run;
use crate::statements::{Stopped, run_from};
use crate::{Event, ExecuteError, RunState};

/// How long a statement runs before somebody asks what it waits for, and how often then.
const LOOK: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(2));

/// A run's emergency stop, in two steps. Whoever holds it may pull it from any thread.
#[derive(Debug, Default)]
pub struct Stop {
    level: AtomicU8,
    pulled: Notify,
}

impl Stop {
    /// One that is not pulled.
    #[must_use]
    pub const fn new() -> Self {
        Self { level: AtomicU8::new(0), pulled: Notify::const_new() }
    }

    /// Asks the run to end before its next step.
    pub fn after_step(&self) {
        self.pull(1);
    }

    /// Asks the run to end at once: the statement under way is cancelled at the server.
    pub fn now(&self) {
        self.pull(2);
    }

    fn pull(&self, level: u8) {
        self.level.fetch_max(level, Ordering::SeqCst);
        self.pulled.notify_waiters();
    }

    /// Whether the run was asked to end.
    #[must_use]
    pub fn is_pulled(&self) -> bool {
        self.level.load(Ordering::SeqCst) > 0
    }

    async fn reaches(&self, level: u8) {
        loop {
            let pulled = self.pulled.notified();
            if self.level.load(Ordering::SeqCst) >= level {
                return;
            }
            pulled.await;
        }
    }
}

impl Run<'_> {
    pub(crate) fn is_stopped(&self) -> bool {
        self.ports.listener.stop().is_some_and(Stop::is_pulled)
    }

    /// Sleeps, or until somebody asks to stop.
    pub(crate) async fn pause(&self, time: Duration) {
        let stopped = async {
            match self.ports.listener.stop() {
                Some(stop) => stop.reaches(1).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.ports.clock.sleep(time) => {}
            () = stopped => {}
        }
    }

    /// Runs `statements` from the one after the first `from` on; meanwhile it tells who blocks them, and cancels the one under way
    /// if somebody asks for that.
    pub(crate) async fn run_watched(
        &self,
        session: &mut dyn Session,
        statements: &[Statement],
        from: usize,
        limit: Option<Duration>,
        operation: &str,
    ) -> Result<(), Stopped> {
        let handle = session.cancel_handle();
        let (dialect, backend) = (session.server().dialect, session.backend().id);
        let mut work = std::pin::pin!(run_from(session, statements, from, limit, self.ports.clock));
        let stopped = async {
            match self.ports.listener.stop() {
                Some(stop) => stop.reaches(2).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = stopped => {}
            () = self.name_blockers(dialect, backend, operation) => {}
        }
        let (done, cancelled) = tokio::join!(work, handle.cancel());
        if let Err(error) = cancelled {
            tracing::warn!(error = &error as &dyn std::error::Error, "a statement was not cancelled");
        }
        done
    }

    /// Tells who stands in the way of `backend`, for ever. It only ever looks; without an answer it is silent.
    async fn name_blockers(&self, dialect: DialectId, backend: u64, operation: &str) {
        let mut session: Option<Box<dyn Session>> = None;
        let mut known = Vec::new();
        let mut pause = LOOK.0;
        loop {
            self.ports.clock.sleep(pause).await;
            pause = LOOK.1;
            if dialect == DialectId::Sqlite {
                continue;
            }
            if session.is_none() {
                let options = ConnectOptions {
                    application_name: "trueup watch".to_owned(),
                    read_only: true,
                    ..ConnectOptions::default()
                };
                session = self.ports.connector.connect(&options).await.ok();
            }
            let Some(open) = &mut session else { continue };
            match blockers(open.as_mut(), dialect, backend).await {
                Ok(by) if by != known => {
                    known.clone_from(&by);
                    if !by.is_empty() {
                        self.hear(&Event::Blocked { operation: operation.to_owned(), by });
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::debug!(error = &error as &dyn std::error::Error, "nobody says what blocks a statement");
                }
            }
        }
    }
}

const POSTGRES: &str = "SELECT 'process ' || a.pid || coalesce(' (' || nullif(a.application_name, '') || ')', '') \
     || coalesce(' of role ' || a.usename, '') || coalesce(', ' || a.state, '') \
     || coalesce(', its transaction open for ' \
     || extract(epoch FROM clock_timestamp() - a.xact_start)::bigint || ' s', '') \
     || coalesce(', its query begun ' || extract(epoch FROM clock_timestamp() - a.query_start)::bigint || ' s ago', '') \
     FROM pg_catalog.pg_stat_activity AS a WHERE a.pid = ANY (pg_catalog.pg_blocking_pids($1::int)) ORDER BY a.pid";

const MYSQL: &str = "SELECT DISTINCT CONCAT('connection ', t.PROCESSLIST_ID, ' of user ', COALESCE(t.PROCESSLIST_USER, '?'), ', ', \
     LOWER(COALESCE(t.PROCESSLIST_COMMAND, '?')), ' for ', COALESCE(t.PROCESSLIST_TIME, 0), ' s') \
     FROM performance_schema.metadata_locks AS w \
     JOIN performance_schema.threads AS me ON me.THREAD_ID = w.OWNER_THREAD_ID \
     JOIN performance_schema.metadata_locks AS g ON g.OBJECT_TYPE = w.OBJECT_TYPE AND g.OBJECT_SCHEMA <=> w.OBJECT_SCHEMA \
     AND g.OBJECT_NAME <=> w.OBJECT_NAME AND g.LOCK_STATUS = 'GRANTED' AND g.OWNER_THREAD_ID <> w.OWNER_THREAD_ID \
     JOIN performance_schema.threads AS t ON t.THREAD_ID = g.OWNER_THREAD_ID \
     WHERE w.LOCK_STATUS = 'PENDING' AND me.PROCESSLIST_ID = ? AND t.PROCESSLIST_ID IS NOT NULL ORDER BY 1";

/// The server lists no holders of metadata locks: those with an open transaction are those who can hold one.
const MARIADB: &str = "SELECT CONCAT('connection ', t.trx_mysql_thread_id, ' of user ', COALESCE(p.USER, '?'), \
     ', its transaction open for ', TIMESTAMPDIFF(SECOND, t.trx_started, NOW()), ' s') \
     FROM information_schema.INNODB_TRX AS t LEFT JOIN information_schema.PROCESSLIST AS p ON p.ID = t.trx_mysql_thread_id \
     WHERE t.trx_mysql_thread_id <> ? AND t.trx_mysql_thread_id <> CONNECTION_ID() AND EXISTS (SELECT 1 FROM information_schema.PROCESSLIST AS me \
     WHERE me.ID = ? AND me.STATE LIKE 'Waiting for%lock%') ORDER BY 1";

async fn blockers(session: &mut dyn Session, dialect: DialectId, backend: u64) -> Result<Vec<String>, DbError> {
    let id = Value::from(i64::try_from(backend).unwrap_or(i64::MAX));
    let rows: Vec<Row> = match dialect {
        DialectId::Postgres => session.query(POSTGRES, &[id]).await?,
        DialectId::MySql => session.query(MYSQL, &[id]).await?,
        DialectId::MariaDb => session.query(MARIADB, &[id.clone(), id]).await?,
        DialectId::Sqlite => Vec::new(),
    };
    rows.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// What a run that was asked to stop says instead of what it was stopped at.
pub(crate) fn stopped(error: ExecuteError) -> ExecuteError {
    let state = if let ExecuteError::Step(failure) = error {
        failure.state
    } else {
        RunState { is_rolled_back: true, ..RunState::default() }
    };
    ExecuteError::Interrupted(Box::new(state))
}
