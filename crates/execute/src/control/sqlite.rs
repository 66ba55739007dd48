//! The control tables on SQLite.

use super::{Control, HISTORY, LEDGER, LOCK, OBJECTS};

pub(super) const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')";

pub(super) const APPLIED_AT: &str = "applied_at";

pub(super) fn find(tables: &[&str]) -> String {
    let names = tables.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    format!("SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name IN ({names})")
}

/// Fixed text. No AUTOINCREMENT: it would leave `sqlite_sequence` behind in a file that had none.
pub(super) fn create(control: &Control) -> Vec<String> {
    vec![
        format!(
            "CREATE TABLE IF NOT EXISTS {} (scope TEXT NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, \
             format INTEGER NOT NULL, owner TEXT NOT NULL, run_id TEXT NOT NULL, backend_id INTEGER NOT NULL, \
             backend_started TEXT NOT NULL, acquired_at TEXT NOT NULL, heartbeat_at TEXT NOT NULL, \
             expires_at TEXT NOT NULL, UNIQUE (scope, epoch))",
            control.table(LOCK)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (id INTEGER PRIMARY KEY, scope TEXT NOT NULL, applied_at TEXT NOT NULL, \
             status TEXT NOT NULL, declared TEXT NOT NULL, live TEXT NOT NULL, run_key TEXT NOT NULL, \
             duration_ms INTEGER NOT NULL, applied_by TEXT NOT NULL, environment TEXT, source TEXT NOT NULL, \
             note TEXT, operations TEXT NOT NULL, residual TEXT NOT NULL)",
            control.table(HISTORY)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (scope TEXT NOT NULL, run_id TEXT NOT NULL, seq INTEGER NOT NULL, \
             epoch INTEGER NOT NULL, plan_hash TEXT NOT NULL, operations TEXT NOT NULL, effects TEXT NOT NULL, \
             statements TEXT NOT NULL, transactional INTEGER NOT NULL, state TEXT NOT NULL, \
             backend_id INTEGER NOT NULL, backend_started TEXT NOT NULL, intent_at TEXT, done_at TEXT, \
             PRIMARY KEY (scope, run_id, seq))",
            control.table(LEDGER)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (id INTEGER PRIMARY KEY, scope TEXT NOT NULL, kind TEXT NOT NULL, \
             object TEXT NOT NULL, hash TEXT NOT NULL, declared TEXT NOT NULL, major INTEGER NOT NULL)",
            control.table(OBJECTS)
        ),
    ]
}
