//! What rows of the control tables say.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::Pair;
use trueup_schema::ObjectRef;
use trueup_session::{DbError, Row, Value};

use crate::{ExecuteError, HistoryEntry, LedgerStep, NewRun, StepState};

/// A tracked object or a pair, as it is stored.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectRow {
    pub(super) kind: String,
    pub(super) object: String,
    pub(super) hash: String,
    pub(super) declared: String,
    pub(super) major: i64,
}

impl ObjectRow {
    pub(super) fn read(row: &Row) -> Result<Self, DbError> {
        let text = |at| row.text(at).map(str::to_owned);
        Ok(Self { kind: text(0)?, object: text(1)?, hash: text(2)?, declared: text(3)?, major: row.int(4)? })
    }

    pub(super) fn values(self, scope: &str) -> Vec<Value> {
        let Self { kind, object, hash, declared, major } = self;
        vec![scope.into(), kind.into(), object.into(), hash.into(), declared.into(), major.into()]
    }
}

pub(super) fn rows_of(
    hashes: &BTreeMap<ObjectRef, String>,
    pairs: &[Pair],
) -> Result<BTreeSet<ObjectRow>, ExecuteError> {
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

pub(super) fn entry(row: &Row) -> Result<HistoryEntry, ExecuteError> {
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

pub(super) fn step(row: &Row) -> Result<LedgerStep, ExecuteError> {
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

/// A step to be written, in the order of the columns.
pub(super) fn step_values(scope: &str, run: &NewRun, step: &LedgerStep) -> Result<Vec<Value>, ExecuteError> {
    Ok(vec![
        scope.into(),
        run.run.as_str().into(),
        step.number.into(),
        run.epoch.into(),
        run.plan_hash.as_str().into(),
        serde_json::to_string(&step.operations).map_err(ExecuteError::damaged)?.into(),
        serde_json::to_string(&step.effects).map_err(ExecuteError::damaged)?.into(),
        serde_json::to_string(&step.statements).map_err(ExecuteError::damaged)?.into(),
        i64::from(step.transactional).into(),
        step.state.as_str().into(),
        step.backend.0.into(),
        step.backend.1.as_str().into(),
    ])
}
