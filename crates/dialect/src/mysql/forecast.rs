//! What a change blocks, rewrites and scans.

use trueup_plan::{Budgets, Change, ColumnPosition, Hazard, HazardCode, LiveFacts, Object};
use trueup_schema::{Constraint, ConstraintKind, DialectId, ObjectRef, QualName, Table};

use super::algorithm::{Algorithm, Lock, Prediction, computes};
use super::flavour::Flavour;
use crate::Tables;

/// How long a lock on an existing table may be waited for before others queue behind it.
const LOCK_MS: u64 = 3_000;

fn hazard(code: HazardCode, message: impl Into<String>) -> Hazard {
    Hazard { code, message: message.into() }
}

/// Warnings about `change`. A table that the same plan makes has no rows and no readers.
pub(crate) fn forecast(
    flavour: &Flavour,
    version: [u32; 3],
    change: &Change,
    is_new: bool,
    facts: &LiveFacts,
) -> Vec<Hazard> {
    let mut found = Vec::new();
    if let Change::Drop { object: Object::Trigger(trigger) } = change {
        found.push(hazard(HazardCode::RemovesProtection, format!("trigger `{}` no longer runs", trigger.id.name)));
    }
    if let Change::DropConstraint { constraint, .. } = change
        && matches!(constraint.kind, ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_))
    {
        found.push(hazard(HazardCode::RemovesProtection, "rows are no longer held to the constraint"));
    }
    if is_new {
        return found;
    }
    if breaks_code(change) {
        found.push(hazard(HazardCode::BreaksRunningCode, "code that uses the old definition fails from now on"));
    }
    let Some(table) = change.table() else { return found };
    found.extend(costs(flavour, version, change, &table, facts));
    found
}

fn costs(flavour: &Flavour, version: [u32; 3], change: &Change, table: &QualName, facts: &LiveFacts) -> Vec<Hazard> {
    if matches!(change, Change::Rename { from: ObjectRef::Table(_), .. } | Change::Drop { object: Object::Table(_) }) {
        return vec![hazard(HazardCode::Lock, format!("blocks reads and writes of `{table}` for a moment"))];
    }
    if let Change::Backfill { .. } = change {
        return rows(table, facts, HazardCode::Rewrite, "writes rows of").into_iter().collect();
    }
    if !is_alter(change) {
        return Vec::new();
    }
    let tables = tables(change);
    let mut found = Vec::new();
    let Some(taken) = (flavour.predict)(version, &[change], tables) else {
        found.push(hazard(
            HazardCode::Lock,
            format!("may block writes to `{table}` while it runs: it is not known how the server does it"),
        ));
        return found;
    };
    match taken.lock {
        Lock::None if taken.algorithm > Algorithm::Instant && (taken.rebuilds || taken.scans) => {
            found.push(hazard(
                HazardCode::Lock,
                format!("blocks reads and writes of `{table}` for a moment at both ends"),
            ));
        }
        Lock::None => {}
        Lock::Shared => found.push(hazard(HazardCode::Lock, format!("blocks writes to `{table}` while it runs"))),
        Lock::Exclusive => {
            found.push(hazard(HazardCode::Lock, format!("blocks reads and writes of `{table}` while it runs")));
        }
    }
    if taken.rebuilds {
        found.extend(rows(table, facts, HazardCode::Rewrite, "writes anew all rows of"));
    } else if taken.scans {
        found.extend(rows(table, facts, HazardCode::Scan, "reads all rows of"));
    }
    found
}

/// A table without rows is neither read nor written for long.
fn rows(table: &QualName, facts: &LiveFacts, code: HazardCode, words: &str) -> Option<Hazard> {
    if facts.is_empty(table) {
        return None;
    }
    let size = match facts.sizes.get(table).and_then(|size| size.rows) {
        Some(rows) if rows > 0 => format!(" (about {rows} rows)"),
        Some(_) | None => String::new(),
    };
    Some(hazard(code, format!("{words} `{table}`{size}")))
}

/// The tables inside the change, where it holds them.
fn tables(change: &Change) -> Tables<'_> {
    if let Change::AlterTable { before, after } = change {
        Tables { before: Some(before), after: Some(after) }
    } else {
        Tables::default()
    }
}

/// Whether ALTER TABLE carries the change out.
fn is_alter(change: &Change) -> bool {
    match change {
        Change::Create { object } | Change::Drop { object } => matches!(object, Object::Index(_)),
        Change::Rename { from, .. } => matches!(from, ObjectRef::Column(_) | ObjectRef::Index(_)),
        Change::SetComment { on, .. } => matches!(on, ObjectRef::Table(_) | ObjectRef::Column(_)),
        Change::AlterTable { .. }
        | Change::AddColumn { .. }
        | Change::DropColumn { .. }
        | Change::AlterColumnType { .. }
        | Change::SetDefault { .. }
        | Change::SetNotNull { .. }
        | Change::DropNotNull { .. }
        | Change::SetIdentity { .. }
        | Change::SetGenerated { .. }
        | Change::SetColumnAttributes { .. }
        | Change::MoveColumn { .. }
        | Change::AddConstraint { .. }
        | Change::DropConstraint { .. }
        | Change::AlterConstraint { .. }
        | Change::AlterIndex { .. } => true,
        Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::DetachPartition { .. }
        | Change::SetRowSecurity { .. }
        | Change::Backfill { .. }
        | Change::ValidateConstraint { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::SetTriggerEnabled { .. }
        | Change::AlterPolicy { .. }
        | Change::AlterOpaque { .. }
        | Change::SetGrants { .. }
        | Change::SetOwner { .. } => false,
    }
}

fn breaks_code(change: &Change) -> bool {
    matches!(
        change,
        Change::Drop { object: Object::Table(_) | Object::View(_) | Object::Routine(_) | Object::Sequence(_) }
            | Change::Rename {
                from: ObjectRef::Table(_) | ObjectRef::View(_) | ObjectRef::Column(_) | ObjectRef::Routine(_),
                ..
            }
            | Change::DropColumn { .. }
            | Change::SetNotNull { .. }
    )
}

/// Locks of existing tables are waited for a short while only; nothing bounds how long an ALTER may run on these servers.
pub(crate) fn budgets(change: &Change, is_new: bool) -> Budgets {
    let locks = !is_new
        && (is_alter(change) || matches!(change, Change::Drop { object: Object::Table(_) } | Change::Rename { .. }));
    Budgets { lock_ms: locks.then_some(LOCK_MS), statement_ms: None }
}

/// Whether two changes of one table may share one ALTER.
pub(crate) fn may_merge(flavour: &Flavour, version: [u32; 3], first: &Change, second: &Change) -> bool {
    let pair = [first, second];
    if first.table().is_none() || first.table() != second.table() || !pair.iter().all(|change| is_alter(change)) {
        return false;
    }
    // A foreign key of the same name cannot go and come in one ALTER, and what it stands on must be there first.
    if pair.iter().any(|change| foreign_key(change).is_some()) {
        return foreign_key(first) == foreign_key(second);
    }
    // One full-text index at a time.
    if pair.iter().all(|change| is_fulltext(change)) {
        return false;
    }
    // Partitions are changed by clauses that stand alone; versioning needs its columns in the same ALTER.
    if pair.iter().any(|change| stands_alone(change)) {
        return false;
    }
    // Such columns cannot be added or dropped in place beside anything else.
    let together = if flavour.id == DialectId::MySql { may_compute_together } else { may_compute_beside };
    if !together(first, second) {
        return false;
    }
    // One server chose the wrong algorithm for this mix, and lost rows.
    if pair.iter().any(|change| reorders(change)) && pair.iter().any(|change| changes_columns(change)) {
        return false;
    }
    if flavour.id == DialectId::MySql && (moves_beside_new(first, second) || moves_beside_new(second, first)) {
        return false;
    }
    let apart = [first, second].map(|change| (flavour.predict)(version, &[change], tables(change)));
    match (apart, (flavour.predict)(version, &pair, Tables::default())) {
        ([Some(first), Some(second)], Some(both)) => is_no_worse(both, first, second),
        _ => true,
    }
}

fn may_compute_together(first: &Change, second: &Change) -> bool {
    let is_column = |change: &Change| matches!(change, Change::AddColumn { .. } | Change::DropColumn { .. });
    match (computes(first), computes(second)) {
        (None, None) | (Some(false), Some(false)) => true,
        (Some(true), Some(true)) => is_column(first) && is_column(second),
        (Some(_), Some(_)) | (None, Some(_)) | (Some(_), None) => false,
    }
}

/// MariaDB: with one another at the end of the table, and beside indexes that refuse no row. Tried on 10.11 and 11.8.
fn may_compute_beside(first: &Change, second: &Change) -> bool {
    let is_first =
        |change: &Change| matches!(change, Change::AddColumn { position, .. } if *position != ColumnPosition::Last);
    let is_plain = |change: &Change| {
        let (Change::Create { object: Object::Index(it) } | Change::Drop { object: Object::Index(it) }) = change else {
            return false;
        };
        !it.index.unique && it.index.method.as_deref().is_none_or(|method| method == "btree")
    };
    match (computes(first), computes(second)) {
        (None, None) => true,
        (Some(_), Some(_)) => !is_first(first) && !is_first(second),
        (Some(_), None) => is_plain(second) && !is_first(first),
        (None, Some(_)) => is_plain(first) && !is_first(second),
    }
}

fn is_no_worse(both: Prediction, first: Prediction, second: Prediction) -> bool {
    both.algorithm <= first.algorithm.max(second.algorithm)
        && both.lock <= first.lock.max(second.lock)
        && both.rebuilds <= (first.rebuilds || second.rebuilds)
}

/// Whether it adds (true) or drops a foreign key.
fn foreign_key(change: &Change) -> Option<bool> {
    let is_key = |constraint: &Constraint| matches!(constraint.kind, ConstraintKind::ForeignKey(_));
    if let Change::AddConstraint { constraint, .. } = change {
        is_key(constraint).then_some(true)
    } else if let Change::DropConstraint { constraint, .. } = change {
        is_key(constraint).then_some(false)
    } else {
        None
    }
}

fn is_fulltext(change: &Change) -> bool {
    matches!(change, Change::Create { object: Object::Index(index) } if index.index.method.as_deref() == Some("fulltext"))
}

fn stands_alone(change: &Change) -> bool {
    let differs = |before: &Table, after: &Table| {
        before.partitioning != after.partitioning
            || before.options.parameters.get("engine") != after.options.parameters.get("engine")
    };
    matches!(change, Change::AlterTable { before, after } if differs(before, after))
}

fn reorders(change: &Change) -> bool {
    matches!(change, Change::MoveColumn { .. })
        || matches!(change, Change::AddColumn { position, .. } if *position != ColumnPosition::Last)
}

/// Whether a column moves beside one that is added, wherever that comes to stand.
fn moves_beside_new(first: &Change, second: &Change) -> bool {
    matches!((first, second), (Change::MoveColumn { .. }, Change::AddColumn { .. }))
}

/// A column in the middle moves none of the others, but the mix with a drop is the one that went wrong.
/// A primary key of a column that counts goes in the ALTER that drops the column.
fn changes_columns(change: &Change) -> bool {
    let is_key = |constraint: &Constraint| matches!(constraint.kind, ConstraintKind::PrimaryKey(_));
    matches!(change, Change::DropColumn { .. })
        || matches!(change, Change::DropConstraint { constraint, .. } if is_key(constraint))
        || matches!(change, Change::AddColumn { position, .. } if *position == ColumnPosition::Last)
}

#[cfg(test)]
mod tests {
    use trueup_plan::TableIndex;
    use trueup_schema::{Column, DataType, ForeignKey, Ident, Index, IndexPart};

    use super::super::flavour::MYSQL;
    use super::*;

    const VERSION: [u32; 3] = [9, 7, 0];

    fn ident(name: &str) -> Ident {
        Ident::new(name).unwrap()
    }

    fn table() -> QualName {
        QualName::parse("s.t").unwrap()
    }

    fn column(name: &str) -> Column {
        Column::new(ident(name), DataType::builtin("int"))
    }

    fn add(position: ColumnPosition) -> Change {
        Change::AddColumn { table: table(), column: column("n"), position }
    }

    fn index(method: Option<&str>) -> Change {
        let mut index = Index::new(ident("i"), vec![IndexPart::column(ident("a"))]);
        index.method = method.map(str::to_owned);
        Change::Create { object: Object::Index(TableIndex { table: table(), index }) }
    }

    fn key() -> Constraint {
        let key = ForeignKey {
            columns: vec![ident("a")],
            references: table(),
            referenced_columns: vec![ident("b")],
            on_delete: trueup_schema::FkAction::NoAction,
            on_delete_columns: Vec::new(),
            on_update: trueup_schema::FkAction::NoAction,
            match_type: None,
            period: false,
        };
        Constraint::new(Some(ident("fk")), ConstraintKind::ForeignKey(key))
    }

    #[test]
    fn one_alter_for_what_goes_together() {
        let merge = |first: &Change, second: &Change| may_merge(&MYSQL, VERSION, first, second);
        let drop = Change::DropColumn { table: table(), column: column("a") };
        let moved = Change::MoveColumn { table: table(), column: column("b"), position: ColumnPosition::First };
        let wider = Change::AlterColumnType {
            table: table(),
            before: column("b"),
            after: Column::new(ident("b"), DataType::builtin("bigint")),
            using: None,
        };
        let (forge, break_up) = (
            Change::AddConstraint { table: table(), constraint: key() },
            Change::DropConstraint { table: table(), constraint: key() },
        );
        assert!(merge(&add(ColumnPosition::Last), &drop));
        assert!(merge(&wider, &drop));
        assert!(merge(&index(None), &index(None)));
        assert!(!merge(&moved, &drop), "reordering beside a drop once lost rows");
        assert!(!merge(&add(ColumnPosition::First), &drop));
        assert!(!merge(&moved, &add(ColumnPosition::First)) && !merge(&add(ColumnPosition::Last), &moved));
        assert!(!merge(&add(ColumnPosition::Last), &index(None)), "rows would be written anew");
        assert!(!merge(&index(Some("fulltext")), &index(Some("fulltext"))));
        assert!(!merge(&forge, &break_up) && !merge(&forge, &wider) && merge(&forge, &forge));
        let primary = |columns: &[&str]| {
            let key = trueup_schema::Key {
                columns: columns.iter().map(|name| IndexPart::column(ident(name))).collect(),
                include: Vec::new(),
                nulls_not_distinct: false,
                without_overlaps: false,
            };
            Constraint::new(None, ConstraintKind::PrimaryKey(key))
        };
        let no_key = Change::DropConstraint { table: table(), constraint: primary(&["a"]) };
        let new_key = Change::AddConstraint { table: table(), constraint: primary(&["a", "b"]) };
        assert!(merge(&no_key, &new_key), "a column that counts up is never without a key, and it is cheaper");
    }

    #[test]
    fn what_it_costs_is_said() {
        let server =
            trueup_plan::Server { dialect: trueup_schema::DialectId::MySql, version: VERSION, default_namespace: None };
        let mut facts = LiveFacts::of(server);
        let codes = |change: &Change, is_new, facts: &LiveFacts| -> Vec<HazardCode> {
            forecast(&MYSQL, VERSION, change, is_new, facts).into_iter().map(|hazard| hazard.code).collect()
        };
        let wider = Change::AlterColumnType {
            table: table(),
            before: column("b"),
            after: Column::new(ident("b"), DataType::builtin("bigint")),
            using: None,
        };
        assert_eq!(codes(&add(ColumnPosition::Last), false, &facts), []);
        assert_eq!(codes(&wider, false, &facts), [HazardCode::Lock, HazardCode::Rewrite]);
        assert_eq!(codes(&wider, true, &facts), []);
        assert_eq!(codes(&index(None), false, &facts), [HazardCode::Lock, HazardCode::Scan]);
        facts.sizes.insert(table(), trueup_plan::TableSize { rows: Some(0), bytes: 0, empty: true });
        assert_eq!(codes(&wider, false, &facts), [HazardCode::Lock]);
        assert_eq!(budgets(&wider, false).lock_ms, Some(LOCK_MS));
    }
}
