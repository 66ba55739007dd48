//! What an engine can do, as data.

/// How changes are carried out beside live traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Online {
    /// By the same statements: they say themselves what they may take, or there is no other way.
    Same,
    /// By other statements, some of them outside of any transaction.
    Apart,
    /// By other statements, but this version builds damaged indexes by them.
    Corrupts,
}

/// What an engine can do at one version. Shared code asks these fields, never names or versions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a table of facts")]
pub struct Capabilities {
    /// DDL runs inside transactions and rolls back with them.
    pub transactional_ddl: bool,
    /// Several namespaces.
    pub namespaces: bool,
    /// A foreign key can only be made when its target exists. Otherwise it folds into its table.
    pub fk_needs_target: bool,
    /// Constraints can be added to and dropped from an existing table.
    pub alter_constraints: bool,
    /// Tables are altered by writing them anew, in one step for all changes of a table.
    pub rebuilds_tables: bool,
    /// Column order is part of the schema and can be changed.
    pub column_order: bool,
    /// Objects take comments.
    pub comments: bool,
    /// Definitions are said whole: a comment is a part of what it is about, a table is made with its indexes, and a column is changed by
    /// restating all of it, so that every ALTER needs the table on both sides (MySQL, MariaDB).
    pub whole_definitions: bool,
    /// Objects take privileges.
    pub grants: bool,
    /// Materialized views.
    pub materialized_views: bool,
    /// Of a view's columns the names are known that its statement lists, and nothing else (SQLite).
    pub lists_view_columns: bool,
    /// A view's query can be replaced while it keeps its columns.
    pub replace_view: bool,
    /// Index names share a name space with tables and views (PostgreSQL, SQLite) rather than one per table.
    pub index_names_per_namespace: bool,
    /// Constraint names: one name space per table, or one per namespace for foreign keys (MySQL, MariaDB).
    pub fk_names_per_namespace: bool,
    /// Check names: one name space per namespace (MySQL) rather than per table.
    pub check_names_per_namespace: bool,
    /// Trigger names are unique in a namespace, not in a table.
    pub trigger_names_per_namespace: bool,
    /// Constraints can be renamed.
    pub rename_constraint: bool,
    /// Indexes can be renamed.
    pub rename_index: bool,
    /// A column can be renamed under an index over an expression, which follows. Elsewhere the index makes way.
    pub rename_under_expressions: bool,
    /// Constraints can be added unvalidated, to be validated later.
    pub not_valid: bool,
    /// Longest name, in bytes.
    pub max_name_bytes: usize,
    /// Longest name, in characters.
    pub max_name_chars: usize,
    /// The engine cuts a name that is too long instead of refusing it.
    pub truncates_names: bool,
    /// Bodies of routines can be created without checking what they name.
    pub unchecked_bodies: bool,
    /// A generated column holds what its expression gives, rather than that made a value of the column's type first (MySQL, MariaDB).
    pub stores_as_computed: bool,
    /// What a column says of its NOT NULL is the name of a constraint, which a partition takes over or brings along.
    pub names_not_null: bool,
    /// How changes are carried out beside live traffic.
    pub online: Online,
}
