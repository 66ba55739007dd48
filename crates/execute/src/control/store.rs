//! History, steps, tracked objects and pairs in the control tables.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;
use trueup_lock::{LockGuard, full_jitter};
use trueup_plan::{Pair, Tracked};
use trueup_schema::{DialectId, Ident, ObjectRef};
use trueup_session::{Clock, DbError, DbErrorKind, Session, SystemClock, Value};

use super::rows::{ObjectRow, entry, rows_of, step, step_values};
use super::{Control, HISTORY, LEDGER, OBJECTS};
use crate::two_keys::TwoKeyLock;
use crate::{ExecuteError, HistoryEntry, LedgerStep, LedgerStore, NewEntry, NewRun, Records, StepState, is_reached};

/// Rows per INSERT: below the limit on parameters of every engine.
const CHUNK: usize = 50;

/// How often a statement is sent that DDL of another node aborts.
const TRIES: u32 = 5;

/// First and longest pause before that.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

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

/// The ledger that a run writes if nobody brings another: tables in the database itself, so that what is written goes with the
/// transaction of the DDL.
#[derive(Debug, Clone)]
pub struct ControlTables {
    /// As the caller gave it.
    namespace: Option<Ident>,
    control: Control,
    /// Whether no lease will say which format the tables have.
    leaves_format: bool,
}

impl ControlTables {
    /// The control tables in `control_namespace`, or where [`crate::default_control_namespace`] says, for runs that take
    /// [their lock](Self::lock).
    #[must_use]
    pub fn new(dialect: DialectId, control_namespace: Option<&Ident>) -> Self {
        let control = Control::new(dialect, control_namespace);
        Self { namespace: control_namespace.cloned(), control, leaves_format: false }
    }

    /// The same beside another lock. The table of leases is there as well, and says which format they all have.
    #[must_use]
    pub fn beside_another_lock(dialect: DialectId, control_namespace: Option<&Ident>) -> Self {
        Self { leaves_format: true, ..Self::new(dialect, control_namespace) }
    }

    /// The lock whose leases are in these tables.
    #[must_use]
    pub fn lock(&self) -> TwoKeyLock {
        TwoKeyLock::beside(&self.control, self.namespace.as_ref())
    }

    async fn objects(
        &self,
        session: &mut dyn Session,
        scope: &str,
    ) -> Result<(Tracked, BTreeMap<ObjectRef, String>), ExecuteError> {
        let failed = || ExecuteError::database("read the tracked objects");
        let sql = format!(
            "SELECT kind, object, hash, declared, major FROM {} WHERE scope = {} ORDER BY id",
            self.control.table(OBJECTS),
            self.control.parameter(1)
        );
        let rows = session.query(&sql, &[scope.into()]).await.map_err(failed())?;
        let (mut tracked, mut hashes) = (Tracked::default(), BTreeMap::new());
        for row in &rows {
            let row = ObjectRow::read(row).map_err(failed())?;
            match row.kind.as_str() {
                "object" => {
                    let object: ObjectRef = serde_json::from_str(&row.object).map_err(ExecuteError::damaged)?;
                    tracked.objects.insert(object.clone());
                    hashes.insert(object, row.hash);
                }
                "pair" => {
                    let major = u32::try_from(row.major).map_err(ExecuteError::damaged)?;
                    let (site, declared, canonical) = (row.object, row.declared, row.hash);
                    tracked.pairs.push(Pair { site, declared, canonical, major });
                }
                other => return Err(ExecuteError::damaged(format!("a tracked object of kind `{other}`"))),
            }
        }
        tracked.pairs.sort();
        Ok((tracked, hashes))
    }

    /// One statement that writes. DDL of another node of a cluster can abort it as the victim of a deadlock: outside of a
    /// transaction nothing of it is there then, and it is sent again.
    async fn write(&self, session: &mut dyn Session, sql: &str, values: &[Value]) -> Result<(), DbError> {
        let mut tries = 1;
        loop {
            match session.query(sql, values).await {
                Err(error) if error.kind == DbErrorKind::Deadlock && !session.in_transaction() && tries < TRIES => {
                    SystemClock::new().sleep(full_jitter(PAUSE.0, PAUSE.1, tries)).await;
                    tries += 1;
                }
                answer => return answer.map(drop),
            }
        }
    }

    /// Inserts `rows`, many at a time.
    async fn insert(
        &self,
        session: &mut dyn Session,
        table: &str,
        columns: &[&str],
        rows: &[Vec<Value>],
    ) -> Result<(), DbError> {
        for rows in rows.chunks(CHUNK) {
            let mut values = Vec::new();
            let mut tuples = Vec::new();
            for row in rows {
                let from = values.len();
                values.extend(row.iter().cloned());
                let marks: Vec<String> = (from + 1..=values.len()).map(|at| self.control.parameter(at)).collect();
                tuples.push(format!("({})", marks.join(", ")));
            }
            let (table, columns) = (self.control.table(table), columns.join(", "));
            let sql = format!("INSERT INTO {table} ({columns}) VALUES {}", tuples.join(", "));
            self.write(session, &sql, &values).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl LedgerStore for ControlTables {
    async fn is_there(&self, session: &mut dyn Session) -> Result<bool, ExecuteError> {
        self.control.are_there(session).await
    }

    async fn prepare(&self, session: &mut dyn Session, scope: &str) -> Result<(), ExecuteError> {
        self.control.make(session).await?;
        if self.leaves_format { self.control.leave_format(session, scope).await } else { Ok(()) }
    }

    async fn retract(&self, session: &mut dyn Session) {
        self.control.remove_unused(session).await;
    }

    async fn records(
        &self,
        session: &mut dyn Session,
        scope: &str,
        history_limit: usize,
    ) -> Result<Option<Records>, ExecuteError> {
        if !self.control.are_there(session).await? {
            return Ok(None);
        }
        let history = self.history(session, scope, history_limit).await?;
        let (tracked, hashes) = self.objects(session, scope).await?;
        let sql =
            format!("SELECT count(*) FROM {} WHERE scope = {}", self.control.table(LEDGER), self.control.parameter(1));
        let failed = || ExecuteError::database("read the ledger");
        let rows = session.query(&sql, &[scope.into()]).await.map_err(failed())?;
        let steps = rows.first().map_or(Ok(0), |row| row.int(0)).map_err(failed())?;
        Ok(Some(Records { history, tracked, hashes, unfinished: steps > 0 }))
    }

    async fn history(
        &self,
        session: &mut dyn Session,
        scope: &str,
        limit: usize,
    ) -> Result<Vec<HistoryEntry>, ExecuteError> {
        let sql = format!(
            "SELECT id, {}, status, declared, live, run_key, duration_ms, applied_by, environment, source, note, \
             operations, residual FROM {} WHERE scope = {} ORDER BY id DESC LIMIT {limit}",
            self.control.applied_at(),
            self.control.table(HISTORY),
            self.control.parameter(1)
        );
        let rows = session.query(&sql, &[scope.into()]).await.map_err(ExecuteError::database("read the history"))?;
        rows.iter().map(entry).collect()
    }

    async fn reached(&self, session: &mut dyn Session, scope: &str, run_key: &str) -> Result<bool, ExecuteError> {
        // A failing read would abort an open transaction; without one it is the shorter way.
        if session.in_transaction() && !self.control.are_there(session).await? {
            return Ok(false);
        }
        let p = [self.control.parameter(1), self.control.parameter(2)];
        let sql = format!(
            "SELECT h.status, h.run_key FROM {} AS h WHERE h.scope = {} \
             AND NOT EXISTS (SELECT 1 FROM {} AS l WHERE l.scope = {}) ORDER BY h.id DESC LIMIT 1",
            self.control.table(HISTORY),
            p[0],
            self.control.table(LEDGER),
            p[1]
        );
        match session.query(&sql, &[scope.into(), scope.into()]).await {
            Ok(rows) => {
                let Some(row) = rows.first() else { return Ok(false) };
                let text = |at| row.text(at).map_err(ExecuteError::database("read the history"));
                Ok(is_reached(text(0)?) && text(1)? == run_key)
            }
            Err(error) if error.kind == DbErrorKind::UndefinedObject => Ok(false),
            Err(error) => Err(ExecuteError::database("read the history")(error)),
        }
    }

    async fn steps(&self, session: &mut dyn Session, scope: &str) -> Result<Vec<LedgerStep>, ExecuteError> {
        let sql = format!(
            "SELECT run_id, seq, operations, effects, statements, transactional, state, backend_id, backend_started \
             FROM {} WHERE scope = {} ORDER BY run_id, seq",
            self.control.table(LEDGER),
            self.control.parameter(1)
        );
        let rows = session.query(&sql, &[scope.into()]).await.map_err(ExecuteError::database("read the ledger"))?;
        rows.iter().map(step).collect()
    }

    async fn record_steps(&self, session: &mut dyn Session, scope: &str, run: &NewRun) -> Result<(), ExecuteError> {
        let rows: Result<Vec<_>, _> = run.steps.iter().map(|step| step_values(scope, run, step)).collect();
        self.insert(session, LEDGER, &COLUMNS, &rows?).await.map_err(ExecuteError::database("write the ledger"))
    }

    /// One statement decides whether the lease still holds, and writes.
    async fn intend(
        &self,
        session: &mut dyn Session,
        scope: &str,
        (run, number): (&str, i64),
        lock: &dyn LockGuard,
    ) -> Result<(), ExecuteError> {
        let p: Vec<String> = (1..=5).map(|at| self.control.parameter(at)).collect();
        let mut sql = format!(
            "UPDATE {} SET state = {}, intent_at = {} WHERE scope = {} AND run_id = {} AND seq = {}",
            self.control.table(LEDGER),
            p[0],
            self.control.now(),
            p[1],
            p[2],
            p[3]
        );
        let mut values: Vec<Value> = vec![StepState::Intent.as_str().into(), scope.into(), run.into(), number.into()];
        if let Some(condition) = lock.condition(&p[4]) {
            sql = format!("{sql} AND {condition}");
            values.push(scope.into());
        }
        self.write(session, &sql, &values).await.map_err(ExecuteError::database("write the ledger"))
    }

    async fn mark(
        &self,
        session: &mut dyn Session,
        scope: &str,
        run: &str,
        numbers: RangeInclusive<i64>,
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
        let (first, last) = numbers.into_inner();
        let values = [state.as_str().into(), scope.into(), run.into(), first.into(), last.into()];
        self.write(session, &sql, &values).await.map_err(ExecuteError::database("write the ledger"))
    }

    async fn forget(&self, session: &mut dyn Session, scope: &str, run: Option<&str>) -> Result<(), ExecuteError> {
        let mut sql = format!("DELETE FROM {} WHERE scope = {}", self.control.table(LEDGER), self.control.parameter(1));
        let mut values: Vec<Value> = vec![scope.into()];
        if let Some(run) = run {
            sql = format!("{sql} AND run_id = {}", self.control.parameter(2));
            values.push(run.into());
        }
        self.write(session, &sql, &values).await.map_err(ExecuteError::database("clear the ledger"))
    }

    async fn add_entry(&self, session: &mut dyn Session, scope: &str, entry: &NewEntry) -> Result<(), ExecuteError> {
        let json = |ids: &Vec<String>| serde_json::to_string(ids).map_err(ExecuteError::damaged);
        let values: Vec<Value> = vec![
            scope.into(),
            entry.status.into(),
            entry.declared.as_str().into(),
            entry.live.as_str().into(),
            entry.run_key.as_str().into(),
            entry.duration_ms.into(),
            entry.applied_by.as_str().into(),
            entry.environment.as_deref().into(),
            entry.source.as_str().into(),
            entry.note.as_deref().into(),
            json(&entry.operations)?.into(),
            json(&entry.residual)?.into(),
        ];
        let sql = format!(
            "INSERT INTO {} (scope, status, declared, live, run_key, duration_ms, applied_by, environment, source, note, \
             operations, residual, applied_at) VALUES ({}, {})",
            self.control.table(HISTORY),
            self.control.parameters(values.len()),
            self.control.now()
        );
        session.query(&sql, &values).await.map(drop).map_err(ExecuteError::database("write the history"))
    }

    async fn track(
        &self,
        session: &mut dyn Session,
        scope: &str,
        hashes: &BTreeMap<ObjectRef, String>,
        pairs: &[Pair],
    ) -> Result<(), ExecuteError> {
        let failed = || ExecuteError::database("write the tracked objects");
        let table = self.control.table(OBJECTS);
        let mut wanted = rows_of(hashes, pairs)?;
        let sql = format!(
            "SELECT kind, object, hash, declared, major, id FROM {table} WHERE scope = {} ORDER BY id",
            self.control.parameter(1)
        );
        let mut stale = Vec::new();
        for row in session.query(&sql, &[scope.into()]).await.map_err(failed())? {
            let found = ObjectRow::read(&row).map_err(failed())?;
            if !wanted.remove(&found) {
                stale.push(row.int(5).map_err(failed())?.to_string());
            }
        }
        let wanted: Vec<Vec<Value>> = wanted.into_iter().map(|row| row.values(scope)).collect();
        for ids in stale.chunks(CHUNK) {
            let sql = format!("DELETE FROM {table} WHERE id IN ({})", ids.join(", "));
            session.execute(&sql).await.map_err(failed())?;
        }
        let columns = ["scope", "kind", "object", "hash", "declared", "major"];
        self.insert(session, OBJECTS, &columns, &wanted).await.map_err(failed())
    }
}
