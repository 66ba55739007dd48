//! The settings that every session on MySQL or MariaDB runs under.

use trueup_schema::DialectId;

/// Strict, so that a narrowing fails and doesn't truncate; no mode that changes how quotes, backslashes or `||` read, so
/// that rendered text means one thing; none that refuses dates and groupings that existing tables and views hold.
///
/// Stored routines keep the mode that they were created under: who creates one sets the mode first. The server's own is
/// in `ServerInfo::sql_mode`.
pub(super) const SQL_MODE: &str =
    "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

/// What the server says of itself, before the settings are pinned. The mode is the server's own: the session's holds what the driver
/// asked for while it connected.
pub(super) const HELLO: &str =
    "SELECT VERSION(), DATABASE(), CAST(CONNECTION_ID() AS SIGNED), CAST(@@GLOBAL.sql_mode AS CHAR)";

/// When the server started, from the same second for both terms, and which server it is: in a cluster each node counts its
/// own connection ids up from there.
pub(super) const fn started(dialect: DialectId) -> &'static str {
    match dialect {
        DialectId::MariaDb => {
            "SELECT CONCAT(CAST(UTC_TIMESTAMP() - INTERVAL CAST(VARIABLE_VALUE AS SIGNED) SECOND AS CHAR), ' @', \
             (SELECT MD5(GROUP_CONCAT(v.VARIABLE_VALUE ORDER BY v.VARIABLE_NAME)) \
             FROM information_schema.GLOBAL_VARIABLES AS v WHERE v.VARIABLE_NAME IN \
             ('HOSTNAME', 'PORT', 'DATADIR', 'SERVER_ID', 'WSREP_NODE_NAME', 'WSREP_NODE_ADDRESS'))) \
             FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'UPTIME'"
        }
        DialectId::MySql | DialectId::Postgres | DialectId::Sqlite => {
            "SELECT CONCAT(CAST(UTC_TIMESTAMP() - INTERVAL CAST(VARIABLE_VALUE AS SIGNED) SECOND AS CHAR), ' @', \
             @@GLOBAL.server_uuid) FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Uptime'"
        }
    }
}

/// The statements that pin the settings.
pub(super) fn pins(dialect: DialectId, read_only: bool) -> Vec<String> {
    // Milliseconds on MySQL, seconds on MariaDB; zero is none on both.
    let statement_timeout = if dialect == DialectId::MariaDb { "max_statement_time" } else { "max_execution_time" };
    let mut pins = vec![
        "SET NAMES utf8mb4".to_owned(),
        format!(
            "SET SESSION sql_mode = '{SQL_MODE}', SESSION time_zone = '+00:00', SESSION autocommit = 1, \
             SESSION completion_type = 'NO_CHAIN', SESSION foreign_key_checks = 1, SESSION unique_checks = 1, \
             SESSION sql_safe_updates = 0, SESSION sql_auto_is_null = 0, SESSION sql_quote_show_create = 1, \
             SESSION sql_select_limit = 18446744073709551615, SESSION group_concat_max_len = 16777216, \
             SESSION wait_timeout = 86400, SESSION {statement_timeout} = 0"
        ),
        // A snapshot is only a snapshot on this level.
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ".to_owned(),
    ];
    if read_only {
        pins.push("SET SESSION TRANSACTION READ ONLY".to_owned());
    }
    pins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_strict_and_leaves_quoting_alone() {
        assert!(SQL_MODE.contains("STRICT_TRANS_TABLES"));
        for mode in ["ANSI", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT"] {
            assert!(!SQL_MODE.contains(mode), "{mode}");
        }
        assert_eq!(pins(DialectId::MySql, true).len(), pins(DialectId::MySql, false).len() + 1);
    }
}
