//! What an operator asks and does about locks and unfinished runs.

use std::sync::Arc;

use async_trait::async_trait;
use trueup_dialect::Dialect;
use trueup_execute::{
    ExecuteError, LedgerFinding, LedgerStore, LockBroken, LockStanding, Observe, OperatorPorts, OperatorRequest,
    PlannerError, StepDecision, abandon_run, break_lock, inspect_ledger, resolve_ledger,
};
use trueup_lock::{LockStore, refuse_pooler};
use trueup_schema::{DialectId, Schema};
use trueup_session::{BoxFuture, Clock, Session};

use crate::{Error, Options, Pipeline, live};

/// Who holds the lock of a scope, and where.
#[derive(Debug, Clone)]
pub struct LockReport {
    /// Host, port and database.
    pub place: String,
    /// The engine.
    pub dialect: DialectId,
    /// Who holds what.
    pub standing: LockStanding,
}

/// The steps of unfinished runs, beside what the live schema says of them.
#[derive(Debug, Clone)]
pub struct LedgerReport {
    /// Host, port and database.
    pub place: String,
    /// The steps, in order; none if no run is unfinished.
    pub findings: Vec<LedgerFinding>,
}

/// Reads the whole live schema: what an unfinished run wanted is not known to an operator's verb.
#[derive(Debug)]
struct Looker<'a> {
    dialect: Box<dyn Dialect>,
    options: &'a Options,
}

#[async_trait]
impl Observe for Looker<'_> {
    async fn observe(&self, session: &mut dyn Session) -> Result<Schema, PlannerError> {
        let own = live::own(session, self.options);
        let live = live::read(session, self.dialect.as_ref(), self.options, own).await;
        live.map(|live| live.snapshot.into_schema()).map_err(Error::boxed)
    }
}

/// What an operator's act is given.
struct Stores {
    clock: Arc<dyn Clock>,
    lock: Arc<dyn LockStore>,
    ledger: Arc<dyn LedgerStore>,
}

impl Stores {
    fn ports(&self) -> OperatorPorts<'_> {
        OperatorPorts { clock: self.clock.as_ref(), lock: self.lock.as_ref(), ledger: self.ledger.as_ref() }
    }
}

impl Pipeline {
    /// Who holds the lock and the lease. Takes nothing, changes nothing.
    ///
    /// # Errors
    /// [`Error`]
    pub fn lock_standing<'a>(&'a self) -> BoxFuture<'a, Result<LockReport, Error>> {
        Box::pin(async move {
            // SQLite tells whether its lock is free only to whoever could take it.
            let mut session = self.act().await?;
            let lock = self.lock(session.as_ref());
            let standing = lock.standing(session.as_mut(), self.options.canonical_scope()).await;
            let standing = standing.map_err(ExecuteError::from)?;
            let dialect = session.server().dialect;
            close(session).await?;
            Ok(LockReport { place: self.place(), dialect, standing })
        })
    }

    /// Frees a lock that a dead run left, or with `terminate` one that a live run holds, whose session is ended first.
    /// Recorded in the history.
    ///
    /// # Errors
    /// [`Error`]
    pub fn break_lock<'a>(&'a self, terminate: bool) -> BoxFuture<'a, Result<LockBroken, Error>> {
        Box::pin(async move {
            let mut session = self.act().await?;
            let (stores, request) = (self.stores(session.as_ref()), self.operator_request());
            let broken = break_lock(session.as_mut(), &stores.ports(), &request, terminate).await?;
            close(session).await?;
            Ok(broken)
        })
    }

    /// The ledger beside what the live schema says of each step. Changes nothing.
    ///
    /// # Errors
    /// [`Error`]
    pub fn ledger<'a>(&'a self) -> BoxFuture<'a, Result<LedgerReport, Error>> {
        Box::pin(async move {
            let mut session = self.look().await?;
            let looker = self.looker(session.as_mut()).await?;
            self.begin_reading(session.as_mut()).await?;
            let ledger = self.ledger_store(session.as_ref());
            let scope = self.options.canonical_scope();
            let findings = inspect_ledger(session.as_mut(), ledger.as_ref(), scope, &looker).await?;
            self.end_reading(session).await?;
            Ok(LedgerReport { place: self.place(), findings })
        })
    }

    /// Decides what a run that was cut off had begun: by looking, and by `decision` where looking does not tell. Recorded in
    /// the history.
    ///
    /// # Errors
    /// [`Error`]; a decision that the live schema proves wrong is one.
    pub fn resolve_ledger<'a>(
        &'a self,
        decision: Option<&'a StepDecision>,
    ) -> BoxFuture<'a, Result<LedgerReport, Error>> {
        Box::pin(async move {
            let mut session = self.act().await?;
            let looker = self.looker(session.as_mut()).await?;
            let (stores, request) = (self.stores(session.as_ref()), self.operator_request());
            let findings = resolve_ledger(session.as_mut(), &stores.ports(), &looker, &request, decision).await?;
            close(session).await?;
            Ok(LedgerReport { place: self.place(), findings })
        })
    }

    /// Gives an unfinished run up, once everything that it had begun is decided. Recorded in the history.
    ///
    /// # Errors
    /// [`Error`]; while a step is undecided the run stays.
    pub fn abandon_run<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<LedgerReport, Error>> {
        Box::pin(async move {
            let mut session = self.act().await?;
            let looker = self.looker(session.as_mut()).await?;
            let (stores, request) = (self.stores(session.as_ref()), self.operator_request());
            let findings = abandon_run(session.as_mut(), &stores.ports(), &looker, &request, run).await?;
            close(session).await?;
            Ok(LedgerReport { place: self.place(), findings })
        })
    }

    /// A session that may write, but never makes the file that it writes to.
    async fn act(&self) -> Result<Box<dyn Session>, Error> {
        if self.is_missing_file() {
            return self.look().await;
        }
        let mut session = self.connect(&self.options_for(false, false)).await?;
        // behind one, what is ended or taken here would be somebody else's
        refuse_pooler(session.as_mut(), self.target()).await.map_err(ExecuteError::from)?;
        Ok(session)
    }

    async fn looker(&self, session: &mut dyn Session) -> Result<Looker<'_>, Error> {
        Ok(Looker { dialect: live::rules(session).await?, options: &self.options })
    }

    fn stores(&self, session: &dyn Session) -> Stores {
        Stores { clock: self.clock(), lock: self.lock(session), ledger: self.ledger_store(session) }
    }

    fn operator_request(&self) -> OperatorRequest {
        OperatorRequest {
            scope: self.options.scope.clone(),
            lock_wait: self.options.lock_wait,
            lease: self.options.lease,
            by: self.options.applied_by.clone(),
            note: self.options.note.clone(),
            environment: self.options.environment.clone(),
        }
    }
}

async fn close(session: Box<dyn Session>) -> Result<(), Error> {
    session.close().await.map_err(|source| Error::Database { doing: "closing the session", source })
}
