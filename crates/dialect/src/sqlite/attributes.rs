//! Words in the attributes of columns and the parameters of constraints, for what SQLite alone has.

/// The name of a column's DEFAULT.
pub const DEFAULT_NAME: &str = "default_name";
/// The name of a column's NOT NULL.
pub const NOT_NULL_NAME: &str = "not_null_name";
/// The name of a column's COLLATE.
pub const COLLATE_NAME: &str = "collate_name";
/// The name of a column's generation expression.
pub const GENERATED_NAME: &str = "generated_name";
/// Where a primary key is written, where that matters.
pub const WRITTEN_AT: &str = "written_at";
/// At its column: a descending key that is no alias of the rowid.
pub const AT_COLUMN: &str = "column";
/// With the table's constraints: an AUTOINCREMENT that stands there.
pub const AT_TABLE: &str = "table";
