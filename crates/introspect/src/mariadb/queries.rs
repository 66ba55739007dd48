//! The queries of MariaDB, where they differ from MySQL's.

use crate::mysql::queries::ACCOUNT;

pub(super) const SETTINGS: [(&str, &str); 10] = [
    (ACCOUNT, "CURRENT_USER()"),
    ("lower_case_table_names", "@@GLOBAL.lower_case_table_names"),
    ("default_charset", "@@GLOBAL.character_set_server"),
    ("default_collation", "@@GLOBAL.collation_server"),
    ("explicit_defaults_for_timestamp", "@@SESSION.explicit_defaults_for_timestamp"),
    ("version_comment", "@@GLOBAL.version_comment"),
    ("system_time_zone", "@@GLOBAL.system_time_zone"),
    ("default_storage_engine", "@@SESSION.default_storage_engine"),
    ("innodb_strict_mode", "@@SESSION.innodb_strict_mode"),
    // Older servers have none.
    (
        "character_set_collations",
        "(SELECT SESSION_VALUE FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME = 'CHARACTER_SET_COLLATIONS')",
    ),
];

pub(super) const DATABASES: &str = "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME, SCHEMA_COMMENT \
    FROM information_schema.SCHEMATA";

pub(super) const COLUMNS: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CAST(ORDINAL_POSITION AS SIGNED), COLUMN_DEFAULT, \
    IS_NULLABLE, COLUMN_TYPE, COLLATION_NAME, EXTRA, COLUMN_COMMENT, GENERATION_EXPRESSION, NULL \
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ?";

pub(super) const INDEXES: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, CAST(NON_UNIQUE AS SIGNED), CAST(SEQ_IN_INDEX AS SIGNED), \
    COLUMN_NAME, COLLATION, CAST(SUB_PART AS SIGNED), INDEX_TYPE, INDEX_COMMENT, IF(IGNORED = 'YES', 'NO', 'YES'), NULL \
    FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ?";

pub(super) const KEYS: &str = "SELECT 'column', CAST(TABLE_SCHEMA AS CHAR), CAST(TABLE_NAME AS CHAR), CAST(CONSTRAINT_NAME AS CHAR), \
    CAST(ORDINAL_POSITION AS SIGNED), CAST(COLUMN_NAME AS CHAR), CAST(REFERENCED_TABLE_SCHEMA AS CHAR), \
    CAST(REFERENCED_TABLE_NAME AS CHAR), CAST(REFERENCED_COLUMN_NAME AS CHAR) \
    FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ? AND REFERENCED_TABLE_NAME IS NOT NULL \
    UNION ALL SELECT 'rule', CAST(CONSTRAINT_SCHEMA AS CHAR), CAST(TABLE_NAME AS CHAR), CAST(CONSTRAINT_NAME AS CHAR), 0, \
    CAST(UPDATE_RULE AS CHAR), CAST(DELETE_RULE AS CHAR), NULL, NULL \
    FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ? \
    UNION ALL SELECT 'check', CAST(CONSTRAINT_SCHEMA AS CHAR), CAST(TABLE_NAME AS CHAR), CAST(CONSTRAINT_NAME AS CHAR), 0, \
    CAST(CHECK_CLAUSE AS CHAR), CAST(LEVEL AS CHAR), NULL, NULL \
    FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ?";
