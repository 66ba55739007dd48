//! The queries of MySQL.
//!
//! Texts are cast, so that rows of different catalog tables fit into one UNION. No query joins two catalog tables.

/// The setting that holds the connected account.
pub(crate) const ACCOUNT: &str = "current_user";

pub(super) const SETTINGS: [(&str, &str); 10] = [
    (ACCOUNT, "CURRENT_USER()"),
    ("lower_case_table_names", "@@GLOBAL.lower_case_table_names"),
    ("default_charset", "@@GLOBAL.character_set_server"),
    ("default_collation", "@@GLOBAL.collation_server"),
    ("explicit_defaults_for_timestamp", "@@SESSION.explicit_defaults_for_timestamp"),
    ("version_comment", "@@GLOBAL.version_comment"),
    ("system_time_zone", "@@GLOBAL.system_time_zone"),
    ("default_collation_for_utf8mb4", "@@SESSION.default_collation_for_utf8mb4"),
    ("default_storage_engine", "@@SESSION.default_storage_engine"),
    ("innodb_strict_mode", "@@SESSION.innodb_strict_mode"),
];

pub(super) const DATABASES: &str = "SELECT CAST(SCHEMA_NAME AS CHAR), CAST(DEFAULT_CHARACTER_SET_NAME AS CHAR), \
    CAST(DEFAULT_COLLATION_NAME AS CHAR), NULL FROM information_schema.SCHEMATA";

/// The tables, with `options` and sizes.
macro_rules! tables {
    ($options:literal, $rows:literal, $bytes:literal) => {
        concat!(
            "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_COLLATION, ",
            $options,
            ", TABLE_COMMENT, ",
            $rows,
            ", ",
            $bytes,
            " FROM information_schema.TABLES AS t WHERE TABLE_SCHEMA = ?"
        )
    };
}

macro_rules! with_sizes {
    ($options:literal) => {
        tables!(
            $options,
            "CAST(TABLE_ROWS AS SIGNED)",
            "CAST(COALESCE(DATA_LENGTH, 0) + COALESCE(INDEX_LENGTH, 0) AS SIGNED)"
        )
    };
}

pub(crate) const TABLES: &str = tables!("CREATE_OPTIONS", "NULL", "NULL");

pub(crate) const TABLES_WITH_SIZES: &str = with_sizes!("CREATE_OPTIONS");

/// MySQL does not call a table partitioned whose partitions are by KEY of no columns, which is by its primary key.
macro_rules! own_options {
    ($next:ident $(, $more:literal)*) => {
        $next!(
            "CONCAT_WS(' ', CREATE_OPTIONS, (SELECT 'partitioned' FROM information_schema.PARTITIONS AS p \
             WHERE p.TABLE_SCHEMA = t.TABLE_SCHEMA AND p.TABLE_NAME = t.TABLE_NAME AND p.PARTITION_METHOD IS NOT NULL LIMIT 1))"
            $(, $more)*
        )
    };
}

pub(super) const OWN_TABLES: &str = own_options!(tables, "NULL", "NULL");

pub(super) const OWN_TABLES_WITH_SIZES: &str = own_options!(with_sizes);

pub(super) const COLUMNS: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CAST(ORDINAL_POSITION AS SIGNED), COLUMN_DEFAULT, \
    IS_NULLABLE, COLUMN_TYPE, COLLATION_NAME, EXTRA, COLUMN_COMMENT, GENERATION_EXPRESSION, CAST(SRS_ID AS SIGNED) \
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ?";

pub(super) const INDEXES: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, CAST(NON_UNIQUE AS SIGNED), CAST(SEQ_IN_INDEX AS SIGNED), \
    COLUMN_NAME, COLLATION, CAST(SUB_PART AS SIGNED), INDEX_TYPE, INDEX_COMMENT, IS_VISIBLE, EXPRESSION \
    FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ?";

pub(super) const KEYS: &str = "SELECT 'column', CAST(TABLE_SCHEMA AS CHAR), CAST(TABLE_NAME AS CHAR), CAST(CONSTRAINT_NAME AS CHAR), \
    CAST(ORDINAL_POSITION AS SIGNED), CAST(COLUMN_NAME AS CHAR), CAST(REFERENCED_TABLE_SCHEMA AS CHAR), \
    CAST(REFERENCED_TABLE_NAME AS CHAR), CAST(REFERENCED_COLUMN_NAME AS CHAR) \
    FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ? AND REFERENCED_TABLE_NAME IS NOT NULL \
    UNION ALL SELECT 'rule', CAST(CONSTRAINT_SCHEMA AS CHAR), CAST(TABLE_NAME AS CHAR), CAST(CONSTRAINT_NAME AS CHAR), 0, \
    CAST(UPDATE_RULE AS CHAR), CAST(DELETE_RULE AS CHAR), NULL, NULL \
    FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ? \
    UNION ALL SELECT 'enforced', CAST(CONSTRAINT_SCHEMA AS CHAR), CAST(TABLE_NAME AS CHAR), CAST(CONSTRAINT_NAME AS CHAR), 0, \
    CAST(ENFORCED AS CHAR), NULL, NULL, NULL \
    FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = ? AND CONSTRAINT_TYPE = 'CHECK' \
    UNION ALL SELECT 'check', CAST(CONSTRAINT_SCHEMA AS CHAR), NULL, CAST(CONSTRAINT_NAME AS CHAR), 0, \
    CAST(CHECK_CLAUSE AS CHAR), 'Table', NULL, NULL \
    FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ?";

pub(crate) const CODE: &str = "SELECT 'TRIGGER', CAST(TRIGGER_SCHEMA AS CHAR), CAST(TRIGGER_NAME AS CHAR), CAST(ACTION_STATEMENT AS CHAR), \
    CAST(DEFINER AS CHAR), CAST(SQL_MODE AS CHAR), CAST(EVENT_OBJECT_TABLE AS CHAR), CAST(ACTION_TIMING AS CHAR), \
    CAST(EVENT_MANIPULATION AS CHAR), CAST(ACTION_ORDER AS CHAR), NULL, NULL, NULL, NULL \
    FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? \
    UNION ALL SELECT CAST(ROUTINE_TYPE AS CHAR), CAST(ROUTINE_SCHEMA AS CHAR), CAST(ROUTINE_NAME AS CHAR), \
    CAST(ROUTINE_DEFINITION AS CHAR), CAST(DEFINER AS CHAR), CAST(SQL_MODE AS CHAR), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL \
    FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ? \
    UNION ALL SELECT 'EVENT', CAST(EVENT_SCHEMA AS CHAR), CAST(EVENT_NAME AS CHAR), CAST(EVENT_DEFINITION AS CHAR), \
    CAST(DEFINER AS CHAR), CAST(SQL_MODE AS CHAR), CAST(TIME_ZONE AS CHAR), \
    CASE WHEN EVENT_TYPE = 'ONE TIME' THEN CONCAT('AT ''', EXECUTE_AT, '''') \
    ELSE CONCAT('EVERY ', CASE WHEN INTERVAL_VALUE REGEXP '^[0-9]+$' THEN INTERVAL_VALUE ELSE QUOTE(INTERVAL_VALUE) END, ' ', \
    INTERVAL_FIELD) END, CAST(STARTS AS CHAR), CAST(ENDS AS CHAR), CAST(CREATED AS CHAR), CAST(STATUS AS CHAR), \
    CAST(ON_COMPLETION AS CHAR), CAST(EVENT_COMMENT AS CHAR) \
    FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ?";

pub(super) const LIBRARIES: &str = "SELECT 'LIBRARY', CAST(LIBRARY_SCHEMA AS CHAR), CAST(LIBRARY_NAME AS CHAR), CAST(LIBRARY_DEFINITION AS CHAR), \
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL \
    FROM information_schema.LIBRARIES WHERE LIBRARY_SCHEMA = ?";
