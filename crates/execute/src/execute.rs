//! Carrying out an approved script: in one transaction where it is one, else step by step.

use std::time::Duration;

use trueup_lock::{Heartbeat, LockError, LockGuard, Pulse, full_jitter};
use trueup_plan::{ApprovedScript, CheckAnswer, Leftover, ScriptSegment, ScriptStep};
use trueup_schema::DialectId;
use trueup_session::{DbError, DbErrorKind, Session, TransactionMode};

use crate::checks::Asked;
use crate::error::RunState;
use crate::ledger::{StepState, new_run};
use crate::outcome::{self, Outcome};
use crate::replicas::Mark;
use crate::run::{Round, Run};
use crate::statements::{Limits, first_operation, set_up, tear_down};
use crate::watch;
use crate::{Event, ExecuteError, Records, RunStatus};

/// Nobody is made to wait again so soon: whoever queued up behind a try gets through before the next, in all the round trips that a
/// prepared statement takes.
const DRAIN: Duration = Duration::from_millis(250);

/// First and longest pause before a transaction is tried again.
const PAUSE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));
/// How often a transaction is tried again, and for how long.
const RETRIES: (u32, Duration) = (20, Duration::from_secs(600));
/// Pause before a commit that a reader holds up is tried again (SQLite).
const COMMIT_PAUSE: Duration = Duration::from_millis(50);

/// What allows the next statement.
struct Guard<'a> {
    held: &'a dyn LockGuard,
    epoch: i64,
    pulse: Option<Pulse>,
}

/// How far a run is.
struct Progress {
    /// Steps that are committed.
    done: usize,
    of: usize,
    statements: usize,
    is_released: bool,
}

impl Progress {
    const fn state(&self, is_rolled_back: bool) -> RunState {
        RunState { done: self.done, remaining: self.of.saturating_sub(self.done), is_rolled_back }
    }
}

impl Run<'_> {
    /// Control tables, lease, setup, the script, proof, history.
    pub(crate) async fn execute(
        &self,
        session: &mut dyn Session,
        held: &mut dyn LockGuard,
        known: Option<&Records>,
        approved: &ApprovedScript,
    ) -> Result<Round, ExecuteError> {
        self.greet_replicas().await?;
        let sent = self.ports.clock.now();
        let is_first = !self.is_one_transaction() && !self.ports.ledger.is_there(session).await?;
        if !self.is_one_transaction() {
            held.verify(session).await?;
        }
        self.prepare(session).await?;
        if self.has_moved(session, known).await? {
            return Ok(Round::Moved);
        }
        let Some(epoch) = held.take(session, false).await? else { return Ok(Round::Moved) };
        let pulse = (!self.is_one_transaction()).then(|| Pulse::new(&self.scope, self.request.lease, sent));
        let guard = Guard { held, epoch, pulse };
        let result = self.with_settings(session, &guard, known, approved).await;
        if let Ok((outcome, _)) = &result
            && self.is_one_transaction()
            && outcome.status == RunStatus::NotConverged
        {
            session.rollback().await.map_err(ExecuteError::database("roll back"))?;
        }
        let result = match result {
            // Nothing that is sent now would be answered.
            Err(error) if error.is_silent() => return Err(error),
            result => result,
        };
        tear_down_after(session, approved).await;
        let is_released = result.as_ref().is_ok_and(|(_, progress)| progress.is_released);
        if !self.is_one_transaction()
            && !is_released
            && let Err(error) = guard.held.give_back(session).await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "the lease was not released in good order");
        }
        // a first run that came to nothing leaves nothing
        if let (true, Err(error)) = (is_first, &result) {
            self.forget_if_nothing_was_done(session, error).await;
        }
        if is_first && result.as_ref().map_or(true, |(outcome, _)| outcome.status == RunStatus::NotConverged) {
            self.ports.ledger.retract(session).await;
        }
        let (outcome, progress) = result?;
        self.is_followed_to_the_end(session, &outcome, &progress).await?;
        let mut applied = outcome.into_applied(approved.report().clone());
        applied.statements = progress.statements;
        Ok(Round::Over(Box::new(applied)))
    }

    /// Waits until the replicas have what was recorded of the run.
    async fn is_followed_to_the_end(
        &self,
        session: &mut dyn Session,
        outcome: &Outcome,
        progress: &Progress,
    ) -> Result<(), ExecuteError> {
        if self.ports.replicas.is_empty() || outcome.status == RunStatus::NotConverged {
            return Ok(());
        }
        let history = self.ports.ledger.history(session, &self.scope, 1).await?;
        match history.first() {
            Some(entry) => self.follow(Mark::Entry(entry.id), &progress.state(true)).await,
            None => Ok(()),
        }
    }

    async fn with_settings(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        known: Option<&Records>,
        approved: &ApprovedScript,
    ) -> Result<(Outcome, Progress), ExecuteError> {
        let script = approved.script();
        let of = script.segments.iter().map(|segment| segment.steps.len()).sum();
        let mut progress = Progress { done: 0, of, statements: 0, is_released: false };
        match set_up(session, &script.setup).await {
            Ok(ran) => progress.statements += ran,
            Err(stopped) => {
                let operation = trueup_plan::OpId("setup".to_owned());
                return Err(ExecuteError::Step(stopped.into_failure(operation, progress.state(true))));
            }
        }
        let work = async {
            let outcome = if self.is_one_transaction() {
                self.in_the_lock(session, guard, known, approved, &mut progress).await
            } else if script.segments.len() <= 1 && script.segments.iter().all(|segment| segment.transactional) {
                self.in_one_transaction(session, guard, known, approved, &mut progress).await
            } else {
                self.step_by_step(session, guard, known, approved, &mut progress).await
            };
            if let Some(pulse) = &guard.pulse {
                pulse.stop();
            }
            outcome
        };
        let outcome = match &guard.pulse {
            Some(pulse) => {
                let (connector, clock) = (self.ports.connector, self.ports.clock);
                let heartbeat = Heartbeat { connector, clock, held: guard.held };
                beside(work, heartbeat.beat(pulse)).await?
            }
            None => work.await?,
        };
        Ok((outcome, progress))
    }

    /// SQLite: the open transaction is the lock, and holds everything.
    async fn in_the_lock(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        known: Option<&Records>,
        approved: &ApprovedScript,
        progress: &mut Progress,
    ) -> Result<Outcome, ExecuteError> {
        let outcome = self.whole(session, guard, known, approved, progress).await?;
        if outcome.status != RunStatus::NotConverged {
            self.commit(session, progress.state(true)).await?;
            progress.done = progress.of;
        }
        Ok(outcome)
    }

    /// One transaction, the whole of which is tried again after a transient failure. The plan stays the same.
    async fn in_one_transaction(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        known: Option<&Records>,
        approved: &ApprovedScript,
        progress: &mut Progress,
    ) -> Result<Outcome, ExecuteError> {
        let before = progress.statements;
        let mut retries = Retries::new(self);
        loop {
            progress.statements = before;
            let tried = async {
                self.begin(session, guard).await?;
                let outcome = self.whole(session, guard, known, approved, progress).await?;
                if outcome.status == RunStatus::NotConverged {
                    session.rollback().await.map_err(ExecuteError::database("roll back"))?;
                } else {
                    self.may_go_on(guard)?;
                    self.commit(session, progress.state(true)).await?;
                    progress.is_released = true;
                }
                Ok(outcome)
            }
            .await;
            match tried {
                Ok(outcome) => return Ok(outcome),
                Err(error) => retries.pause(session, error).await?,
            }
        }
    }

    /// Every step, the proof and the records: in the open transaction.
    async fn whole(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        known: Option<&Records>,
        approved: &ApprovedScript,
        progress: &mut Progress,
    ) -> Result<Outcome, ExecuteError> {
        let mut limits = Limits::default();
        let mut number = 0;
        for segment in &approved.script().segments {
            for step in &segment.steps {
                number += 1;
                self.step(session, guard, step, number, &mut limits, progress).await?;
            }
        }
        limits.lift(session).await.map_err(ExecuteError::database("lift the time limits"))?;
        let outcome = self.prove(session, approved).await?;
        if outcome.status != RunStatus::NotConverged {
            self.record_and_release(session, guard, known, &outcome).await?;
        }
        Ok(outcome)
    }

    /// Several transactions, or statements outside of any: the ledger says how far it came.
    async fn step_by_step(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        known: Option<&Records>,
        approved: &ApprovedScript,
        progress: &mut Progress,
    ) -> Result<Outcome, ExecuteError> {
        let steps = new_run(session, &self.id, guard.epoch, approved);
        let mut retries = Retries::new(self);
        loop {
            let recorded = async {
                self.begin(session, guard).await?;
                self.ports.ledger.record_steps(session, &self.scope, &steps).await?;
                self.commit(session, progress.state(true)).await
            };
            match recorded.await {
                Ok(()) => break,
                // Nothing was begun: another node of a cluster may have written the same tables.
                Err(error) => retries.pause(session, error).await?,
            }
        }
        for segment in &approved.script().segments {
            if segment.transactional {
                self.segment(session, guard, segment, progress).await?;
                self.follow(Mark::Step(number(progress.done)), &progress.state(true)).await?;
            } else {
                self.outside(session, guard, approved, segment, progress).await?;
            }
        }
        session.begin(TransactionMode::ReadOnly).await.map_err(ExecuteError::database("begin the proof"))?;
        let outcome = self.prove(session, approved).await?;
        session.rollback().await.map_err(ExecuteError::database("end the proof"))?;
        let mut retries = Retries::new(self);
        loop {
            let recorded = async {
                self.begin(session, guard).await?;
                self.record_and_release(session, guard, known, &outcome).await?;
                self.commit(session, progress.state(true)).await
            };
            match recorded.await {
                Ok(()) => break,
                Err(error) => retries.pause(session, error).await?,
            }
        }
        progress.is_released = true;
        Ok(outcome)
    }

    /// The lease ends with the commit of the records, so that nothing is left to tidy up if the connection breaks then.
    async fn record_and_release(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        known: Option<&Records>,
        outcome: &Outcome,
    ) -> Result<(), ExecuteError> {
        self.record(session, outcome, known).await?;
        Ok(guard.held.give_back(session).await?)
    }

    /// One segment in its transaction, its steps' marks in the same one.
    async fn segment(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        segment: &ScriptSegment,
        progress: &mut Progress,
    ) -> Result<(), ExecuteError> {
        let (done, before) = (progress.done, progress.statements);
        let mut retries = Retries::new(self);
        loop {
            progress.statements = before;
            let tried = async {
                self.begin(session, guard).await?;
                let mut limits = Limits::default();
                for (at, step) in segment.steps.iter().enumerate() {
                    self.step(session, guard, step, done + at + 1, &mut limits, progress).await?;
                }
                limits.lift(session).await.map_err(ExecuteError::database("lift the time limits"))?;
                let (first, last) = (number(done + 1), number(done + segment.steps.len()));
                self.ports.ledger.mark(session, &self.scope, &self.id, first..=last, StepState::Done).await?;
                self.may_go_on(guard)?;
                self.commit(session, progress.state(true)).await
            }
            .await;
            match tried {
                Ok(()) => {
                    progress.done = done + segment.steps.len();
                    return Ok(());
                }
                Err(error) => retries.pause(session, error).await?,
            }
        }
    }

    /// Steps that can have no transaction: intent, statements, done.
    async fn outside(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        approved: &ApprovedScript,
        segment: &ScriptSegment,
        progress: &mut Progress,
    ) -> Result<(), ExecuteError> {
        for step in &segment.steps {
            self.ask_again(session, approved, step, progress).await?;
            guard.held.verify(session).await?;
            let at = progress.done + 1;
            let mut limits = Limits::default();
            self.intend(session, guard, number(at)).await?;
            let ran = self.step(session, guard, step, at, &mut limits, progress).await;
            let lifted = limits.lift(session).await.map_err(ExecuteError::database("lift the time limits"));
            ran?;
            let done = number(at)..=number(at);
            self.ports.ledger.mark(session, &self.scope, &self.id, done, StepState::Done).await?;
            progress.done = at;
            lifted?;
            self.follow(Mark::Step(number(at)), &progress.state(true)).await?;
        }
        Ok(())
    }

    /// Says that a step is about to begin. If the lock was lost, this says so, and nothing begins.
    async fn intend(&self, session: &mut dyn Session, guard: &Guard<'_>, number: i64) -> Result<(), ExecuteError> {
        self.ports.ledger.intend(session, &self.scope, (&self.id, number), guard.held).await?;
        Ok(guard.held.fence(session).await?)
    }

    /// The rows may have changed since the plan was checked, and here nothing rolls back; but what a failed step leaves may be taken away.
    async fn ask_again(
        &self,
        session: &mut dyn Session,
        approved: &ApprovedScript,
        step: &ScriptStep,
        progress: &Progress,
    ) -> Result<(), ExecuteError> {
        if self.request.skip_data_checks || step.leftover.is_some() {
            return Ok(());
        }
        let asked = Asked { timeout: self.request.check_timeout, clock: self.ports.clock };
        for check in approved.script().checks.iter().filter(|check| step.operations.contains(&check.operation)) {
            let why = match asked.check(session, check).await {
                CheckAnswer::Passed | CheckAnswer::Skipped => continue,
                CheckAnswer::Violated { count, .. } => {
                    format!("{count} rows of {} now break the rule {}", check.table, check.rule)
                }
                CheckAnswer::Unknown { why } => format!("{} may not satisfy {}: {why}", check.table, check.rule),
            };
            let state = Box::new(progress.state(true));
            return Err(ExecuteError::Check { operation: check.operation.clone(), why, state });
        }
        Ok(())
    }

    async fn step(
        &self,
        session: &mut dyn Session,
        guard: &Guard<'_>,
        step: &ScriptStep,
        number: usize,
        limits: &mut Limits,
        progress: &mut Progress,
    ) -> Result<(), ExecuteError> {
        let operation = first_operation(step);
        if self.is_stopped() {
            return Err(ExecuteError::Interrupted(Box::new(progress.state(true))));
        }
        self.hear(&Event::StepStarted { number, of: progress.of, operation: operation.0.clone() });
        self.may_go_on(guard)?;
        limits.set(session, step.budgets).await.map_err(ExecuteError::database("set the time limits"))?;
        let is_rolled_back = session.in_transaction();
        // Statements that are atomic and commit one by one: one that came to nothing is tried again by itself.
        let is_alone = matches!(session.server().dialect, DialectId::MySql | DialectId::MariaDb) && !is_rolled_back;
        let mut retries = (is_alone || step.leftover.is_some()).then(|| Retries::new(self));
        let mut from = 0;
        let limit = limits.watched(session);
        while let Err(stopped) = self.run_watched(session, &step.statements, from, limit, &operation.0).await {
            from = stopped.ran();
            let is_undone = match (&step.leftover, stopped.cause()) {
                (Some(leftover), Some(cause)) => take_away(session, leftover, cause).await,
                (Some(_) | None, _) => is_rolled_back,
            };
            let failure = stopped.into_failure(operation.clone(), progress.state(is_undone));
            let error = ExecuteError::Step(failure);
            if self.is_stopped() {
                return Err(watch::stopped(error));
            }
            let Some(retries) = &mut retries else { return Err(error) };
            retries.pause(session, error).await?;
            self.may_go_on(guard)?;
            guard.held.verify(session).await?;
        }
        progress.statements += step.statements.len();
        Ok(())
    }

    async fn prove(&self, session: &mut dyn Session, approved: &ApprovedScript) -> Result<Outcome, ExecuteError> {
        self.hear(&Event::Proving);
        let after =
            self.ports.planner.prepare(session).await.map_err(ExecuteError::planner("plan again as the proof"))?;
        Ok(outcome::of_proof(approved.plan().clone(), approved.script().clone(), after))
    }

    fn may_go_on(&self, guard: &Guard<'_>) -> Result<(), ExecuteError> {
        match &guard.pulse {
            Some(pulse) => Ok(pulse.check(self.ports.clock.now())?),
            None => Ok(()),
        }
    }

    /// A transaction for DDL: the lock looked at, and the fence its first statement.
    async fn begin(&self, session: &mut dyn Session, guard: &Guard<'_>) -> Result<(), ExecuteError> {
        self.may_go_on(guard)?;
        guard.held.verify(session).await?;
        self.ports.ledger.ended(&self.scope, false).await?;
        session.begin(TransactionMode::Write).await.map_err(ExecuteError::database("begin a transaction"))?;
        Ok(guard.held.fence(session).await?)
    }

    /// `state` is what is true if the commit does not happen.
    pub(crate) async fn commit(&self, session: &mut dyn Session, state: RunState) -> Result<(), ExecuteError> {
        let start = self.ports.clock.now();
        loop {
            match session.commit().await {
                Ok(()) => return self.ports.ledger.ended(&self.scope, true).await,
                Err(error) if error.kind == DbErrorKind::ConnectionLost => {
                    return Err(ExecuteError::CommitUnknown(Box::new(state), Box::new(error)));
                }
                // Readers of a file hold up a commit for a while; the transaction is still open.
                Err(error) if error.kind == DbErrorKind::LockTimeout && self.is_one_transaction() => {
                    let is_over = self.ports.clock.now().saturating_sub(start) >= self.request.lock_wait;
                    if is_over || !session.in_transaction() {
                        return Err(ExecuteError::database("commit, because somebody keeps reading the file")(error));
                    }
                    self.ports.clock.sleep(COMMIT_PAUSE).await;
                }
                Err(error) => return Err(ExecuteError::database("commit; everything was rolled back")(error)),
            }
        }
    }
}

/// The outcome of `work`, while `beat` keeps its lease; a beat that says that nobody answers any more ends the wait.
async fn beside<T>(
    work: impl Future<Output = Result<T, ExecuteError>>,
    beat: impl Future<Output = Result<(), LockError>>,
) -> Result<T, ExecuteError> {
    let (mut work, mut beat) = (std::pin::pin!(work), std::pin::pin!(beat));
    tokio::select! {
        outcome = &mut work => {
            // No beat may land after the lease was released.
            if let Err(error) = beat.await {
                tracing::debug!(error = &error as &dyn std::error::Error, "the last heartbeat was not answered");
            }
            outcome
        }
        beaten = &mut beat => match beaten {
            Ok(()) => work.await,
            Err(silent) => Err(silent.into()),
        },
    }
}

/// Takes away what a step left that failed by `cause`, so that it is as if it had not begun. What cannot be taken away now is left to the
/// next run. Whether nothing is left.
async fn take_away(session: &mut dyn Session, leftover: &Leftover, cause: &DbError) -> bool {
    // What was there before is somebody else's.
    if cause.kind == DbErrorKind::DuplicateObject {
        return true;
    }
    let gone = async {
        let rows = session.query(&leftover.question, &[]).await?;
        if rows.first().is_some_and(|row| row.bool(0).unwrap_or(false)) {
            session.execute(&leftover.sql).await?;
        }
        Ok::<(), DbError>(())
    };
    let gone = gone.await;
    if let Err(error) = &gone {
        let error = error as &dyn std::error::Error;
        tracing::warn!(error, sql = %leftover.sql, "what a failed step left is still there");
    }
    gone.is_ok()
}

async fn tear_down_after(session: &mut dyn Session, approved: &ApprovedScript) {
    // A setting that must be put back outside of a transaction: what is still open has failed.
    if session.in_transaction()
        && let Err(error) = session.rollback().await
    {
        tracing::warn!(error = &error as &dyn std::error::Error, "the transaction did not roll back in good order");
    }
    tear_down(session, &approved.script().teardown).await;
}

fn number(step: usize) -> i64 {
    i64::try_from(step).unwrap_or(i64::MAX)
}

/// Bounded retries of one transaction, or of one statement that is none.
struct Retries<'a> {
    run: &'a Run<'a>,
    start: Duration,
    attempt: u32,
}

impl<'a> Retries<'a> {
    fn new(run: &'a Run<'a>) -> Self {
        Self { run, start: run.ports.clock.now(), attempt: 0 }
    }

    /// Rolls back and waits if trying again makes sense; else gives `error` back.
    async fn pause(&mut self, session: &mut dyn Session, error: ExecuteError) -> Result<(), ExecuteError> {
        if let Err(rollback) = session.rollback().await {
            tracing::warn!(
                error = &rollback as &dyn std::error::Error,
                "the transaction did not roll back in good order"
            );
            return Err(error);
        }
        let clock = self.run.ports.clock;
        let is_over = self.attempt >= RETRIES.0 || clock.now().saturating_sub(self.start) >= RETRIES.1;
        let Some(cause) = error.database_error().filter(|_| error.is_transient() && !is_over) else {
            return Err(error);
        };
        let after = DRAIN + full_jitter(PAUSE.0, PAUSE.1, self.attempt);
        let operation = if let ExecuteError::Step(failure) = &error {
            failure.operation.0.clone()
        } else {
            "transaction".to_owned()
        };
        self.run.hear(&Event::Retrying { operation, error: cause.to_string(), after });
        self.run.pause(after).await;
        if self.run.is_stopped() {
            return Err(watch::stopped(error));
        }
        self.attempt += 1;
        Ok(())
    }
}
