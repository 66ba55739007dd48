//! What PostgreSQL can do.

use crate::{Capabilities, Online};

/// What PostgreSQL can do, 14 and newer. Versions differ in which changes run in place, which the verdicts say.
pub(super) const CAPABILITIES: Capabilities = Capabilities {
    transactional_ddl: true,
    namespaces: true,
    fk_needs_target: true,
    alter_constraints: true,
    rebuilds_tables: false,
    column_order: false,
    comments: true,
    whole_definitions: false,
    grants: true,
    materialized_views: true,
    lists_view_columns: false,
    replace_view: true,
    index_names_per_namespace: true,
    fk_names_per_namespace: false,
    check_names_per_namespace: false,
    trigger_names_per_namespace: false,
    rename_constraint: true,
    rename_under_expressions: true,
    rename_index: true,
    not_valid: true,
    max_name_bytes: super::names::MAX_NAME,
    // Bytes count, and no character is shorter.
    max_name_chars: super::names::MAX_NAME,
    truncates_names: true,
    unchecked_bodies: true,
    stores_as_computed: true,
    names_not_null: true,
    online: Online::Apart,
};

/// What it can do before 14.4, where an index that is built beside writers may lack rows.
pub(super) const CORRUPTS: Capabilities = Capabilities { online: Online::Corrupts, ..CAPABILITIES };
