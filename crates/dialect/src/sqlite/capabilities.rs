//! What SQLite can do.

use crate::{Capabilities, Online};

/// What SQLite can do. Versions differ in which changes run in place, which the verdicts say.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    transactional_ddl: true,
    namespaces: false,
    fk_needs_target: false,
    alter_constraints: false,
    rebuilds_tables: true,
    column_order: false,
    comments: false,
    whole_definitions: false,
    grants: false,
    materialized_views: false,
    lists_view_columns: true,
    replace_view: false,
    index_names_per_namespace: true,
    fk_names_per_namespace: false,
    check_names_per_namespace: false,
    trigger_names_per_namespace: true,
    rename_constraint: false,
    rename_under_expressions: true,
    rename_index: false,
    not_valid: false,
    // SQLite itself has no limit; names have one.
    max_name_bytes: 1024,
    max_name_chars: 1024,
    truncates_names: false,
    unchecked_bodies: true,
    stores_as_computed: true,
    names_not_null: false,
    online: Online::Same,
};
