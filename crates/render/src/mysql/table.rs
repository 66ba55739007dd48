//! Tables as a whole.

use trueup_plan::Statement;
use trueup_schema::Table;

use super::flavour::Flavour;
use super::words::{Rendered, calls_sequence, run, use_namespace};
use super::{column, constraint, index, options, partition};
use crate::sql::Sql;

/// The table with its columns, keys, indexes, checks, options and partitions.
pub(super) fn create(flavour: &Flavour, table: &Table) -> Rendered {
    let mut items = Vec::new();
    for it in &table.columns {
        items.push(column::definition(flavour, table, it)?);
    }
    let [periods, versioning] = (flavour.versioning)(table)?;
    items.extend(periods);
    let (keys, rest): (Vec<_>, Vec<_>) = table.constraints.iter().partition(|it| is_key(it));
    for it in keys {
        items.extend(constraint::definition(flavour, it)?);
    }
    for it in &table.indexes {
        items.push(index::definition(flavour, it)?);
    }
    for it in rest {
        items.extend(constraint::definition(flavour, it)?);
    }
    let sql = Sql::new("CREATE TABLE").qualified(&table.name).list(items);
    let behind = options::of_new(flavour, table)?.into_iter().chain(versioning);
    let mut sql = behind.fold(sql, Sql::then);
    if let Some(partitioning) = &table.partitioning {
        sql = sql.then(partition::scheme(partitioning));
    }
    let mut statements = namespace_for(table);
    statements.push(run(&sql));
    Ok(statements)
}

const fn is_key(constraint: &trueup_schema::Constraint) -> bool {
    use trueup_schema::ConstraintKind;
    matches!(constraint.kind, ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_))
}

/// `USE`, where a default calls a sequence of the table's own database.
pub(super) fn namespace_for(table: &Table) -> Vec<Statement> {
    let calls = table.columns.iter().filter_map(|column| column.default.as_ref()).any(calls_sequence);
    if calls { use_namespace(table.name.namespace.as_ref()) } else { Vec::new() }
}

/// One table a statement: of several, MariaDB would drop some and fail at others.
pub(super) fn drop(table: &Table) -> Rendered {
    Ok(vec![run(&Sql::new("DROP TABLE").qualified(&table.name))])
}
