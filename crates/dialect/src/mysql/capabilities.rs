//! What MySQL can do.

use crate::{Capabilities, Online};

/// What MySQL can do, 8.0 and newer. Versions differ in which changes need no copy, which the forecasts say.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    transactional_ddl: false,
    namespaces: true,
    fk_needs_target: true,
    alter_constraints: true,
    rebuilds_tables: false,
    column_order: true,
    comments: true,
    whole_definitions: true,
    grants: false,
    materialized_views: false,
    lists_view_columns: false,
    replace_view: true,
    index_names_per_namespace: false,
    fk_names_per_namespace: true,
    check_names_per_namespace: true,
    trigger_names_per_namespace: true,
    rename_constraint: false,
    rename_under_expressions: false,
    rename_index: true,
    not_valid: false,
    max_name_bytes: 4 * MAX_NAME,
    max_name_chars: MAX_NAME,
    truncates_names: false,
    unchecked_bodies: true,
    stores_as_computed: false,
    names_not_null: false,
    online: Online::Same,
};

/// Longest name, in characters.
pub(crate) const MAX_NAME: usize = 64;
