//! How much of the server's lock table a change takes. A transaction holds every lock until its end, and where the table is full, the
//! statement that needs one more fails (manual, "Lock Management", `max_locks_per_transaction`).

use trueup_plan::{Change, LiveFacts, Object};
use trueup_schema::{Constraint, ConstraintKind, Table};

use crate::LockTable;

/// The name under which the reader of the catalog puts down how many locks the server has room for.
pub(super) const ROOM: &str = "lock_table";

pub(super) fn table(facts: &LiveFacts) -> Option<LockTable> {
    let entries = facts.settings.get(ROOM)?.parse().ok()?;
    Some(LockTable { entries, setting: "max_locks_per_transaction" })
}

/// At most, with everything that comes along. What several changes lock is counted for each.
pub(super) fn taken(change: &Change) -> u64 {
    if let Change::Create { object: Object::Table(table) } | Change::Drop { object: Object::Table(table) } = change {
        of_table(table)
    } else if let Change::Create { object: Object::View(view) } = change {
        1 + count(view.common.depends_on.len())
    } else if matches!(change, Change::Create { object: Object::Index(_) }) {
        2
    } else if matches!(change, Change::SetComment { .. } | Change::SetGrants { .. } | Change::SetOwner { .. }) {
        1
    } else {
        FEW
    }
}

/// The relation itself, one that it names, and an index or the place for long values.
const FEW: u64 = 3;

/// The table, the place for long values with its index, and what is made with it.
fn of_table(table: &Table) -> u64 {
    let sequences = table.columns.iter().filter(|column| column.identity.is_some()).count();
    let others = table.constraints.iter().filter(|constraint| takes_lock(constraint)).count();
    3 + count(sequences) + count(others) + count(table.indexes.len())
}

/// An index of its own, or the table that is referenced.
const fn takes_lock(constraint: &Constraint) -> bool {
    match constraint.kind {
        ConstraintKind::PrimaryKey(_)
        | ConstraintKind::Unique(_)
        | ConstraintKind::Exclude { .. }
        | ConstraintKind::ForeignKey(_) => true,
        ConstraintKind::Check { .. } => false,
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
