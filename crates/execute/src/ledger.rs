//! Steps of the run in progress. Only what runs outside of the transaction that ends the run is written down: inside of it
//! the rows would vanish with whatever they tell of.

use trueup_lock::Lease;
use trueup_plan::{ApprovedScript, Effects, OpId};
use trueup_schema::Ident;
use trueup_session::{BoxFuture, Row, Session, Value};

use crate::ExecuteError;
use crate::control::LEDGER;
use crate::store::Store;

/// What a step is recorded with, in this order.
const COLUMNS: [&str; 12] = [
    "scope",
    "run_id",
    "seq",
    "epoch",
    "plan_hash",
    "operations",
    "effects",
    "statements",
    "transactional",
    "state",
    "backend_id",
    "backend_started",
];

/// One step of an unfinished run.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    fn read(word: &str) -> Result<Self, ExecuteError> {
        let states = [Self::Planned, Self::Intent, Self::Done, Self::Refuted];
        let found = states.into_iter().find(|state| state.as_str() == word);
        found.ok_or_else(|| ExecuteError::damaged(format!("a ledger step in state `{word}`")))
    }
}

/// Every step in the ledger of `scope`, in order; none without control tables. Creates nothing.
///
/// # Errors
/// As [`crate::read_records`].
pub fn read_ledger<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
) -> BoxFuture<'a, Result<Vec<LedgerStep>, ExecuteError>> {
    Box::pin(async move {
        let store = Store::new(session, scope, control_namespace);
        if store.control.are_there(session).await? { store.ledger(session).await } else { Ok(Vec::new()) }
    })
}

impl Store {
    pub(crate) async fn ledger(&self, session: &mut dyn Session) -> Result<Vec<LedgerStep>, ExecuteError> {
        let sql = format!(
            "SELECT run_id, seq, operations, effects, statements, transactional, state, backend_id, backend_started \
             FROM {} WHERE scope = {} ORDER BY run_id, seq",
            self.control.table(LEDGER),
            self.control.parameter(1)
        );
        let scope = [self.scope.as_str().into()];
        let rows = session.query(&sql, &scope).await.map_err(ExecuteError::database("read the ledger"))?;
        rows.iter().map(step).collect()
    }

    /// Writes every step down before the first of them begins.
    pub(crate) async fn record_steps(
        &self,
        session: &mut dyn Session,
        lease: &Lease,
        run: &str,
        approved: &ApprovedScript,
    ) -> Result<(), ExecuteError> {
        let backend = session.backend().clone();
        let steps = approved
            .script()
            .segments
            .iter()
            .flat_map(|segment| segment.steps.iter().map(|step| (step, segment.transactional)));
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for (number, (step, transactional)) in (1_i64..).zip(steps) {
            let operations = step.operations.iter().filter_map(|id| approved.plan().operation(id));
            let effects: Vec<&Effects> = operations.map(|operation| &operation.effects).collect();
            let statements: Vec<&str> = step.statements.iter().map(|statement| statement.sql.as_str()).collect();
            rows.push(vec![
                self.scope.as_str().into(),
                run.into(),
                number.into(),
                lease.epoch().into(),
                approved.script().plan_hash.as_str().into(),
                serde_json::to_string(&step.operations).map_err(ExecuteError::damaged)?.into(),
                serde_json::to_string(&effects).map_err(ExecuteError::damaged)?.into(),
                serde_json::to_string(&statements).map_err(ExecuteError::damaged)?.into(),
                i64::from(transactional).into(),
                StepState::Planned.as_str().into(),
                i64::try_from(backend.id).unwrap_or(i64::MAX).into(),
                backend.started.as_str().into(),
            ]);
        }
        self.insert(session, LEDGER, &COLUMNS, &rows).await.map_err(ExecuteError::database("write the ledger"))
    }

    /// Says that step `number` is about to begin, if `lease` still holds; one statement decides both.
    pub(crate) async fn intend(
        &self,
        session: &mut dyn Session,
        lease: &Lease,
        run: &str,
        number: i64,
    ) -> Result<(), ExecuteError> {
        let p: Vec<String> = (1..=5).map(|at| self.control.parameter(at)).collect();
        let sql = format!(
            "UPDATE {} SET state = {}, intent_at = {} WHERE scope = {} AND run_id = {} AND seq = {} AND {}",
            self.control.table(LEDGER),
            p[0],
            self.control.now(),
            p[1],
            p[2],
            p[3],
            lease.condition(&p[4])
        );
        let scope = Value::from(self.scope.as_str());
        let values = [StepState::Intent.as_str().into(), scope.clone(), run.into(), number.into(), scope];
        session.query(&sql, &values).await.map_err(ExecuteError::database("write the ledger"))?;
        // If the lease was gone, nothing was written, and this says so.
        lease.check(session).await.map_err(ExecuteError::from)
    }

    /// Marks steps `first` to `last`.
    pub(crate) async fn mark(
        &self,
        session: &mut dyn Session,
        run: &str,
        first: i64,
        last: i64,
        state: StepState,
    ) -> Result<(), ExecuteError> {
        let p: Vec<String> = (1..=5).map(|at| self.control.parameter(at)).collect();
        let sql = format!(
            "UPDATE {} SET state = {}, done_at = {} WHERE scope = {} AND run_id = {} AND seq >= {} AND seq <= {}",
            self.control.table(LEDGER),
            p[0],
            self.control.now(),
            p[1],
            p[2],
            p[3],
            p[4]
        );
        let values = [state.as_str().into(), self.scope.as_str().into(), run.into(), first.into(), last.into()];
        session.query(&sql, &values).await.map(drop).map_err(ExecuteError::database("write the ledger"))
    }

    /// Takes the steps of one run out.
    pub(crate) async fn forget(&self, session: &mut dyn Session, run: &str) -> Result<(), ExecuteError> {
        let p = [self.control.parameter(1), self.control.parameter(2)];
        let sql = format!("DELETE FROM {} WHERE scope = {} AND run_id = {}", self.control.table(LEDGER), p[0], p[1]);
        let values = [self.scope.as_str().into(), run.into()];
        session.query(&sql, &values).await.map(drop).map_err(ExecuteError::database("clear the ledger"))
    }

    pub(crate) async fn clear_ledger(&self, session: &mut dyn Session) -> Result<(), ExecuteError> {
        let sql = format!("DELETE FROM {} WHERE scope = {}", self.control.table(LEDGER), self.control.parameter(1));
        let scope = [self.scope.as_str().into()];
        session.query(&sql, &scope).await.map(drop).map_err(ExecuteError::database("clear the ledger"))
    }
}

fn step(row: &Row) -> Result<LedgerStep, ExecuteError> {
    let failed = || ExecuteError::database("read the ledger");
    let text = |at| row.text(at).map_err(failed());
    let int = |at| row.int(at).map_err(failed());
    Ok(LedgerStep {
        run: text(0)?.to_owned(),
        number: int(1)?,
        operations: serde_json::from_str(text(2)?).map_err(ExecuteError::damaged)?,
        effects: serde_json::from_str(text(3)?).map_err(ExecuteError::damaged)?,
        statements: serde_json::from_str(text(4)?).map_err(ExecuteError::damaged)?,
        transactional: int(5)? != 0,
        state: StepState::read(text(6)?)?,
        backend: (int(7)?, text(8)?.to_owned()),
    })
}
