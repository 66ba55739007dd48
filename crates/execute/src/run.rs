//! The flow of a run: lock, recover, plan, check, approve, execute, prove, record, release.

use std::time::Duration;

use trueup_lock::{Advisory, LockKey, Wait, acquire, nonce, refuse_pooler};
use trueup_plan::{CheckReport, Consent, PlanStatus, Refusal, approve};
use trueup_schema::DialectId;
use trueup_session::{BoxFuture, Session, TransactionMode};

use crate::others::Seen;
use crate::outcome::{self, Outcome};
use crate::store::{Store, is_reached};
use crate::{Applied, Event, ExecuteError, Ports, Prepared, Records, RunRequest, RunStatus, checks};

/// How often planning starts over because other runs finished in between.
const ROUNDS: usize = 5;

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
        let store = Store::new(session, &request.scope, request.control_namespace.as_ref());
        let key = LockKey::new(&session.server().database, &request.scope, request.control_namespace.as_ref());
        let started = ports.clock.now();
        refuse_pooler(session, ports.connector).await?;
        let before = store.last_entry(session).await;
        let run = Run { ports, request, store, started, id: nonce(), before };
        let on_busy = |holder: &str| ports.listener.hear(&Event::WaitingForLock { holder: holder.to_owned() });
        let wait = Wait { deadline: request.lock_wait, clock: ports.clock, on_busy: &on_busy };
        let held = acquire(session, &key, &wait).await?;
        ports.listener.hear(&Event::Locked);
        // on the heap: what a run holds across its waits is large
        let result = Box::pin(run.under_lock(session, &held)).await;
        if result.as_ref().is_err_and(ExecuteError::is_silent) {
            // A caller that closes the session would wait for an answer as well: dropping it is all that is left.
            drop(held);
            return result;
        }
        // Neither a rollback nor a release that fails replaces the result: the server does both when the session ends.
        if session.in_transaction()
            && let Err(error) = session.rollback().await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "the transaction did not roll back in good order");
        }
        if let Err(error) = held.release(session).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the lock was not released in good order");
        }
        result
    })
}

/// One run.
pub(crate) struct Run<'a> {
    pub(crate) ports: &'a Ports<'a>,
    pub(crate) request: &'a RunRequest,
    pub(crate) store: Store,
    pub(crate) started: Duration,
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
        self.store.control.dialect == DialectId::Sqlite
    }

    pub(crate) fn hear(&self, event: &Event) {
        self.ports.listener.hear(event);
    }

    async fn under_lock(&self, session: &mut dyn Session, held: &Advisory) -> Result<Applied, ExecuteError> {
        let mut waited = held.waited;
        for _ in 0..ROUNDS {
            let seen = self.others(session, &mut waited).await?;
            let mut known = self.store.records(session, 1).await?;
            if let Some(records) = &mut known
                && records.unfinished
            {
                self.recover(session).await?;
            }
            if waited && !self.request.force && self.is_done_by_peer(known.as_ref()) {
                return Ok(applied(RunStatus::SyncedByPeer));
            }
            match self.round(session, held, known.as_ref(), seen).await? {
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
        held: &Advisory,
        known: Option<&Records>,
        seen: Seen,
    ) -> Result<Round, ExecuteError> {
        let (prepared, report) = self.look(session).await?;
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
            PlanStatus::UpToDate | PlanStatus::HeldBack => self.unchanged(session, known, seen, prepared, report).await,
            PlanStatus::Pending => {
                let consent = self.request.consent.clone();
                match approve(prepared.plan.clone(), prepared.script.clone(), report.clone(), consent) {
                    Ok(approved) => self.execute(session, held, known, seen, &approved).await,
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
        known: Option<&Records>,
        seen: Seen,
        prepared: Prepared,
        report: CheckReport,
    ) -> Result<Round, ExecuteError> {
        let outcome = outcome::of_unchanged(prepared);
        let is_known = known.is_some_and(|known| outcome.is_recorded(known, self.request));
        if !is_known {
            if !session.in_transaction() {
                self.store.control.create_and_commit(session).await?;
                session.begin(TransactionMode::Write).await.map_err(ExecuteError::database("record the state"))?;
            } else {
                self.store.control.create(session).await?;
            }
            if self.has_moved(session, known).await? {
                session.rollback().await.map_err(ExecuteError::database("roll back"))?;
                return Ok(Round::Moved);
            }
            let Some(lease) = self.take_lease(session, seen).await? else {
                session.rollback().await.map_err(ExecuteError::database("roll back"))?;
                return Ok(Round::Moved);
            };
            self.record(session, &outcome, known).await?;
            lease.release(session).await?;
            match self.commit(session, crate::error::RunState::default()).await {
                // A cluster finds only now that another node was faster.
                Err(error) if self.is_lost_race(&error) => return Ok(Round::Moved),
                committed => committed?,
            }
        }
        Ok(Round::Over(Box::new(outcome.into_applied(report))))
    }

    /// Whether the history is another than when it was read.
    pub(crate) async fn has_moved(
        &self,
        session: &mut dyn Session,
        known: Option<&Records>,
    ) -> Result<bool, ExecuteError> {
        let latest = self.store.history(session, 1).await?;
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
        self.store.add_entry(session, &entry).await?;
        self.store.track(session, &outcome.tracked(known), &outcome.after.pairs).await?;
        self.store.clear_ledger(session).await
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
