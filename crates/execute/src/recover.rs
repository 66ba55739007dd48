//! Settling a run that was cut off.

use std::time::Duration;

use trueup_lock::is_alive;
use trueup_plan::{Effects, Predicate};
use trueup_schema::{DialectId, Schema};
use trueup_session::{Clock, Session, TransactionMode};

use crate::error::NeedsHuman;
use crate::ledger::{LedgerStep, StepState};
use crate::run::Run;
use crate::{Event, ExecuteError, Observe};

/// Pause between two looks at a backend that is ending.
const PAUSE: Duration = Duration::from_millis(100);

const TERMINATE: &str = "SELECT pg_catalog.pg_terminate_backend(a.pid) FROM pg_catalog.pg_stat_activity AS a \
     WHERE a.pid = $1::int AND to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') = $2::text";

/// What the live schema says of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It happened.
    Done,
    /// It did not happen.
    Undone,
    /// Some of it happened; each part by itself is known, and a new plan goes on from there.
    Partly,
    /// Looking does not tell.
    Unknown,
}

impl Evidence {
    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Undone => "undone",
            Self::Partly => "partly",
            Self::Unknown => "unknown",
        }
    }

    /// What becomes of a step that was begun; `None` if a person has to say.
    pub(crate) const fn state(self) -> Option<StepState> {
        match self {
            Self::Done => Some(StepState::Done),
            Self::Undone | Self::Partly => Some(StepState::Refuted),
            Self::Unknown => None,
        }
    }

    /// Of `step`, judged by its effects.
    ///
    /// Operations of a step happen in their order. So where one has not, a later one that is not seen done has not either; and where
    /// one has, an earlier one that is not seen undone has too: an index that goes and comes again under its name is judged by
    /// both together.
    pub(crate) fn of(step: &LedgerStep, schema: &Schema) -> Self {
        let holds = |predicate: &Predicate| predicate.holds(schema);
        let seen: Vec<_> = step
            .effects
            .iter()
            .map(|effects| (holds(&effects.pre), holds(&effects.post), effects.partial.as_ref().and_then(holds)))
            .collect();
        let first_undone = seen.iter().position(|(pre, post, _)| *pre == Some(true) && *post == Some(false));
        let last_done = seen.iter().rposition(|(_, post, _)| *post == Some(true));
        let is_done = |at: usize, (pre, post, _): &Seen| {
            *post == Some(true) || (*pre == Some(false) && last_done.is_some_and(|done| done > at))
        };
        let is_undone = |at: usize, (pre, post, _): &Seen| {
            *pre == Some(true) || (*post == Some(false) && first_undone.is_some_and(|undone| undone < at))
        };
        let all = |is: &dyn Fn(usize, &Seen) -> bool| {
            !seen.is_empty() && seen.iter().enumerate().all(|(at, one)| is(at, one))
        };
        if all(&is_done) {
            Self::Done
        } else if all(&is_undone) {
            Self::Undone
        } else if all(&|at, one| is_done(at, one) || is_undone(at, one) || one.2 == Some(true)) {
            Self::Partly
        } else {
            Self::Unknown
        }
    }
}

/// Whether an operation's `pre`, `post` and `partial` hold, as far as the schema tells.
type Seen = (Option<bool>, Option<bool>, Option<bool>);

/// A look at what a run left that was cut off.
pub(crate) struct Recovery<'a> {
    pub(crate) observe: &'a dyn Observe,
    pub(crate) clock: &'a dyn Clock,
    /// How long to wait for the backend of the run to end.
    pub(crate) wait: Duration,
}

impl Run<'_> {
    /// Decides for every step that was begun whether it happened. What is to be done next, the plan that follows finds
    /// out from the database itself.
    pub(crate) async fn recover(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        let steps = self.ports.ledger.steps(session, &self.scope).await?;
        let begun: Vec<&LedgerStep> = steps.iter().filter(|step| step.state == StepState::Intent).collect();
        let Some(first) = begun.first().copied().or(steps.first()) else { return Ok(()) };
        self.hear(&Event::Recovering { run: first.run.clone() });
        let recovery = Recovery { observe: self.ports.planner, clock: self.ports.clock, wait: self.request.lock_wait };
        for (step, evidence) in recovery.look(session, begun).await? {
            let state = evidence.state().ok_or_else(|| needs_human(step, DOES_NOT_TELL.to_owned()))?;
            let number = step.number..=step.number;
            self.ports.ledger.mark(session, &self.scope, &step.run, number, state).await?;
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
                if let Err(error) = self.ports.ledger.forget(session, &self.scope, Some(&self.id)).await {
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
        let is_atomic = matches!(self.dialect, DialectId::MySql | DialectId::MariaDb);
        let ExecuteError::Step(failure) = error else { return false };
        let is_server = failure.source.as_ref().is_some_and(|source| {
            source.vendor_code.is_some() && source.kind != trueup_session::DbErrorKind::ConnectionLost
        });
        let does_nothing = |sql: &&String| sql.starts_with("USE ") || sql.starts_with("SET ");
        let before = failure.number.saturating_sub(1);
        is_atomic && is_server && step.statements.iter().take(before).all(|sql| does_nothing(&sql))
    }

    async fn did_nothing(&self, session: &mut dyn Session, error: &ExecuteError) -> Result<bool, ExecuteError> {
        let mut steps = self.ports.ledger.steps(session, &self.scope).await?;
        steps.retain(|step| step.run == self.id);
        if steps.iter().any(|step| step.state == StepState::Done) {
            return Ok(false);
        }
        steps.retain(|step| step.state == StepState::Intent);
        if steps.iter().all(|step| self.is_refused(step, error)) {
            return Ok(true);
        }
        let schema = observe(self.ports.planner, session).await?;
        let untouched =
            |effects: &Effects| effects.pre.holds(&schema) == Some(true) && effects.post.holds(&schema) != Some(true);
        Ok(steps.iter().all(|step| !step.effects.is_empty() && step.effects.iter().all(untouched)))
    }
}

/// Why a person has to say.
pub(crate) const DOES_NOT_TELL: &str = "what is there does not tell whether it happened";

impl Recovery<'_> {
    /// Waits until no backend works on `begun` any more, and judges each by what is there then.
    pub(crate) async fn look<'s>(
        &self,
        session: &mut dyn Session,
        begun: Vec<&'s LedgerStep>,
    ) -> Result<Vec<(&'s LedgerStep, Evidence)>, ExecuteError> {
        if begun.is_empty() {
            return Ok(Vec::new());
        }
        // Looking while the old statement may still finish would see a state that is about to change.
        for step in &begun {
            self.wait_until_gone(session, step).await?;
        }
        let schema = observe(self.observe, session).await?;
        Ok(begun.into_iter().map(|step| (step, Evidence::of(step, &schema))).collect())
    }

    async fn wait_until_gone(&self, session: &mut dyn Session, step: &LedgerStep) -> Result<(), ExecuteError> {
        let (id, started) = &step.backend;
        // The very session may have gone on: what failed on it is over.
        if is_own(session, step) {
            return Ok(());
        }
        let start = self.clock.now();
        let mut was_told = false;
        // On SQLite the transaction of a dead process is rolled back by whoever opens the file next.
        while is_alive(session, *id, started).await? == Some(true) {
            if self.clock.now().saturating_sub(start) >= self.wait {
                let why = format!("its backend {id} is still running; end it");
                return Err(needs_human(step, why));
            }
            if !was_told {
                terminate(session, &step.backend).await;
                was_told = true;
            }
            self.clock.sleep(PAUSE).await;
        }
        Ok(())
    }
}

/// Whether `session` itself ran the step.
pub(crate) fn is_own(session: &dyn Session, step: &LedgerStep) -> bool {
    let own = session.backend();
    i64::try_from(own.id) == Ok(step.backend.0) && own.started == step.backend.1
}

/// The live schema, read in a transaction of its own if there is none.
pub(crate) async fn observe(observe: &dyn Observe, session: &mut dyn Session) -> Result<Schema, ExecuteError> {
    let reads_alone = !session.in_transaction();
    if reads_alone {
        session.begin(TransactionMode::ReadOnly).await.map_err(ExecuteError::database("begin to read"))?;
    }
    let schema = observe.observe(session).await;
    let schema = schema.map_err(ExecuteError::planner("read the schema that a cut off run left"))?;
    if reads_alone {
        session.rollback().await.map_err(ExecuteError::database("end reading"))?;
    }
    Ok(schema)
}

/// Ends a backend. Identity is checked in the same statement: ids are used again.
pub(crate) async fn terminate(session: &mut dyn Session, backend: &(i64, String)) {
    let (id, started) = backend;
    let told = match session.server().dialect {
        DialectId::Postgres => session.query(TERMINATE, &[(*id).into(), started.as_str().into()]).await.map(drop),
        DialectId::MySql | DialectId::MariaDb => session.execute(&format!("KILL {id}")).await.map(drop),
        DialectId::Sqlite => Ok(()),
    };
    if let Err(error) = told {
        tracing::warn!(error = &error as &dyn std::error::Error, id, "the backend of a cut off run could not be ended");
    }
}

pub(crate) fn needs_human(step: &LedgerStep, why: String) -> ExecuteError {
    ExecuteError::NeedsHuman(Box::new(NeedsHuman {
        run: step.run.clone(),
        step: step.number,
        operations: step.operations.iter().map(|id| id.0.as_str()).collect::<Vec<_>>().join(", "),
        statements: step.statements.join("; "),
        why,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(tables: &[&str]) -> Schema {
        let name = |name: &&str| trueup_schema::QualName::new(None, trueup_schema::Ident::new(*name).unwrap());
        let table = |it| format!(r#"{{"name": {}, "columns": []}}"#, serde_json::to_string(&name(it)).unwrap());
        let tables: Vec<String> = tables.iter().map(table).collect();
        serde_json::from_str(&format!(r#"{{"dialect": "mysql", "tables": [{}]}}"#, tables.join(", "))).unwrap()
    }

    fn there(name: &str) -> Predicate {
        let name = trueup_schema::QualName::new(None, trueup_schema::Ident::new(name).unwrap());
        Predicate::Present(trueup_schema::ObjectRef::Table(name))
    }

    fn not(predicate: Predicate) -> Predicate {
        Predicate::Not(Box::new(predicate))
    }

    /// What goes and comes again under one name: `a` alone is the old one, `a` beside `b` the new one.
    #[test]
    fn a_replacement_is_judged_as_a_whole() {
        let old = Predicate::All(vec![there("a"), not(there("b"))]);
        let new = Predicate::All(vec![there("a"), there("b")]);
        let step = LedgerStep {
            run: "r".to_owned(),
            number: 1,
            operations: Vec::new(),
            effects: vec![
                Effects { pre: old, post: not(there("a")), partial: None },
                Effects { pre: not(there("a")), post: new, partial: None },
            ],
            statements: Vec::new(),
            transactional: false,
            state: StepState::Intent,
            backend: (0, String::new()),
        };
        assert_eq!(Evidence::of(&step, &schema(&["a"])), Evidence::Undone);
        assert_eq!(Evidence::of(&step, &schema(&["a", "b"])), Evidence::Done);
        assert_eq!(Evidence::of(&step, &schema(&[])), Evidence::Partly);
        let mut unknown = step;
        unknown.effects[0].pre = Predicate::Undecidable;
        assert_eq!(Evidence::of(&unknown, &schema(&["a"])), Evidence::Unknown);
    }
}
