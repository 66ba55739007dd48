//! What an operator may do about a lock and an unfinished run. Each act is recorded in the history.

use std::time::Duration;

use trueup_lock::{Claim, LockError, LockGuard, LockStanding, LockStore, Wait, canonical_scope, is_alive, nonce};
use trueup_session::{BoxFuture, Clock, Session, TransactionMode};

use crate::ledger::{LedgerStep, StepState, steps_of};
use crate::recover::{DOES_NOT_TELL, Evidence, Recovery, is_own, needs_human};
use crate::run::release;
use crate::{ExecuteError, LedgerStore, NewEntry, Observe};

/// Pause between two looks at a backend that is ending.
const PAUSE: Duration = Duration::from_millis(100);

/// Who acts, where, and how long it may take.
#[derive(Debug, Clone)]
pub struct OperatorRequest {
    /// The project's scope name.
    pub scope: String,
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
    /// Waits.
    pub clock: &'a dyn Clock,
    /// Excludes runs and other operators.
    pub lock: &'a dyn LockStore,
    /// Where runs are written down.
    pub ledger: &'a dyn LedgerStore,
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
        /// Whether the history says so; before the first run there is none.
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

/// Frees the lock and the lease of a scope, and records that. A session that is alive is ended first if `terminate` says so;
/// else it keeps what it has.
///
/// # Errors
/// [`ExecuteError`]; of the lock if the session could not be ended or somebody else was faster.
pub fn break_lock<'a>(
    session: &'a mut dyn Session,
    ports: &'a OperatorPorts<'a>,
    request: &'a OperatorRequest,
    terminate_holder: bool,
) -> BoxFuture<'a, Result<LockBroken, ExecuteError>> {
    Box::pin(async move {
        let desk = Desk::new(ports, request);
        let before = ports.lock.standing(session, &desk.scope).await?;
        if before.is_free() {
            return Ok(LockBroken::NotHeld);
        }
        let is_alive = before.holder.is_some() || before.is_owner_alive == Some(true);
        if (is_alive || before.may_be_elsewhere()) && !terminate_holder {
            return Ok(LockBroken::Held(before));
        }
        ports.lock.evict(session, &desk.scope, &before).await?;
        let mut held = desk.acquire(session).await?;
        let result = desk.take_over(session, held.as_mut(), &before).await;
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
    ledger: &'a dyn LedgerStore,
    scope: &'a str,
    observe: &'a dyn Observe,
) -> BoxFuture<'a, Result<Vec<LedgerFinding>, ExecuteError>> {
    Box::pin(async move {
        let steps = steps_of(ledger, session, canonical_scope(scope)).await?;
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
    observe: &'a dyn Observe,
    request: &'a OperatorRequest,
    decision: Option<&'a StepDecision>,
) -> BoxFuture<'a, Result<Vec<LedgerFinding>, ExecuteError>> {
    Box::pin(async move {
        let desk = Desk::new(ports, request);
        let Some(mut held) = desk.open(session).await? else {
            return match decision {
                Some(StepDecision { run, step, .. }) => {
                    Err(ExecuteError::NoSuchStep { run: run.clone(), step: Some(*step) })
                }
                None => Ok(Vec::new()),
            };
        };
        let result = desk.resolve(session, held.as_mut(), observe, decision).await;
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
    observe: &'a dyn Observe,
    request: &'a OperatorRequest,
    run: &'a str,
) -> BoxFuture<'a, Result<Vec<LedgerFinding>, ExecuteError>> {
    Box::pin(async move {
        let desk = Desk::new(ports, request);
        let Some(mut held) = desk.open(session).await? else {
            return Err(ExecuteError::NoSuchStep { run: run.to_owned(), step: None });
        };
        let result = desk.abandon(session, held.as_mut(), observe, run).await;
        desk.release(session, held).await;
        result
    })
}

/// One operator's act.
struct Desk<'a> {
    ports: &'a OperatorPorts<'a>,
    request: &'a OperatorRequest,
    scope: String,
}

impl<'a> Desk<'a> {
    fn new(ports: &'a OperatorPorts<'a>, request: &'a OperatorRequest) -> Self {
        Self { ports, request, scope: canonical_scope(&request.scope).to_owned() }
    }

    async fn acquire(&self, session: &mut dyn Session) -> Result<Box<dyn LockGuard>, ExecuteError> {
        let (scope, owner) = (self.scope.clone(), self.request.by.clone());
        let claim = Claim { scope, owner, run: nonce(), time: self.request.lease };
        let wait = Wait { deadline: self.request.lock_wait, clock: self.ports.clock, on_busy: &|_| {} };
        Ok(self.ports.lock.acquire(session, &claim, &wait).await?)
    }

    async fn release(&self, session: &mut dyn Session, held: Box<dyn LockGuard>) {
        release(None, held, session).await;
        if let Err(error) = self.ports.ledger.ended(&self.scope, false).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the ledger did not end in good order");
        }
    }

    /// The lock, where there is a ledger.
    async fn open(&self, session: &mut dyn Session) -> Result<Option<Box<dyn LockGuard>>, ExecuteError> {
        if !self.ports.ledger.is_there(session).await? {
            return Ok(None);
        }
        self.acquire(session).await.map(Some)
    }

    /// Takes the lease under the next epoch and gives it back: whoever had it cannot write any more.
    async fn take_over(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        before: &LockStanding,
    ) -> Result<bool, ExecuteError> {
        if !self.ports.ledger.is_there(session).await? {
            return Ok(false);
        }
        let Some(lease) = &before.lease else {
            let Some(holder) = &before.holder else { return Ok(false) };
            let what = format!("the lock, {}, was taken away", holder.words);
            self.record(session, held, ("lock-broken", &what), Vec::new(), Vec::new(), None).await?;
            return Ok(true);
        };
        let start = self.ports.clock.now();
        while before.is_owner_alive == Some(true)
            && is_alive(session, lease.backend.0, &lease.backend.1).await? == Some(true)
        {
            if self.ports.clock.now().saturating_sub(start) >= self.request.lock_wait {
                return Err(ExecuteError::StillRunning(lease.backend.0));
            }
            self.ports.clock.sleep(PAUSE).await;
        }
        let owner = lease.owner.as_deref().unwrap_or("nobody");
        let what = format!("the lease of {owner} (run {}, epoch {}) was taken away", lease.run, lease.epoch);
        self.record(session, held, ("lock-broken", &what), Vec::new(), Vec::new(), None).await?;
        Ok(true)
    }

    /// Marks steps and writes the history, under a lease and in one transaction.
    async fn record(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        (status, what): (&'static str, &str),
        operations: Vec<String>,
        marks: Vec<(LedgerStep, StepState)>,
        forget: Option<&str>,
    ) -> Result<(), ExecuteError> {
        let is_ours = !session.in_transaction();
        if is_ours {
            session.begin(TransactionMode::Write).await.map_err(ExecuteError::database("begin a transaction"))?;
        }
        if held.take(session, true).await?.is_none() {
            return Err(LockError::NotHeld.into());
        }
        let ledger = self.ports.ledger;
        for (step, state) in marks {
            ledger.mark(session, &self.scope, &step.run, step.number..=step.number, state).await?;
        }
        if let Some(run) = forget {
            ledger.forget(session, &self.scope, Some(run)).await?;
        }
        let entry = self.entry(session, status, what, operations).await?;
        ledger.add_entry(session, &self.scope, &entry).await?;
        held.give_back(session).await?;
        session.commit().await.map_err(ExecuteError::database("commit; everything was rolled back"))?;
        ledger.ended(&self.scope, true).await
    }

    /// The last run's fingerprints stay the last: an act changes no schema.
    async fn entry(
        &self,
        session: &mut dyn Session,
        status: &'static str,
        what: &str,
        operations: Vec<String>,
    ) -> Result<NewEntry, ExecuteError> {
        let latest = self.ports.ledger.history(session, &self.scope, 1).await?.into_iter().next();
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
        observe: &dyn Observe,
        steps: &[LedgerStep],
    ) -> Result<Vec<(LedgerStep, Evidence)>, ExecuteError> {
        let recovery = Recovery { observe, clock: self.ports.clock, wait: self.request.lock_wait };
        let begun = steps.iter().filter(|step| step.state == StepState::Intent).collect();
        let found = recovery.look(session, begun).await?;
        Ok(found.into_iter().map(|(step, evidence)| (step.clone(), evidence)).collect())
    }

    async fn resolve(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        observe: &dyn Observe,
        decision: Option<&StepDecision>,
    ) -> Result<Vec<LedgerFinding>, ExecuteError> {
        let steps = self.ports.ledger.steps(session, &self.scope).await?;
        let begun = self.begun(session, observe, &steps).await?;
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
            self.record(session, held, ("resolved", &what.join(", ")), operations(&marks), marks.clone(), None).await?;
        }
        self.left(session, observe, None).await
    }

    async fn abandon(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        observe: &dyn Observe,
        run: &str,
    ) -> Result<Vec<LedgerFinding>, ExecuteError> {
        let mut steps = self.ports.ledger.steps(session, &self.scope).await?;
        steps.retain(|step| step.run == run);
        if steps.is_empty() {
            return Err(ExecuteError::NoSuchStep { run: run.to_owned(), step: None });
        }
        let begun = self.begun(session, observe, &steps).await?;
        if let Some((step, _)) = begun.iter().find(|(_, evidence)| evidence.state().is_none()) {
            return Err(needs_human(step, DOES_NOT_TELL.to_owned()));
        }
        let mut findings = self.left(session, observe, Some(run)).await?;
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
        self.record(session, held, ("abandoned", &what), operations(&done), Vec::new(), Some(run)).await?;
        Ok(findings)
    }

    /// What the ledger says now, beside the live schema.
    async fn left(
        &self,
        session: &mut dyn Session,
        observe: &dyn Observe,
        run: Option<&str>,
    ) -> Result<Vec<LedgerFinding>, ExecuteError> {
        let steps = self.ports.ledger.steps(session, &self.scope).await?;
        let schema = crate::recover::observe(observe, session).await?;
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
