//! The control tables on MySQL and MariaDB.

use super::{Control, HISTORY, LEDGER, LOCK, OBJECTS};

pub(super) const NOW: &str = "UTC_TIMESTAMP(6)";

pub(super) const APPLIED_AT: &str = "CAST(LEFT(DATE_FORMAT(applied_at, '%Y-%m-%d %H:%i:%s.%f'), 23) AS CHAR)";

/// What every table ends with: transactions, and names that differ in case differ.
const END: &str = "ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

pub(super) fn find(tables: &[&str]) -> String {
    let names = tables.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    format!(
        "SELECT count(*) FROM information_schema.TABLES \
         WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME IN ({names})"
    )
}

/// Fixed text; only the database varies.
pub(super) fn create(control: &Control) -> Vec<String> {
    vec![
        format!(
            "CREATE TABLE IF NOT EXISTS {} (scope varchar(191) NOT NULL, epoch bigint NOT NULL, format int NOT NULL, \
             owner varchar(255) NOT NULL, run_id varchar(64) NOT NULL, backend_id bigint NOT NULL, \
             backend_started varchar(64) NOT NULL, acquired_at datetime(6) NOT NULL, heartbeat_at datetime(6) NOT NULL, \
             expires_at datetime(6) NOT NULL, PRIMARY KEY (scope), UNIQUE (scope, epoch)) {END}",
            control.table(LOCK)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, scope varchar(191) NOT NULL, \
             applied_at datetime(6) NOT NULL, status varchar(64) NOT NULL, declared varchar(255) NOT NULL, \
             live varchar(255) NOT NULL, run_key text NOT NULL, duration_ms bigint NOT NULL, \
             applied_by varchar(255) NOT NULL, environment text, source text NOT NULL, note text, \
             operations longtext NOT NULL, residual longtext NOT NULL) {END}",
            control.table(HISTORY)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (scope varchar(191) NOT NULL, run_id varchar(64) NOT NULL, seq int NOT NULL, \
             epoch bigint NOT NULL, plan_hash varchar(64) NOT NULL, operations longtext NOT NULL, \
             effects longtext NOT NULL, statements longtext NOT NULL, transactional int NOT NULL, \
             state varchar(32) NOT NULL, backend_id bigint NOT NULL, backend_started varchar(64) NOT NULL, \
             intent_at datetime(6), done_at datetime(6), PRIMARY KEY (scope, run_id, seq)) {END}",
            control.table(LEDGER)
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {} (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, scope varchar(191) NOT NULL, \
             kind varchar(16) NOT NULL, object text NOT NULL, hash varchar(255) NOT NULL, \
             declared varchar(255) NOT NULL, major int NOT NULL) {END}",
            control.table(OBJECTS)
        ),
    ]
}
