//! The flow of a run: lock, recover, plan, check, approve, execute, prove, record, release.

use std::time::Duration;

use trueup_lock::{
    Advisory, Claim, LockError, LockGuard, LockKey, Wait, acquire, canonical_scope, nonce, refuse_pooler,
};
use trueup_plan::{CheckReport, Consent, PlanStatus, Refusal, approve};
use trueup_schema::DialectId;
use trueup_session::{BoxFuture, Session, TransactionMode};

use crate::outcome::{self, Outcome};
use crate::two_keys::{is_clustered, is_conflict};
use crate::{
    Applied, Event, ExecuteError, LedgerStore, Ports, Prepared, Records, RunRequest, RunStatus, checks, is_reached,
};

/// How often planning starts over because other runs finished in between.
const ROUNDS: usize = 5;

/// Pause before planning starts over because another node changed what was read.
const STEP_BACK: Duration = Duration::from_millis(200);

/// Brings the database of `session` to what the planner wants, or refuses and touches nothing.
///
/// The session must be outside of any transaction, and is again when this returns. A plan that is refused and a plan with
/// nothing to do leave no trace, but that the first run that finds nothing to do is recorded once.
///
/// # Errors
/// [`ExecuteError`], which says what is now true. The lock is released.
pub fn run<'a>(
    session: &'a mut dyn Session,
    ports: &'a Ports<'a>,
    request: &'a RunRequest,
) -> BoxFuture<'a, Result<Applied, ExecuteError>> {
    Box::pin(async move {
        if request.consent == Consent::Rehearsal && !session.is_branch() {
            return Err(ExecuteError::NoBranch);
        }
        let (dialect, scope) = (session.server().dialect, canonical_scope(&request.scope).to_owned());
        let started = ports.clock.now();
        refuse_pooler(session, ports.connector).await?;
        let before = last_entry(ports.ledger, session, &scope).await;
        let run = Run { ports, request, dialect, scope, started, id: nonce(), before };
        let on_busy = |holder: &str| run.hear(&Event::WaitingForLock { holder: holder.to_owned() });
        let wait = Wait { deadline: request.lock_wait, clock: ports.clock, on_busy: &on_busy };
        let mut held = ports.lock.acquire(session, &run.claim(), &wait).await?;
        let file = match run.open_file(session, &wait).await {
            Ok(file) => file,
            Err(error) => {
                release(None, held, session).await;
                return Err(error.into());
            }
        };
        run.hear(&Event::Locked);
        // on the heap: what a run holds across its waits is large
        let result = Box::pin(run.under_lock(session, held.as_mut(), &wait)).await;
        // What was not committed by now never will be.
        if let Err(error) = ports.ledger.ended(&run.scope, false).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the ledger did not end in good order");
        }
        if result.as_ref().is_err_and(ExecuteError::is_silent) {
            // A caller that closes the session would wait for an answer as well: dropping it is all that is left.
            drop(held);
            return result;
        }
        release(file, held, session).await;
        result
    })
}

/// Neither a rollback nor a release that fails replaces the result of a run: the server does both when the session ends.
pub(crate) async fn release(file: Option<Advisory>, held: Box<dyn LockGuard>, session: &mut dyn Session) {
    if session.in_transaction()
        && let Err(error) = session.rollback().await
    {
        tracing::warn!(error = &error as &dyn std::error::Error, "the transaction did not roll back in good order");
    }
    let closed = match file {
        Some(file) => file.release(session).await,
        None => Ok(()),
    };
    if let Err(error) = held.release(session).await.and(closed) {
        tracing::warn!(error = &error as &dyn std::error::Error, "the lock was not released in good order");
    }
}

/// The number of the last entry, if there is one; `None` if it cannot be read now.
async fn last_entry(ledger: &dyn LedgerStore, session: &mut dyn Session, scope: &str) -> Option<Option<i64>> {
    let read = async {
        if !ledger.is_there(session).await? {
            return Ok(None);
        }
        Ok(ledger.history(session, scope, 1).await?.first().map(|entry| entry.id))
    };
    let read: Result<Option<i64>, ExecuteError> = read.await;
    read.inspect_err(|error| tracing::debug!(%error, "the history is not read before the lock is held")).ok()
}

/// One run.
pub(crate) struct Run<'a> {
    pub(crate) ports: &'a Ports<'a>,
    pub(crate) request: &'a RunRequest,
    pub(crate) dialect: DialectId,
    pub(crate) scope: String,
    started: Duration,
    pub(crate) id: String,
    /// The last entry of the history before the lock was asked for; `None` where it could not be read.
    before: Option<Option<i64>>,
}

/// What a round of planning came to.
pub(crate) enum Round {
    /// The run is over.
    Over(Box<Applied>),
    /// Another run finished since the history was read: plan again.
    Moved,
}

impl Run<'_> {
    /// Whether the lock is a transaction, in which everything happens.
    pub(crate) fn is_one_transaction(&self) -> bool {
        self.dialect == DialectId::Sqlite
    }

    fn claim(&self) -> Claim {
        let (scope, owner, run) = (self.scope.clone(), self.request.applied_by.clone(), self.id.clone());
        Claim { scope, owner, run, time: self.request.lease }
    }

    /// The one transaction of a run on SQLite, where the lock is another.
    async fn open_file(&self, session: &mut dyn Session, wait: &Wait<'_>) -> Result<Option<Advisory>, LockError> {
        if !self.is_one_transaction() || session.in_transaction() {
            return Ok(None);
        }
        let key = LockKey::new(&session.server().database, &self.scope, None);
        acquire(session, &key, wait).await.map(Some)
    }

    pub(crate) fn hear(&self, event: &Event) {
        self.ports.listener.hear(event);
    }

    async fn under_lock(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        wait: &Wait<'_>,
    ) -> Result<Applied, ExecuteError> {
        for _ in 0..ROUNDS {
            let waited = held.look(session, wait).await?;
            let mut known = self.ports.ledger.records(session, &self.scope, 1).await?;
            if let Some(records) = &mut known
                && records.unfinished
            {
                self.recover(session).await?;
            }
            if waited && !self.request.force && self.is_done_by_peer(known.as_ref()) {
                return Ok(applied(RunStatus::SyncedByPeer));
            }
            match self.round(session, held, known.as_ref()).await? {
                Round::Over(applied) => return Ok(*applied),
                Round::Moved => {}
            }
        }
        Err(ExecuteError::KeepsMoving(ROUNDS))
    }

    /// Whether the one who held the lock meanwhile reached what this run wants. An entry that was there before says nothing of the
    /// schema now: nobody looked at it since.
    fn is_done_by_peer(&self, known: Option<&Records>) -> bool {
        let Some(before) = self.before else { return false };
        known.filter(|known| !known.unfinished).and_then(|known| known.history.first()).is_some_and(|latest| {
            Some(latest.id) != before && is_reached(&latest.status) && latest.run_key == self.request.run_key
        })
    }

    async fn round(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        known: Option<&Records>,
    ) -> Result<Round, ExecuteError> {
        let (prepared, report) = match self.look(session).await {
            Err(error) if self.is_lost_race(&error) => {
                self.step_back(session, error).await?;
                return Ok(Round::Moved);
            }
            looked => looked?,
        };
        self.hear(&Event::Planned { operations: prepared.plan.operations.len() });
        let over = |applied: Applied| Ok(Round::Over(Box::new(applied)));
        if let Some(expected) = &self.request.expected_plan
            && *expected != prepared.script.plan_hash
        {
            let actual = prepared.script.plan_hash;
            return Err(ExecuteError::PlanMoved { expected: expected.clone(), actual });
        }
        let refused = |prepared: Prepared, report, refusals: Vec<Refusal>| Applied {
            plan: Some(prepared.plan),
            script: Some(prepared.script),
            report,
            refusals,
            ..applied(RunStatus::Refused)
        };
        match prepared.plan.status() {
            PlanStatus::Refused => {
                let refusals = prepared.plan.refusals.clone();
                over(refused(prepared, report, refusals))
            }
            PlanStatus::UpToDate | PlanStatus::HeldBack => self.unchanged(session, held, known, prepared, report).await,
            PlanStatus::Pending => {
                let consent = self.request.consent.clone();
                match approve(prepared.plan.clone(), prepared.script.clone(), report.clone(), consent) {
                    Ok(approved) => self.execute(session, held, known, &approved).await,
                    Err(no) => over(refused(prepared, report, no.refusals)),
                }
            }
        }
    }

    /// Plans and asks the rows, reading one consistent state. Refused plans are not worth asking for.
    async fn look(&self, session: &mut dyn Session) -> Result<(Prepared, CheckReport), ExecuteError> {
        let reads_alone = !session.in_transaction();
        if reads_alone {
            session.begin(TransactionMode::ReadOnly).await.map_err(ExecuteError::database("begin to read"))?;
        }
        let prepared = self.ports.planner.prepare(session).await.map_err(ExecuteError::planner("plan"))?;
        let is_asked = prepared.plan.refusals.is_empty()
            && self.request.expected_plan.as_ref().is_none_or(|expected| *expected == prepared.script.plan_hash);
        let report = if !is_asked {
            CheckReport::default()
        } else if self.request.skip_data_checks {
            checks::skipped(&prepared.script)
        } else {
            checks::run_checks(session, &prepared.script, self.request.check_timeout, self.ports.clock).await
        };
        if reads_alone {
            session.rollback().await.map_err(ExecuteError::database("end reading"))?;
        }
        Ok((prepared, report))
    }

    /// Nothing to do. Recorded if the history does not say so already; else nothing at all is touched.
    async fn unchanged(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        known: Option<&Records>,
        prepared: Prepared,
        report: CheckReport,
    ) -> Result<Round, ExecuteError> {
        let outcome = outcome::of_unchanged(prepared);
        let is_known = known.is_some_and(|known| outcome.is_recorded(known, self.request));
        if !is_known {
            self.prepare(session).await?;
            if !session.in_transaction() {
                session.begin(TransactionMode::Write).await.map_err(ExecuteError::database("record the state"))?;
            }
            if self.has_moved(session, known).await? {
                session.rollback().await.map_err(ExecuteError::database("roll back"))?;
                return Ok(Round::Moved);
            }
            if held.take(session, false).await?.is_none() {
                session.rollback().await.map_err(ExecuteError::database("roll back"))?;
                return Ok(Round::Moved);
            }
            self.record(session, &outcome, known).await?;
            held.give_back(session).await?;
            match self.commit(session, crate::error::RunState::default()).await {
                // A cluster finds only now that another node was faster.
                Err(error) if self.is_lost_race(&error) => return Ok(Round::Moved),
                committed => committed?,
            }
        }
        Ok(Round::Over(Box::new(outcome.into_applied(report))))
    }

    /// Makes whatever the ledger and the lock keep in the database.
    pub(crate) async fn prepare(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        self.ports.ledger.prepare(session, &self.scope).await?;
        Ok(self.ports.lock.prepare(session).await?)
    }

    /// Ends the reading that `error` has spoilt: another node changed what was read since the reading began.
    async fn step_back(&self, session: &mut dyn Session, error: ExecuteError) -> Result<(), ExecuteError> {
        if session.in_transaction() && session.rollback().await.is_err() {
            return Err(error);
        }
        self.pause(STEP_BACK).await;
        Ok(())
    }

    /// Whether an error says that a run through another node was first.
    fn is_lost_race(&self, error: &ExecuteError) -> bool {
        is_clustered(self.dialect) && error.database_kind().is_some_and(is_conflict)
    }

    /// Whether the history is another than when it was read.
    pub(crate) async fn has_moved(
        &self,
        session: &mut dyn Session,
        known: Option<&Records>,
    ) -> Result<bool, ExecuteError> {
        let latest = self.ports.ledger.history(session, &self.scope, 1).await?;
        let id = |entries: &[crate::HistoryEntry]| entries.first().map(|entry| entry.id);
        Ok(id(&latest) != known.and_then(|known| id(&known.history)))
    }

    /// Writes history, tracked objects and pairs, and clears the ledger: in the open transaction.
    pub(crate) async fn record(
        &self,
        session: &mut dyn Session,
        outcome: &Outcome,
        known: Option<&Records>,
    ) -> Result<(), ExecuteError> {
        let took = self.ports.clock.now().saturating_sub(self.started);
        let entry = outcome.entry(self.request, i64::try_from(took.as_millis()).unwrap_or(i64::MAX));
        let ledger = self.ports.ledger;
        ledger.add_entry(session, &self.scope, &entry).await?;
        ledger.track(session, &self.scope, &outcome.tracked(known), &outcome.after.pairs).await?;
        ledger.forget(session, &self.scope, None).await
    }
}

/// An end without anything to show.
fn applied(status: RunStatus) -> Applied {
    Applied {
        status,
        plan: None,
        script: None,
        report: CheckReport::default(),
        refusals: Vec::new(),
        residual: Vec::new(),
        statements: 0,
    }
}
