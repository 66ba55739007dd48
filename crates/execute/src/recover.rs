//! Settling a run that was cut off.

use std::time::Duration;

use trueup_plan::Effects;
use trueup_schema::{DialectId, Schema};
use trueup_session::{Session, TransactionMode};

use crate::error::NeedsHuman;
use crate::ledger::{LedgerStep, StepState};
use crate::run::Run;
use crate::{Event, ExecuteError};

/// Pause between two looks at a backend that is ending.
const PAUSE: Duration = Duration::from_millis(100);

const IS_ALIVE: &str = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_activity AS a WHERE a.pid = $1::int \
     AND to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') = $2::text)";

const TERMINATE: &str = "SELECT pg_catalog.pg_terminate_backend(a.pid) FROM pg_catalog.pg_stat_activity AS a \
     WHERE a.pid = $1::int AND to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') = $2::text";

/// On MySQL and MariaDB an id counts up from the server's start, so a row of another start tells of nobody.
const MYSQL_IS_ALIVE: &str = "SELECT EXISTS (SELECT 1 FROM information_schema.PROCESSLIST AS p WHERE p.ID = ?)";

impl Run<'_> {
    /// Decides for every step that was begun whether it happened. What is to be done next, the plan that follows finds
    /// out from the database itself.
    pub(crate) async fn recover(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        let steps = self.store.ledger(session).await?;
        let begun: Vec<&LedgerStep> = steps.iter().filter(|step| step.state == StepState::Intent).collect();
        let Some(first) = begun.first().copied().or(steps.first()) else { return Ok(()) };
        self.hear(&Event::Recovering { run: first.run.clone() });
        if begun.is_empty() {
            return Ok(());
        }
        // Looking while the old statement may still finish would see a state that is about to change.
        for step in &begun {
            self.wait_until_gone(session, step).await?;
        }
        let schema = self.observe(session).await?;
        for step in begun {
            let state = judge(step, &schema)?;
            self.store.mark(session, &step.run, step.number, step.number, state).await?;
        }
        Ok(())
    }

    /// Clears the ledger of this run if it shows that no step of it did anything. What cannot be told stays for the next run to settle.
    pub(crate) async fn forget_if_nothing_was_done(&self, session: &mut dyn Session, error: &ExecuteError) {
        if session.in_transaction() && session.rollback().await.is_err() {
            return;
        }
        match self.did_nothing(session, error).await {
            Ok(true) => {
                if let Err(error) = self.store.forget(session, &self.id).await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "the ledger was not cleared");
                }
            }
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "what the run did is left to the next one");
            }
        }
    }

    /// Whether the server refused the first statement of the step that does anything. On these servers each is done wholly or not at all.
    fn is_refused(&self, step: &LedgerStep, error: &ExecuteError) -> bool {
        let is_atomic = matches!(self.store.control.dialect, DialectId::MySql | DialectId::MariaDb);
        let ExecuteError::Step(failure) = error else { return false };
        let is_server = failure.source.as_ref().is_some_and(|source| {
            source.vendor_code.is_some() && source.kind != trueup_session::DbErrorKind::ConnectionLost
        });
        let does_nothing = |sql: &&String| sql.starts_with("USE ") || sql.starts_with("SET ");
        let before = failure.number.saturating_sub(1);
        is_atomic && is_server && step.statements.iter().take(before).all(|sql| does_nothing(&sql))
    }

    async fn did_nothing(&self, session: &mut dyn Session, error: &ExecuteError) -> Result<bool, ExecuteError> {
        let mut steps = self.store.ledger(session).await?;
        steps.retain(|step| step.run == self.id);
        if steps.iter().any(|step| step.state == StepState::Done) {
            return Ok(false);
        }
        steps.retain(|step| step.state == StepState::Intent);
        if steps.iter().all(|step| self.is_refused(step, error)) {
            return Ok(true);
        }
        let schema = self.observe(session).await?;
        let untouched =
            |effects: &Effects| effects.pre.holds(&schema) == Some(true) && effects.post.holds(&schema) != Some(true);
        Ok(steps.iter().all(|step| !step.effects.is_empty() && step.effects.iter().all(untouched)))
    }

    async fn observe(&self, session: &mut dyn Session) -> Result<Schema, ExecuteError> {
        let reads_alone = !session.in_transaction();
        if reads_alone {
            session.begin(TransactionMode::ReadOnly).await.map_err(ExecuteError::database("begin to read"))?;
        }
        let schema = self.ports.planner.observe(session).await;
        let schema = schema.map_err(ExecuteError::planner("read the schema that a cut off run left"))?;
        if reads_alone {
            session.rollback().await.map_err(ExecuteError::database("end reading"))?;
        }
        Ok(schema)
    }

    async fn wait_until_gone(&self, session: &mut dyn Session, step: &LedgerStep) -> Result<(), ExecuteError> {
        let failed = || ExecuteError::database("ask whether the backend of the cut off run is gone");
        let (id, started) = &step.backend;
        let start = self.ports.clock.now();
        let mut was_told = false;
        loop {
            let rows = match self.store.control.dialect {
                DialectId::Postgres => {
                    session.query(IS_ALIVE, &[(*id).into(), started.as_str().into()]).await.map_err(failed())?
                }
                DialectId::MySql | DialectId::MariaDb => {
                    if session.backend().started != *started {
                        return Ok(());
                    }
                    session.query(MYSQL_IS_ALIVE, &[(*id).into()]).await.map_err(failed())?
                }
                // The transaction of a dead process is rolled back by whoever opens the file next.
                DialectId::Sqlite => return Ok(()),
            };
            let is_alive = rows.first().map_or(Ok(false), |row| row.bool(0)).map_err(failed())?;
            if !is_alive {
                return Ok(());
            }
            if self.ports.clock.now().saturating_sub(start) >= self.request.lock_wait {
                let why = format!("its backend {id} is still running; end it");
                return Err(needs_human(step, why));
            }
            if !was_told {
                self.terminate(session, step).await?;
                was_told = true;
            }
            self.ports.clock.sleep(PAUSE).await;
        }
    }

    /// Identity is checked in the same statement: ids are used again.
    async fn terminate(&self, session: &mut dyn Session, step: &LedgerStep) -> Result<(), ExecuteError> {
        let (id, started) = &step.backend;
        let told = match self.store.control.dialect {
            DialectId::Postgres => session.query(TERMINATE, &[(*id).into(), started.as_str().into()]).await.map(drop),
            DialectId::MySql | DialectId::MariaDb => session.execute(&format!("KILL {id}")).await.map(drop),
            DialectId::Sqlite => Ok(()),
        };
        if let Err(error) = told {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                id,
                "the backend of a cut off run could not be ended"
            );
        }
        Ok(())
    }
}

fn needs_human(step: &LedgerStep, why: String) -> ExecuteError {
    ExecuteError::NeedsHuman(Box::new(NeedsHuman {
        run: step.run.clone(),
        step: step.number,
        operations: step.operations.iter().map(|id| id.0.as_str()).collect::<Vec<_>>().join(", "),
        statements: step.statements.join("; "),
        why,
    }))
}

/// Whether a step that was begun is done, or is not.
fn judge(step: &LedgerStep, schema: &Schema) -> Result<StepState, ExecuteError> {
    let all = |holds: &dyn Fn(&Effects) -> bool| !step.effects.is_empty() && step.effects.iter().all(holds);
    if all(&|effects| effects.post.holds(schema) == Some(true)) {
        return Ok(StepState::Done);
    }
    // Where some happened and others did not, each by itself is decided, and the new plan goes on from there.
    let is_decided = |effects: &Effects| {
        [Some(&effects.post), Some(&effects.pre), effects.partial.as_ref()]
            .into_iter()
            .flatten()
            .any(|predicate| predicate.holds(schema) == Some(true))
    };
    if all(&is_decided) {
        return Ok(StepState::Refuted);
    }
    Err(needs_human(step, "what is there does not tell whether it happened".to_owned()))
}
