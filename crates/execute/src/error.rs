//! Why a run could not be finished, and what is now true.

use std::fmt;
use std::time::Duration;

use trueup_lock::LockError;
use trueup_plan::OpId;
use trueup_session::{DbError, DbErrorKind};

use crate::{Evidence, PlannerError};

/// What can go wrong with a run. A refusal or a plan that does not converge is not an error but a status.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The lock was not had, or was lost.
    #[error(transparent)]
    Lock(Box<LockError>),
    /// The server said no outside of the plan's own statements; the open transaction was rolled back.
    #[error("cannot {doing}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// The server's words.
        #[source]
        source: Box<DbError>,
    },
    /// A ledger of the embedder's own has failed.
    #[error("cannot {doing}")]
    Ledger {
        /// What was being done.
        doing: String,
        /// Its reason.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The planner has no answer. Nothing of the open transaction remains.
    #[error("cannot {doing}")]
    Planner {
        /// What was being done.
        doing: &'static str,
        /// Its reason.
        #[source]
        source: PlannerError,
    },
    /// The plan is not the one that was approved; nothing was done.
    #[error(
        "the database or the declaration has moved: the approved plan is `{expected}`, now it would be `{actual}`; nothing \
         was done; look at the new plan and approve that"
    )]
    PlanMoved {
        /// The approved hash.
        expected: String,
        /// The hash of the plan made under the lock.
        actual: String,
    },
    /// Consent for a rehearsal on a database that is no branch.
    #[error("consent to every loss for a rehearsal is valid only on a branch; nothing was done")]
    NoBranch,
    /// The control tables were written by a newer version.
    #[error(
        "the control tables have format {found}, this version knows up to {known}; nothing was done; use the newer version"
    )]
    NewerFormat {
        /// Their format.
        found: i64,
        /// The newest one known here.
        known: i64,
    },
    /// A control row cannot be read.
    #[error("a control table is damaged: {what}")]
    Damaged {
        /// What was found.
        what: String,
    },
    /// A statement of the plan failed.
    #[error(transparent)]
    Step(Box<StepFailure>),
    /// A data check that had passed fails right before its step.
    #[error("`{operation}` was not begun: {why}; {state}")]
    Check {
        /// The operation.
        operation: OpId,
        /// What was found.
        why: String,
        /// What is now true.
        state: Box<RunState>,
    },
    /// The connection broke during the commit.
    #[error(
        "the connection broke during a commit, and nobody knows yet whether it happened; before it {} of {} steps were done; \
         run `trueup apply` again: it looks and goes on from what is there",
        .0.done,
        .0.done + .0.remaining
    )]
    CommitUnknown(Box<RunState>, #[source] Box<DbError>),
    /// A step of a run that was cut off cannot be judged by looking.
    #[error(transparent)]
    NeedsHuman(Box<NeedsHuman>),
    /// Somebody asked the run to stop.
    #[error("interrupted: {0}; run `trueup apply` again, it goes on from what is there")]
    Interrupted(Box<RunState>),
    /// An operator named a step that is not open.
    #[error("{}", no_such_step(run, *step))]
    NoSuchStep {
        /// The run.
        run: String,
        /// The step; `None` where the whole run was named.
        step: Option<i64>,
    },
    /// An operator's word on a step is not what the live schema says.
    #[error(
        "step {step} of run `{run}` is {} by what is there: nothing was recorded; `trueup ledger resolve` without a step \
         records what is there",
        evidence.as_str()
    )]
    Contradicted {
        /// The run.
        run: String,
        /// The step.
        step: i64,
        /// What is there.
        evidence: Evidence,
    },
    /// A session that was told to end has not.
    #[error("session {0} was told to end and has not yet: its statement may be rolling back; nothing was recorded")]
    StillRunning(i64),
    /// A replica that is to be waited for cannot be asked. Nothing was begun.
    #[error("the replica {replica} {why}; nothing was done")]
    Replica {
        /// Where it is.
        replica: String,
        /// What is the matter with it.
        why: String,
        /// The server's words.
        #[source]
        source: Option<Box<DbError>>,
    },
    /// A replica did not come to show what was done, in the time that it was given.
    #[error("{}", behind(replica, *waited, state.as_deref()))]
    ReplicaBehind {
        /// Where it is.
        replica: String,
        /// How long it was waited for.
        waited: Duration,
        /// What is now true; `None` where the run is done and recorded.
        state: Option<Box<RunState>>,
        /// Why it could not be asked the last time.
        #[source]
        source: Option<Box<Self>>,
    },
    /// Other runs finished in between, again and again.
    #[error("the history moved {0} times while this run was planning; nothing was done; run it again")]
    KeepsMoving(usize),
}

/// What is now true of a run that failed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunState {
    /// Steps that are done and committed.
    pub done: usize,
    /// Steps that are not.
    pub remaining: usize,
    /// Whether everything since the last commit was rolled back; otherwise the failing statement may have left something.
    pub is_rolled_back: bool,
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.done + self.remaining;
        match (self.done, self.is_rolled_back) {
            (0, true) => f.write_str("everything was rolled back, the schema is as it was before"),
            (done, true) => write!(f, "{done} of {steps} steps are done and committed, the rest was rolled back"),
            (done, false) => write!(f, "{done} of {steps} steps are done and committed, this one may be half done"),
        }
    }
}

/// A statement of the plan that failed.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{operation}` failed at statement {number} of {of} (`{sql}`){}; {state}; {next}",
    assertion.as_ref().map(|message| format!(": {message}")).unwrap_or_default()
)]
pub struct StepFailure {
    /// The first operation of the step.
    pub operation: OpId,
    /// The statement's number in the step, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// Its text.
    pub sql: String,
    /// Where it is a question: what its answer means.
    pub assertion: Option<String>,
    /// What is now true.
    pub state: RunState,
    /// What to do.
    pub next: String,
    /// The server's words, where it said no.
    #[source]
    pub source: Option<DbError>,
}

/// A step that nobody but a person can settle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "run `{run}` was cut off in step {step} (`{operations}`), and {why}; its statements were: {statements}; nothing was \
     done now; look at the database, then run `trueup ledger resolve {run} {step} --done` or `… --undone`, and apply again"
)]
pub struct NeedsHuman {
    /// The run.
    pub run: String,
    /// The step's number.
    pub step: i64,
    /// Its operations.
    pub operations: String,
    /// Its statements.
    pub statements: String,
    /// Why looking does not tell.
    pub why: String,
}

fn no_such_step(run: &str, step: Option<i64>) -> String {
    match step {
        Some(step) => {
            format!(
                "run `{run}` has no step {step} that was begun and is undecided; `trueup ledger show` lists its steps"
            )
        }
        None => format!("no unfinished run is called `{run}`; `trueup ledger show` lists what there is"),
    }
}

fn behind(replica: &str, waited: Duration, state: Option<&RunState>) -> String {
    let late = format!("the replica {replica} does not show what was done, after {} s", waited.as_secs());
    match state {
        Some(state) => format!(
            "{late}; {state}; run `trueup apply` again when it follows, or without it: the run goes on from what is there"
        ),
        None => format!("{late}; the plan is carried out, proven and recorded, and nothing is left to be done here"),
    }
}

impl From<LockError> for ExecuteError {
    fn from(error: LockError) -> Self {
        if let LockError::NewerFormat { found, known } = error {
            return Self::NewerFormat { found, known };
        }
        Self::Lock(Box::new(error))
    }
}

impl ExecuteError {
    pub(crate) fn database(doing: &'static str) -> impl FnOnce(DbError) -> Self {
        move |source| Self::Database { doing, source: Box::new(source) }
    }

    /// The failure of a ledger of the embedder's own; `doing` goes on after "cannot".
    pub fn ledger(doing: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Ledger { doing: doing.into(), source: source.into() }
    }

    pub(crate) fn planner(doing: &'static str) -> impl FnOnce(PlannerError) -> Self {
        move |source| Self::Planner { doing, source }
    }

    pub(crate) fn damaged(what: impl fmt::Display) -> Self {
        Self::Damaged { what: what.to_string() }
    }

    /// The error of the server behind this one.
    #[must_use]
    pub fn database_error(&self) -> Option<&DbError> {
        match self {
            Self::Lock(error) => error.database_error(),
            Self::Database { source, .. } | Self::CommitUnknown(_, source) => Some(source),
            Self::Planner { source, .. } => beneath(source.as_ref()),
            Self::Step(failure) => failure.source.as_ref(),
            Self::Replica { source, .. } => source.as_deref(),
            Self::ReplicaBehind { source, .. } => source.as_ref().and_then(|source| source.database_error()),
            Self::Ledger { .. }
            | Self::PlanMoved { .. }
            | Self::NoBranch
            | Self::NewerFormat { .. }
            | Self::Damaged { .. }
            | Self::Check { .. }
            | Self::NeedsHuman(_)
            | Self::Interrupted(_)
            | Self::NoSuchStep { .. }
            | Self::Contradicted { .. }
            | Self::StillRunning(_)
            | Self::KeepsMoving(_) => None,
        }
    }

    /// Whether nobody answers any more, so that the session is of no use.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::Lock(error) if matches!(**error, LockError::Silent { .. }))
    }

    pub(crate) fn database_kind(&self) -> Option<DbErrorKind> {
        self.database_error().map(|error| error.kind)
    }

    /// Whether the whole transaction may succeed when run again.
    pub(crate) fn is_transient(&self) -> bool {
        !matches!(self, Self::CommitUnknown(..) | Self::Replica { .. } | Self::ReplicaBehind { .. })
            && self.database_kind().is_some_and(DbErrorKind::is_transient)
    }
}

/// The error of the server somewhere beneath another.
fn beneath<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a DbError> {
    let mut next = Some(error);
    while let Some(error) = next {
        let boxed = || error.downcast_ref::<Box<DbError>>().map(AsRef::as_ref);
        if let Some(found) = error.downcast_ref::<DbError>().or_else(boxed) {
            return Some(found);
        }
        next = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_error_is_found_beneath_the_planners() {
        let changed = DbError::new(DbErrorKind::SerializationFailure, "changed");
        let inner = ExecuteError::database("look")(changed);
        let outer = ExecuteError::planner("plan")(Box::new(inner));
        assert_eq!(outer.database_kind(), Some(DbErrorKind::SerializationFailure));
        let other = ExecuteError::planner("plan")("no".into());
        assert_eq!(other.database_kind(), None);
    }

    #[test]
    fn it_is_small_enough_to_return_by_value() {
        assert!(size_of::<ExecuteError>() <= 128);
    }

    #[test]
    fn it_says_what_is_now_true() {
        let state = |done, remaining, is_rolled_back| RunState { done, remaining, is_rolled_back }.to_string();
        assert_eq!(state(0, 2, true), "everything was rolled back, the schema is as it was before");
        assert_eq!(state(1, 2, true), "1 of 3 steps are done and committed, the rest was rolled back");
        assert_eq!(state(1, 2, false), "1 of 3 steps are done and committed, this one may be half done");
        let lost = Box::new(DbError::new(DbErrorKind::ConnectionLost, "gone"));
        let unknown =
            ExecuteError::CommitUnknown(Box::new(RunState { done: 1, remaining: 2, is_rolled_back: true }), lost);
        assert!(unknown.to_string().contains("before it 1 of 3 steps were done"), "{unknown}");
        assert!(!unknown.is_transient());
    }
}
