//! What an operator may do about a lock and an unfinished run. Each act is recorded in the history.

use std::time::Duration;

use trueup_lock::{
    Advisory, Holder, LeaseRequest, LeaseStanding, LockKey, Wait, acquire, end_holder, holder, is_alive, nonce,
};
use trueup_schema::Ident;
use trueup_session::{BoxFuture, Clock, Session, TransactionMode};

use crate::control::FORMAT;
use crate::ledger::{LedgerStep, StepState};
use crate::recover::{DOES_NOT_TELL, Evidence, Recovery, is_own, needs_human, observe, terminate};
use crate::store::{NewEntry, Store};
use crate::{ExecuteError, Observe};

/// Pause between two looks at a backend that is ending.
const PAUSE: Duration = Duration::from_millis(100);

/// Who acts, where, and how long it may take.
#[derive(Debug, Clone)]
pub struct OperatorRequest {
    /// The project's scope name.
    pub scope: String,
    /// Where the control tables live (PostgreSQL).
    pub control_namespace: Option<Ident>,
    /// One deadline over all waits.
    pub lock_wait: Duration,
    /// Lease time.
    pub lease: Duration,
    /// Who it is, for the history.
    pub by: String,
    /// A note for the history.
    pub note: Option<String>,
    /// The environment's name, for the history.
    pub environment: Option<String>,
}

/// What an operator's act is given.
#[derive(Debug)]
pub struct OperatorPorts<'a> {
    /// Reads the live schema.
    pub observe: &'a dyn Observe,
    /// Waits.
    pub clock: &'a dyn Clock,
}

/// Who holds the locks of a scope now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockStanding {
    /// The session with the advisory lock.
    pub holder: Option<Holder>,
    /// What the lease says; `None` before the first run.
    pub lease: Option<LeaseStanding>,
    /// Whether the session that took the lease is still there; `None` without an owner, and where it cannot be told.
    pub is_owner_alive: Option<bool>,
}

impl LockStanding {
    /// Whether a session that is not seen from here may hold the lease: through another node of a cluster.
    #[must_use]
    pub fn may_be_elsewhere(&self) -> bool {
        self.is_owner_alive.is_none()
            && self.lease.as_ref().is_some_and(|lease| lease.owner.is_some() && lease.expires_in_ms > 0)
    }

    /// Whether nobody holds anything.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.holder.is_none() && self.lease.as_ref().is_none_or(|lease| lease.owner.is_none())
    }
}

/// What breaking a lock came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockBroken {
    /// Nobody held it.
    NotHeld,
    /// A session that is alive holds it, and was not to be ended.
    Held(LockStanding),
    /// It is free now.
    Broken {
        /// What it was before.
        before: LockStanding,
        /// Whether a session was ended for it.
        was_ended: bool,
        /// Whether the history says so; without control tables there is none.
        is_recorded: bool,
    },
}

/// A step of an unfinished run beside what the live schema says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerFinding {
    /// The step as it is recorded.
    pub step: LedgerStep,
    /// What the live schema says.
    pub evidence: Evidence,
    /// Whether the session that ran it is still there, so that the evidence may change.
    pub is_running: bool,
}

/// A person's word on a step that looking does not decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepDecision {
    /// The run.
    pub run: String,
    /// The step's number.
    pub step: i64,
    /// Whether it happened.
    pub is_done: bool,
}

/// Who holds the lock and the lease of a scope. Takes nothing.
///
/// # Errors
/// As [`crate::read_records`].
pub fn lock_standing<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
) -> BoxFuture<'a, Result<LockStanding, ExecuteError>> {
    Box::pin(async move {
        let store = Store::new(session, scope, control_namespace);
        let key = LockKey::new(&session.server().database, scope, control_namespace);
        let holder = holder(session, &key).await?;
        if !store.control.are_there(session).await? {
            return Ok(LockStanding { holder, lease: None, is_owner_alive: None });
        }
        let lease = store.control.lease_table()?.standing(session, &store.scope).await?;
        let is_owner_alive = match &lease {
            Some(LeaseStanding { owner: Some(_), backend: (id, started), .. }) => {
                is_alive(session, *id, started).await?
            }
            _ => None,
        };
        Ok(LockStanding { holder, lease, is_owner_alive })
    })
}

/// Frees the lock and the lease of a scope, and records that. A session that is alive is ended first if `terminate` says so;
/// else it keeps what it has.
///
/// # Errors
/// [`ExecuteError`]; of the lock if the session could not be ended or somebody else was faster.
pub fn break_lock<'a>(
    session: &'a mut dyn Session,
    clock: &'a dyn Clock,
    request: &'a OperatorRequest,
    terminate_holder: bool,
) -> BoxFuture<'a, Result<LockBroken, ExecuteError>> {
    Box::pin(async move {
        let desk = Desk::new(session, clock, request);
        let before = lock_standing(session, &request.scope, request.control_namespace.as_ref()).await?;
        if before.is_free() {
            return Ok(LockBroken::NotHeld);
        }
        let is_alive = before.holder.is_some() || before.is_owner_alive == Some(true);
        if (is_alive || before.may_be_elsewhere()) && !terminate_holder {
            return Ok(LockBroken::Held(before));
        }
        if before.holder.is_some() {
            end_holder(session, &desk.key).await?;
        }
        if let (Some(true), Some(lease)) = (before.is_owner_alive, &before.lease) {
            terminate(session, desk.store.control.dialect, &lease.backend).await;
        }
        let held = desk.acquire(session).await?;
        let result = desk.take_over(session, &before).await;
        desk.release(session, held).await;
        Ok(LockBroken::Broken { before, was_ended: is_alive, is_recorded: result? })
    })
}

/// Every step in the ledger beside what the live schema says of it. Changes nothing, and opens no transaction.
///
/// # Errors
/// [`ExecuteError`]
pub fn inspect_ledger<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
    observe: &'a dyn Observe,
) -> BoxFuture<'a, Result<Vec<LedgerFinding>, ExecuteError>> {
    Box::pin(async move {
        let steps = crate::read_ledger(session, scope, control_namespace).await?;
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let schema = observe.observe(session).await.map_err(ExecuteError::planner("read the schema"))?;
        let mut findings = Vec::new();
        for step in steps {
            let (id, started) = &step.backend;
            let is_running = step.state == StepState::Intent
                && !is_own(session, &step)
                && is_alive(session, *id, started).await? == Some(true);
            findings.push(LedgerFinding { evidence: Evidence::of(&step, &schema), step, is_running });
        }
        Ok(findings)
    })
}

/// Decides every step that was begun, by looking; with `decision`, a person's word for one that looking does not decide.
/// Returns every step as it is then; those that stay open are still [`StepState::Intent`].
///
/// # Errors
/// [`ExecuteError::NoSuchStep`], [`ExecuteError::Contradicted`] if the live schema proves the decision wrong, and the rest.
pub fn resolve_ledger<'a>(
    session: &'a mut dyn Session,
    ports: &'a OperatorPorts<'a>,
    request: &'a OperatorRequest,
    decision: Option<&'a StepDecision>,
) -> BoxFuture<'a, Result<Vec<LedgerFinding>, ExecuteError>> {
    Box::pin(async move {
        let desk = Desk::new(session, ports.clock, request);
        let Some(held) = desk.open(session).await? else {
            return match decision {
                Some(StepDecision { run, step, .. }) => {
                    Err(ExecuteError::NoSuchStep { run: run.clone(), step: Some(*step) })
                }
                None => Ok(Vec::new()),
            };
        };
        let result = desk.resolve(session, ports, decision).await;
        desk.release(session, held).await;
        result
    })
}

/// Gives an unfinished run up: decides what was begun and forgets the rest. Returns its steps as they were left.
///
/// # Errors
/// [`ExecuteError::NoSuchStep`]; [`ExecuteError::NeedsHuman`] while a step is undecided: what happened is never forgotten
/// unknown.
pub fn abandon_run<'a>(
    session: &'a mut dyn Session,
    ports: &'a OperatorPorts<'a>,
    request: &'a OperatorRequest,
    run: &'a str,
) -> BoxFuture<'a, Result<Vec<LedgerFinding>, ExecuteError>> {
    Box::pin(async move {
        let desk = Desk::new(session, ports.clock, request);
        let Some(held) = desk.open(session).await? else {
            return Err(ExecuteError::NoSuchStep { run: run.to_owned(), step: None });
        };
        let result = desk.abandon(session, ports, run).await;
        desk.release(session, held).await;
        result
    })
}

/// One operator's act.
struct Desk<'a> {
    store: Store,
    key: LockKey,
    clock: &'a dyn Clock,
    request: &'a OperatorRequest,
}

impl<'a> Desk<'a> {
    fn new(session: &dyn Session, clock: &'a dyn Clock, request: &'a OperatorRequest) -> Self {
        let namespace = request.control_namespace.as_ref();
        let key = LockKey::new(&session.server().database, &request.scope, namespace);
        Self { store: Store::new(session, &request.scope, namespace), key, clock, request }
    }

    async fn acquire(&self, session: &mut dyn Session) -> Result<Advisory, ExecuteError> {
        let wait = Wait { deadline: self.request.lock_wait, clock: self.clock, on_busy: &|_| {} };
        Ok(acquire(session, &self.key, &wait).await?)
    }

    async fn release(&self, session: &mut dyn Session, held: Advisory) {
        if session.in_transaction()
            && let Err(error) = session.rollback().await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "the transaction did not roll back in good order");
        }
        if let Err(error) = held.release(session).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the lock was not released in good order");
        }
    }

    /// The lock, where there is a ledger.
    async fn open(&self, session: &mut dyn Session) -> Result<Option<Advisory>, ExecuteError> {
        if !self.store.control.are_there(session).await? {
            return Ok(None);
        }
        self.acquire(session).await.map(Some)
    }

    /// Takes the lease under the next epoch and gives it back: whoever had it cannot write any more.
    async fn take_over(&self, session: &mut dyn Session, before: &LockStanding) -> Result<bool, ExecuteError> {
        if !self.store.control.are_there(session).await? {
            return Ok(false);
        }
        let Some(lease) = &before.lease else { return Ok(false) };
        let start = self.clock.now();
        while before.is_owner_alive == Some(true)
            && is_alive(session, lease.backend.0, &lease.backend.1).await? == Some(true)
        {
            if self.clock.now().saturating_sub(start) >= self.request.lock_wait {
                return Err(ExecuteError::StillRunning(lease.backend.0));
            }
            self.clock.sleep(PAUSE).await;
        }
        let owner = lease.owner.as_deref().unwrap_or("nobody");
        let what = format!("the lease of {owner} (run {}, epoch {}) was taken away", lease.run, lease.epoch);
        self.record(session, "lock-broken", &what, Vec::new(), Vec::new(), &[]).await?;
        Ok(true)
    }

    /// Marks steps and writes the history, under a lease and in one transaction.
    async fn record(
        &self,
        session: &mut dyn Session,
        status: &'static str,
        what: &str,
        operations: Vec<String>,
        marks: Vec<(LedgerStep, StepState)>,
        forget: &[String],
    ) -> Result<(), ExecuteError> {
        let is_ours = !session.in_transaction();
        if is_ours {
            session.begin(TransactionMode::Write).await.map_err(ExecuteError::database("begin a transaction"))?;
        }
        let request = LeaseRequest {
            scope: &self.store.scope,
            owner: &self.request.by,
            run: &nonce(),
            format: FORMAT,
            time: self.request.lease,
        };
        let lease = self.store.control.lease_table()?.take(session, &request).await?;
        for (step, state) in marks {
            self.store.mark(session, &step.run, step.number, step.number, state).await?;
        }
        for run in forget {
            self.store.forget(session, run).await?;
        }
        let entry = self.entry(session, status, what, operations).await?;
        self.store.add_entry(session, &entry).await?;
        lease.release(session).await?;
        session.commit().await.map_err(ExecuteError::database("commit; everything was rolled back"))
    }

    /// The last run's fingerprints stay the last: an act changes no schema.
    async fn entry(
        &self,
        session: &mut dyn Session,
        status: &'static str,
        what: &str,
        operations: Vec<String>,
    ) -> Result<NewEntry, ExecuteError> {
        let latest = self.store.history(session, 1).await?.into_iter().next();
        let (declared, live) = latest.map(|latest| (latest.declared, latest.live)).unwrap_or_default();
        let note = match &self.request.note {
            Some(note) => format!("{what}; {note}"),
            None => what.to_owned(),
        };
        Ok(NewEntry {
            status,
            declared,
            live,
            run_key: String::new(),
            duration_ms: 0,
            applied_by: self.request.by.clone(),
            environment: self.request.environment.clone(),
            source: "an operator".to_owned(),
            note: Some(note),
            operations,
            residual: Vec::new(),
        })
    }

    /// Steps that were begun, with what is there now that nobody works on them any more.
    async fn begun(
        &self,
        session: &mut dyn Session,
        ports: &OperatorPorts<'_>,
        steps: &[LedgerStep],
    ) -> Result<Vec<(LedgerStep, Evidence)>, ExecuteError> {
        let recovery =
            Recovery { store: &self.store, observe: ports.observe, clock: self.clock, wait: self.request.lock_wait };
        let begun = steps.iter().filter(|step| step.state == StepState::Intent).collect();
        let found = recovery.look(session, begun).await?;
        Ok(found.into_iter().map(|(step, evidence)| (step.clone(), evidence)).collect())
    }

    async fn resolve(
        &self,
        session: &mut dyn Session,
        ports: &OperatorPorts<'_>,
        decision: Option<&StepDecision>,
    ) -> Result<Vec<LedgerFinding>, ExecuteError> {
        let steps = self.store.ledger(session).await?;
        let begun = self.begun(session, ports, &steps).await?;
        if let Some(decision) = decision {
            let found = begun.iter().find(|(step, _)| step.run == decision.run && step.number == decision.step);
            let Some((_, evidence)) = found else {
                return Err(ExecuteError::NoSuchStep { run: decision.run.clone(), step: Some(decision.step) });
            };
            let wanted = if decision.is_done { StepState::Done } else { StepState::Refuted };
            if evidence.state().is_some_and(|proven| proven != wanted) {
                let (run, step) = (decision.run.clone(), decision.step);
                return Err(ExecuteError::Contradicted { run, step, evidence: *evidence });
            }
        }
        let mut marks = Vec::new();
        for (step, evidence) in begun {
            let said = decision.filter(|decision| decision.run == step.run && decision.step == step.number);
            let said = said.map(|decision| if decision.is_done { StepState::Done } else { StepState::Refuted });
            if let Some(state) = evidence.state().or(said) {
                marks.push((step, state));
            }
        }
        if !marks.is_empty() {
            let what: Vec<String> = marks
                .iter()
                .map(|(step, state)| format!("step {} of run {} is {}", step.number, step.run, state.as_str()))
                .collect();
            self.record(session, "resolved", &what.join(", "), operations(&marks), marks.clone(), &[]).await?;
        }
        self.left(session, ports, None).await
    }

    async fn abandon(
        &self,
        session: &mut dyn Session,
        ports: &OperatorPorts<'_>,
        run: &str,
    ) -> Result<Vec<LedgerFinding>, ExecuteError> {
        let mut steps = self.store.ledger(session).await?;
        steps.retain(|step| step.run == run);
        if steps.is_empty() {
            return Err(ExecuteError::NoSuchStep { run: run.to_owned(), step: None });
        }
        let begun = self.begun(session, ports, &steps).await?;
        if let Some((step, _)) = begun.iter().find(|(_, evidence)| evidence.state().is_none()) {
            return Err(needs_human(step, DOES_NOT_TELL.to_owned()));
        }
        let mut findings = self.left(session, ports, Some(run)).await?;
        for finding in &mut findings {
            if let Some((_, evidence)) = begun.iter().find(|(step, _)| step.number == finding.step.number) {
                finding.step.state = evidence.state().unwrap_or(finding.step.state);
            }
        }
        let done: Vec<(LedgerStep, StepState)> = findings
            .iter()
            .filter(|finding| finding.step.state == StepState::Done)
            .map(|finding| (finding.step.clone(), StepState::Done))
            .collect();
        let what = format!("run {run} was abandoned with {} of {} steps done", done.len(), findings.len());
        self.record(session, "abandoned", &what, operations(&done), Vec::new(), &[run.to_owned()]).await?;
        Ok(findings)
    }

    /// What the ledger says now, beside the live schema.
    async fn left(
        &self,
        session: &mut dyn Session,
        ports: &OperatorPorts<'_>,
        run: Option<&str>,
    ) -> Result<Vec<LedgerFinding>, ExecuteError> {
        let steps = self.store.ledger(session).await?;
        let schema = observe(ports.observe, session).await?;
        let of_run = steps.into_iter().filter(|step| run.is_none_or(|run| step.run == run));
        Ok(of_run
            .map(|step| LedgerFinding { evidence: Evidence::of(&step, &schema), step, is_running: false })
            .collect())
    }
}

fn operations(steps: &[(LedgerStep, StepState)]) -> Vec<String> {
    steps
        .iter()
        .filter(|(_, state)| *state == StepState::Done)
        .flat_map(|(step, _)| step.operations.iter().map(|id| id.0.clone()))
        .collect()
}
