//! The settings that every session on PostgreSQL runs under.

use crate::ConnectOptions;

/// Settings that change what a statement means or how the catalog prints, and the values that they get.
///
/// Names that a server version does not have are left out.
const PINNED: &[(&str, &str)] = &[
    // Names mean what they say: only `pg_catalog` is searched, everything else is written in full.
    ("search_path", ""),
    ("client_encoding", "UTF8"),
    ("standard_conforming_strings", "on"),
    ("backslash_quote", "safe_encoding"),
    ("transform_null_equals", "off"),
    ("quote_all_identifiers", "off"),
    // Defaults and constants print in one way.
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("extra_float_digits", "3"),
    ("bytea_output", "hex"),
    ("xmloption", "content"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_deferrable", "off"),
    ("row_security", "on"),
    // The executor sets budgets per statement.
    ("lock_timeout", "0"),
    ("statement_timeout", "0"),
    ("transaction_timeout", "0"),
    ("idle_session_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    // A broken network is noticed within a minute, not after two hours: locks must not outlive us by long.
    ("tcp_keepalives_idle", "30"),
    ("tcp_keepalives_interval", "10"),
    ("tcp_keepalives_count", "3"),
    // Catalog queries look expensive to the planner and are not.
    ("jit", "off"),
];

/// Where the tables of a temporary or default kind go is the server's own choice and is not touched.
pub(super) fn pinned(options: &ConnectOptions) -> Vec<(&'static str, String)> {
    let mut settings: Vec<_> = PINNED.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    settings.push(("application_name", options.application_name.clone()));
    if options.read_only {
        settings.push(("default_transaction_read_only", "on".to_owned()));
    }
    settings
}

/// Sets `$1[i]` to `$2[i]` for every name that the server knows.
pub(super) const PIN: &str = "SELECT pg_catalog.set_config(s.name, p.value, false) \
     FROM unnest($1::text[], $2::text[]) AS p (name, value) \
     JOIN pg_catalog.pg_settings AS s ON lower(s.name) = lower(p.name)";

/// What the server says of itself, before the settings are pinned: `current_schema()` depends on the search path.
pub(super) const HELLO: &str = "SELECT current_setting('server_version_num')::int4, version(), current_schema()::text, \
     current_database()::text, pg_backend_pid(), \
     (SELECT to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') \
      FROM pg_catalog.pg_stat_activity AS a WHERE a.pid = pg_backend_pid())";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_is_only_set_when_asked_for() {
        let writes = |read_only| {
            let options = ConnectOptions { read_only, ..ConnectOptions::default() };
            !pinned(&options).iter().any(|(name, _)| *name == "default_transaction_read_only")
        };
        assert!(writes(false) && !writes(true));
    }
}
