//! What finished runs left behind.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use trueup_plan::Tracked;
use trueup_schema::ObjectRef;

use crate::RunStatus;

/// One finished run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Its number, rising.
    pub id: i64,
    /// When it ended, by the database's clock: ISO 8601 with offset; on MySQL and MariaDB a UTC wall clock without.
    pub applied_at: String,
    /// The status word.
    pub status: String,
    /// Fingerprint of the declared schema.
    pub declared: String,
    /// Fingerprint of the live schema after it.
    pub live: String,
    /// Key of what the run wanted.
    pub run_key: String,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// Who ran it.
    pub applied_by: String,
    /// The environment's name.
    pub environment: Option<String>,
    /// Where the declaration came from.
    pub source: String,
    /// A note.
    pub note: Option<String>,
    /// Ids of its operations.
    pub operations: Vec<String>,
    /// Ids of what it left undone: held back, or residual.
    pub residual: Vec<String>,
}

/// What the control tables of a project say. Reading creates nothing; without the tables it is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Records {
    /// Finished runs, newest first, as many as were asked for.
    pub history: Vec<HistoryEntry>,
    /// The tracked list and recorded pairs.
    pub tracked: Tracked,
    /// The hash that each tracked object had when the last run ended: what drift is judged by.
    pub hashes: BTreeMap<ObjectRef, String>,
    /// Whether an unfinished run is in the ledger.
    pub unfinished: bool,
}

/// Whether a run that ended like this reached what it wanted.
pub(crate) fn is_reached(status: &str) -> bool {
    [RunStatus::Synced, RunStatus::UpToDate].iter().any(|reached| reached.as_str() == status)
}
