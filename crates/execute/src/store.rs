//! Reading and writing history, tracked objects and pairs.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::{Pair, Tracked};
use trueup_schema::{Ident, ObjectRef};
use trueup_session::{BoxFuture, DbError, DbErrorKind, Row, Session, Value};

use crate::control::{Control, HISTORY, LEDGER, OBJECTS};
use crate::{ExecuteError, HistoryEntry, Records, RunStatus};

/// Rows per INSERT: below the limit on parameters of every engine.
const CHUNK: usize = 50;

/// The control tables of one project, seen from one scope.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pub(crate) control: Control,
    pub(crate) scope: String,
}

/// A history entry to be written; number and time come from the database.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub(crate) status: &'static str,
    pub(crate) declared: String,
    pub(crate) live: String,
    pub(crate) run_key: String,
    pub(crate) duration_ms: i64,
    pub(crate) applied_by: String,
    pub(crate) environment: Option<String>,
    pub(crate) source: String,
    pub(crate) note: Option<String>,
    pub(crate) operations: Vec<String>,
    pub(crate) residual: Vec<String>,
}

/// What a project's control tables say; `None` without the tables. Creates nothing, and works inside a transaction.
///
/// # Errors
/// The server's words, [`ExecuteError::NewerFormat`] or [`ExecuteError::Damaged`].
pub fn read_records<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
    history_limit: usize,
) -> BoxFuture<'a, Result<Option<Records>, ExecuteError>> {
    Box::pin(async move { Store::new(session, scope, control_namespace).records(session, history_limit).await })
}

/// Whether the last finished run of `scope` reached `run_key`, and none is unfinished. Creates nothing, looks at nothing else.
///
/// # Errors
/// The server's words.
pub fn reached<'a>(
    session: &'a mut dyn Session,
    scope: &'a str,
    control_namespace: Option<&'a Ident>,
    run_key: &'a str,
) -> BoxFuture<'a, Result<bool, ExecuteError>> {
    Box::pin(async move {
        let store = Store::new(session, scope, control_namespace);
        // A failing read would abort an open transaction; without one it is the shorter way.
        if session.in_transaction() && !store.control.are_there(session).await? {
            return Ok(false);
        }
        let p = [store.control.parameter(1), store.control.parameter(2)];
        let sql = format!(
            "SELECT h.status, h.run_key FROM {} AS h WHERE h.scope = {} \
             AND NOT EXISTS (SELECT 1 FROM {} AS l WHERE l.scope = {}) ORDER BY h.id DESC LIMIT 1",
            store.control.table(HISTORY),
            p[0],
            store.control.table(LEDGER),
            p[1]
        );
        let scope = Value::from(store.scope.as_str());
        match session.query(&sql, &[scope.clone(), scope]).await {
            Ok(rows) => {
                let Some(row) = rows.first() else { return Ok(false) };
                let text = |at| row.text(at).map_err(ExecuteError::database("read the history"));
                Ok(is_reached(text(0)?) && text(1)? == run_key)
            }
            Err(error) if error.kind == DbErrorKind::UndefinedObject => Ok(false),
            Err(error) => Err(ExecuteError::database("read the history")(error)),
        }
    })
}

/// Whether a run that ended like this reached what it wanted.
pub(crate) fn is_reached(status: &str) -> bool {
    [RunStatus::Synced, RunStatus::UpToDate].iter().any(|reached| reached.as_str() == status)
}

impl Store {
    pub(crate) fn new(session: &dyn Session, scope: &str, control_namespace: Option<&Ident>) -> Self {
        let control = Control::new(session.server().dialect, control_namespace);
        Self { control, scope: trueup_lock::canonical_scope(scope).to_owned() }
    }

    fn of_scope(&self) -> [Value; 1] {
        [self.scope.as_str().into()]
    }

    pub(crate) async fn records(
        &self,
        session: &mut dyn Session,
        limit: usize,
    ) -> Result<Option<Records>, ExecuteError> {
        if !self.control.are_there(session).await? {
            return Ok(None);
        }
        let history = self.history(session, limit).await?;
        let (tracked, hashes) = self.objects(session).await?;
        let sql =
            format!("SELECT count(*) FROM {} WHERE scope = {}", self.control.table(LEDGER), self.control.parameter(1));
        let failed = || ExecuteError::database("read the ledger");
        let rows = session.query(&sql, &self.of_scope()).await.map_err(failed())?;
        let steps = rows.first().map_or(Ok(0), |row| row.int(0)).map_err(failed())?;
        Ok(Some(Records { history, tracked, hashes, unfinished: steps > 0 }))
    }

    /// The number of the last entry, if there is one; `None` if it cannot be read now.
    pub(crate) async fn last_entry(&self, session: &mut dyn Session) -> Option<Option<i64>> {
        let read = async {
            if !self.control.are_there(session).await? {
                return Ok(None);
            }
            Ok(self.history(session, 1).await?.first().map(|entry| entry.id))
        };
        let read: Result<Option<i64>, ExecuteError> = read.await;
        read.inspect_err(|error| tracing::debug!(%error, "the history is not read before the lock is held")).ok()
    }

    pub(crate) async fn history(
        &self,
        session: &mut dyn Session,
        limit: usize,
    ) -> Result<Vec<HistoryEntry>, ExecuteError> {
        let sql = format!(
            "SELECT id, {}, status, declared, live, run_key, duration_ms, applied_by, environment, source, note, \
             operations, residual FROM {} WHERE scope = {} ORDER BY id DESC LIMIT {limit}",
            self.control.applied_at(),
            self.control.table(HISTORY),
            self.control.parameter(1)
        );
        let rows = session.query(&sql, &self.of_scope()).await.map_err(ExecuteError::database("read the history"))?;
        rows.iter().map(entry).collect()
    }

    async fn objects(&self, session: &mut dyn Session) -> Result<(Tracked, BTreeMap<ObjectRef, String>), ExecuteError> {
        let failed = || ExecuteError::database("read the tracked objects");
        let sql = format!(
            "SELECT kind, object, hash, declared, major FROM {} WHERE scope = {} ORDER BY id",
            self.control.table(OBJECTS),
            self.control.parameter(1)
        );
        let rows = session.query(&sql, &self.of_scope()).await.map_err(failed())?;
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

    pub(crate) async fn add_entry(&self, session: &mut dyn Session, entry: &NewEntry) -> Result<(), ExecuteError> {
        let json = |ids: &Vec<String>| serde_json::to_string(ids).map_err(ExecuteError::damaged);
        let values: Vec<Value> = vec![
            self.scope.as_str().into(),
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

    /// Makes the recorded objects and pairs what `hashes` and `pairs` say; rows that stay are not touched.
    pub(crate) async fn track(
        &self,
        session: &mut dyn Session,
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
        for row in session.query(&sql, &self.of_scope()).await.map_err(failed())? {
            let found = ObjectRow::read(&row).map_err(failed())?;
            if !wanted.remove(&found) {
                stale.push(row.int(5).map_err(failed())?.to_string());
            }
        }
        let wanted: Vec<Vec<Value>> = wanted.into_iter().map(|row| row.values(&self.scope)).collect();
        for ids in stale.chunks(CHUNK) {
            let sql = format!("DELETE FROM {table} WHERE id IN ({})", ids.join(", "));
            session.execute(&sql).await.map_err(failed())?;
        }
        let columns = ["scope", "kind", "object", "hash", "declared", "major"];
        self.insert(session, OBJECTS, &columns, &wanted).await.map_err(failed())
    }

    /// Inserts `rows`, many at a time.
    pub(crate) async fn insert(
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
            session.query(&format!("INSERT INTO {table} ({columns}) VALUES {}", tuples.join(", ")), &values).await?;
        }
        Ok(())
    }
}

/// A tracked object or a pair, as it is stored.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ObjectRow {
    kind: String,
    object: String,
    hash: String,
    declared: String,
    major: i64,
}

impl ObjectRow {
    fn read(row: &Row) -> Result<Self, DbError> {
        let text = |at| row.text(at).map(str::to_owned);
        Ok(Self { kind: text(0)?, object: text(1)?, hash: text(2)?, declared: text(3)?, major: row.int(4)? })
    }

    fn values(self, scope: &str) -> Vec<Value> {
        let Self { kind, object, hash, declared, major } = self;
        vec![scope.into(), kind.into(), object.into(), hash.into(), declared.into(), major.into()]
    }
}

fn rows_of(hashes: &BTreeMap<ObjectRef, String>, pairs: &[Pair]) -> Result<BTreeSet<ObjectRow>, ExecuteError> {
    let mut rows = BTreeSet::new();
    for (object, hash) in hashes {
        rows.insert(ObjectRow {
            kind: "object".to_owned(),
            object: serde_json::to_string(object).map_err(ExecuteError::damaged)?,
            hash: hash.clone(),
            declared: String::new(),
            major: 0,
        });
    }
    rows.extend(pairs.iter().map(|pair| ObjectRow {
        kind: "pair".to_owned(),
        object: pair.site.clone(),
        hash: pair.canonical.clone(),
        declared: pair.declared.clone(),
        major: i64::from(pair.major),
    }));
    Ok(rows)
}

fn entry(row: &Row) -> Result<HistoryEntry, ExecuteError> {
    let failed = || ExecuteError::database("read the history");
    let text = |at| row.text(at).map(str::to_owned).map_err(failed());
    let optional = |at| row.text_or_null(at).map(|text| text.map(str::to_owned)).map_err(failed());
    let ids = |at| serde_json::from_str(&text(at)?).map_err(ExecuteError::damaged);
    Ok(HistoryEntry {
        id: row.int(0).map_err(failed())?,
        applied_at: text(1)?,
        status: text(2)?,
        declared: text(3)?,
        live: text(4)?,
        run_key: text(5)?,
        duration_ms: row.int(6).map_err(failed())?,
        applied_by: text(7)?,
        environment: optional(8)?,
        source: text(9)?,
        note: optional(10)?,
        operations: ids(11)?,
        residual: ids(12)?,
    })
}
