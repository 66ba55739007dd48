//! The settings that every session on SQLite runs under.

use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;

use crate::{ConnectOptions, DatabaseUrl};

/// How long a statement waits for another connection's lock; `PRAGMA busy_timeout` changes it for a session.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Foreign keys are enforced, as everywhere else; a table rebuild switches them off before it begins its transaction. The
/// journal mode is a property of the file and is not touched.
pub(super) fn pinned(url: &DatabaseUrl, options: &ConnectOptions) -> SqliteConnectOptions {
    let mode = url.secret_parameter("mode");
    let path = url.database().unwrap_or_default();
    // The engine would read such a name as a URI.
    let path = if path.starts_with("file:") { format!("./{path}") } else { path.to_owned() };
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(options.read_only || mode == Some("ro"))
        .create_if_missing((options.create_if_missing || mode == Some("rwc")) && !options.read_only)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // A column that is renamed is renamed in views and triggers too, and a check is a check.
        .pragma("legacy_alter_table", "OFF")
        .pragma("ignore_check_constraints", "OFF")
        .pragma("writable_schema", "OFF")
        .pragma("recursive_triggers", "OFF")
        .statement_cache_capacity(1)
}
