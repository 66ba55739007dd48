//! The control tables on PostgreSQL.

use super::{Control, HISTORY, LEDGER, LOCK, OBJECTS};

/// Not `now()`, which is the start of the transaction.
pub(super) const NOW: &str = "pg_catalog.clock_timestamp()";

pub(super) const APPLIED_AT: &str = "to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"+00:00\"')";

pub(super) const FIND: &str = "SELECT count(*) FROM pg_catalog.pg_class AS c \
     JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
     WHERE n.nspname = $1::text AND c.relname = ANY ($2::text[]) AND c.relkind IN ('r', 'p')";

pub(super) const HAS_NAMESPACE: &str =
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace AS n WHERE n.nspname = $1::text)";

/// Fixed text; only the namespace varies.
pub(super) fn create(control: &Control) -> Vec<String> {
    vec![
        format!(
            "CREATE TABLE IF NOT EXISTS {} (scope text NOT NULL, epoch bigint NOT NULL, format integer NOT NULL, \
             owner text NOT NULL, run_id text NOT NULL, backend_id bigint NOT NULL, backend_started text NOT NULL, \
             acquired_at timestamptz NOT NULL, heartbeat_at timestamptz NOT NULL, expires_at timestamptz NOT NULL, \
             PRIMARY KEY (scope), UNIQUE (scope, epoch))",
            control.table(LOCK)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, scope text NOT NULL, \
             applied_at timestamptz NOT NULL, status text NOT NULL, declared text NOT NULL, live text NOT NULL, \
             run_key text NOT NULL, duration_ms bigint NOT NULL, applied_by text NOT NULL, environment text, \
             source text NOT NULL, note text, operations text NOT NULL, residual text NOT NULL)",
            control.table(HISTORY)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (scope text NOT NULL, run_id text NOT NULL, seq integer NOT NULL, \
             epoch bigint NOT NULL, plan_hash text NOT NULL, operations text NOT NULL, effects text NOT NULL, \
             statements text NOT NULL, transactional integer NOT NULL, state text NOT NULL, \
             backend_id bigint NOT NULL, backend_started text NOT NULL, intent_at timestamptz, done_at timestamptz, \
             PRIMARY KEY (scope, run_id, seq))",
            control.table(LEDGER)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, scope text NOT NULL, \
             kind text NOT NULL, object text NOT NULL, hash text NOT NULL, declared text NOT NULL, \
             major integer NOT NULL)",
            control.table(OBJECTS)
        ),
    ]
}
