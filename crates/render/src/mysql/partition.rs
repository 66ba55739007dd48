//! Partitions: parts of a table here.

use trueup_dialect::mysql::PartitionChange;
use trueup_schema::{Partitioning, SqlExpr};

use crate::sql::Sql;

/// `PARTITION BY …` with its partitions.
pub(super) fn scheme(partitioning: &Partitioning) -> Sql {
    let sql = Sql::new("PARTITION BY").expr(&partitioning.by);
    if partitioning.partitions.is_empty() { sql } else { list(sql, &partitioning.partitions) }
}

fn list(sql: Sql, partitions: &[SqlExpr]) -> Sql {
    sql.list(partitions.iter().map(|partition| Sql::default().expr(partition)))
}

/// The action that makes one of the other, and whether what the server is told stands apart from it by a comma.
pub(super) fn change(change: &PartitionChange<'_>) -> (Sql, bool) {
    match change {
        PartitionChange::Removed => (Sql::new("REMOVE PARTITIONING"), false),
        PartitionChange::Scheme(after) => (scheme(after), false),
        PartitionChange::Added(partitions) => (list(Sql::new("ADD PARTITION"), partitions), true),
        PartitionChange::Reorganized { from, into } => {
            let names = from.iter().map(|name| Sql::new(name.clone()));
            (list(Sql::new("REORGANIZE PARTITION").series(names).words("INTO"), into), true)
        }
    }
}
