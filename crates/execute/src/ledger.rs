//! Steps of the run in progress. Only what runs outside of the transaction that ends the run is written down: inside of it
//! the rows would vanish with whatever they tell of.

use serde::{Deserialize, Serialize};
use trueup_lock::canonical_scope;
use trueup_plan::{ApprovedScript, Effects, OpId};
use trueup_schema::Ident;
use trueup_session::{BoxFuture, Session};

use crate::{ControlTables, ExecuteError, LedgerStore, NewRun};

/// One step of an unfinished run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerStep {
    /// The run's id.
    pub run: String,
    /// The step's number, from 1.
    pub number: i64,
    /// Its operations.
    pub operations: Vec<OpId>,
    /// How to tell whether each of them happened.
    pub effects: Vec<Effects>,
    /// Its statements.
    pub statements: Vec<String>,
    /// Whether it runs in a transaction, and so cannot be half done.
    pub transactional: bool,
    /// How far it is known to be.
    pub state: StepState,
    /// The server's end of the session that ran it: its id and when it started.
    pub backend: (i64, String),
}

/// How far a step is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepState {
    /// Not begun.
    Planned,
    /// Begun; what became of it is to be found out.
    Intent,
    /// Done.
    Done,
    /// Begun, and found not to have happened.
    Refuted,
}

impl StepState {
    /// The word in the ledger.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Intent => "intent",
            Self::Done => "done",
            Self::Refuted => "refuted",
        }
    }

    pub(crate) fn read(word: &str) -> Result<Self, ExecuteError> {
        let states = [Self::Planned, Self::Intent, Self::Done, Self::Refuted];
        let found = states.into_iter().find(|state| state.as_str() == word);
        found.ok_or_else(|| ExecuteError::damaged(format!("a ledger step in state `{word}`")))
    }
}

/// Every step in the control tables of `scope`, in order; none without control tables. Creates nothing.
///
/// # Errors
/// As [`crate::read_records`].
pub fn read_ledger<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
) -> BoxFuture<'a, Result<Vec<LedgerStep>, ExecuteError>> {
    Box::pin(async move {
        let tables = ControlTables::new(session.server().dialect, control_namespace);
        steps_of(&tables, session, canonical_scope(scope)).await
    })
}

/// Every step in `ledger`, if there is one.
pub(crate) async fn steps_of(
    ledger: &dyn LedgerStore,
    session: &mut dyn Session,
    scope: &str,
) -> Result<Vec<LedgerStep>, ExecuteError> {
    if ledger.is_there(session).await? { ledger.steps(session, scope).await } else { Ok(Vec::new()) }
}

/// What is written down before the first step of `approved` begins.
pub(crate) fn new_run(session: &dyn Session, run: &str, epoch: i64, approved: &ApprovedScript) -> NewRun {
    let backend = session.backend();
    let backend = (i64::try_from(backend.id).unwrap_or(i64::MAX), backend.started.clone());
    let script = approved.script();
    let steps =
        script.segments.iter().flat_map(|segment| segment.steps.iter().map(|step| (step, segment.transactional)));
    let steps = (1_i64..).zip(steps).map(|(number, (step, transactional))| {
        let operations = step.operations.iter().filter_map(|id| approved.plan().operation(id));
        LedgerStep {
            run: run.to_owned(),
            number,
            operations: step.operations.clone(),
            effects: operations.map(|operation| operation.effects.clone()).collect(),
            statements: step.statements.iter().map(|statement| statement.sql.clone()).collect(),
            transactional,
            state: StepState::Planned,
            backend: backend.clone(),
        }
    });
    NewRun { run: run.to_owned(), epoch, plan_hash: script.plan_hash.clone(), steps: steps.collect() }
}
