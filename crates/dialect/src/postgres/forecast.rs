//! What a change blocks, rewrites and scans. Every row was measured on a server.

use trueup_plan::{Budgets, Change, DomainChange, Hazard, HazardCode, LiveFacts, Object};
use trueup_schema::{Column, Constraint, ConstraintKind, DataType, Index, QualName, SqlExpr, Table};

use super::tokens::tokens;
use super::types;
use crate::TypeChange;

/// How long a lock on an existing object may be waited for before others queue behind it.
const LOCK_MS: u64 = 3_000;

/// How long a statement may run that should read and write no rows, its wait for the lock included.
const QUICK_MS: u64 = 10_000;

/// Everything but reading and writing waits.
const SHARE_UPDATE: &str = "other changes of";
const WRITES: &str = "writes to";
const ALL: &str = "reads and writes of";

/// Collects warnings about one table.
struct Forecast<'a> {
    table: &'a QualName,
    facts: &'a LiveFacts,
    found: Vec<Hazard>,
}

impl<'a> Forecast<'a> {
    const fn of(table: &'a QualName, facts: &'a LiveFacts) -> Self {
        Self { table, facts, found: Vec::new() }
    }

    fn with(mut self, code: HazardCode, message: String) -> Self {
        self.found.push(Hazard { code, message });
        self
    }

    fn locks(self, what: &str) -> Self {
        let message = format!("blocks {what} `{}` while it runs", self.table);
        self.with(HazardCode::Lock, message)
    }

    fn locks_other(self, what: &str, other: &QualName) -> Self {
        if other == self.table {
            return self;
        }
        self.with(HazardCode::Lock, format!("blocks {what} `{other}` while it runs"))
    }

    /// A table without rows is neither read nor written for long.
    fn rewrites(self, yes: bool) -> Self {
        if !yes || self.facts.is_empty(self.table) {
            return self;
        }
        let message = format!("writes table `{}` and its indexes anew{}", self.table, self.size());
        self.with(HazardCode::Rewrite, message)
    }

    fn scans(self, yes: bool) -> Self {
        if !yes || self.facts.is_empty(self.table) {
            return self;
        }
        let message = format!("reads all of table `{}`{}", self.table, self.size());
        self.with(HazardCode::Scan, message)
    }

    fn size(&self) -> String {
        match self.facts.sizes.get(self.table).and_then(|size| size.rows) {
            Some(rows) if rows > 0 => format!(" (about {rows} rows)"),
            Some(_) | None => String::new(),
        }
    }
}

/// Warnings about `change`. A table that the same plan makes has no rows and no readers.
pub(super) fn forecast(change: &Change, is_new: bool, facts: &LiveFacts) -> Vec<Hazard> {
    if is_new {
        return of_new(change, facts);
    }
    let table = change.table();
    let Some(table) = &table else { return elsewhere(change, facts) };
    let forecast = Forecast::of(table, facts);
    match change {
        Change::AddColumn { column, .. } => add_column(forecast, column),
        Change::AlterColumnType { before, after, using, .. } => alter_type(forecast, before, after, using.as_ref()),
        Change::SetNotNull { before, .. } => forecast.locks(ALL).scans(!before.not_null),
        Change::SetGenerated { after, .. } => {
            forecast.locks(ALL).rewrites(after.generated.as_ref().is_some_and(|rule| rule.stored))
        }
        Change::SetColumnAttributes { before, after, .. } => attributes(forecast, before, after),
        Change::Backfill { .. } => {
            let message = format!("locks every row of `{table}` that it fills until it commits");
            forecast.scans(true).with(HazardCode::Lock, message)
        }
        Change::AddConstraint { constraint, .. } => add_constraint(forecast, constraint),
        Change::DropConstraint { constraint, .. } => drop_constraint(forecast, constraint),
        Change::ValidateConstraint { .. } => forecast.locks(SHARE_UPDATE).scans(true),
        Change::AlterTable { before, after } => alter_table(forecast, before, after),
        Change::Create { object } => create(forecast, object),
        Change::Drop { object } => dropped(forecast, object),
        Change::AlterIndex { before, after, .. } => alter_index(forecast, before, after),
        Change::AttachPartition { partition_of, .. } => {
            forecast.locks(ALL).scans(true).locks_other(SHARE_UPDATE, &partition_of.parent)
        }
        Change::DetachPartition { partition_of, .. } => forecast.locks(ALL).locks_other(ALL, &partition_of.parent),
        Change::SetComment { .. } => forecast,
        Change::Rename { from: trueup_schema::ObjectRef::Index(_), .. } => forecast.locks(SHARE_UPDATE),
        Change::SetTriggerEnabled { .. } => forecast.locks(WRITES),
        Change::DropColumn { .. }
        | Change::SetDefault { .. }
        | Change::DropNotNull { .. }
        | Change::AlterConstraint { .. }
        | Change::Rename { .. }
        | Change::SetRowSecurity { .. }
        | Change::AlterPolicy { .. }
        | Change::SetIdentity { .. }
        | Change::SetOwner { .. } => forecast.locks(ALL),
        Change::MoveColumn { .. }
        | Change::SetGrants { .. }
        | Change::AlterOpaque { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AlterExtension { .. }
        | Change::AddEnumValue { .. }
        | Change::RebuildEnum { .. }
        | Change::AlterDomain { .. }
        | Change::AlterComposite { .. }
        | Change::AlterSequence { .. }
        | Change::SetSequenceOwner { .. }
        | Change::ReplaceView { .. }
        | Change::AlterView { .. }
        | Change::ReplaceRoutine { .. } => forecast,
    }
    .found
}

/// Warnings about `change` of an existing table, in the form that leaves readers and writers alone.
pub(super) fn forecast_online(change: &Change, facts: &LiveFacts) -> Vec<Hazard> {
    let Some(table) = &change.table() else { return elsewhere(change, facts) };
    let forecast = Forecast::of(table, facts);
    if let Change::Create { object: Object::Index(index) } = change {
        let message =
            format!("`{}` is built outside of a transaction; cut off, it is left to the next run", index.index.name);
        return forecast.locks(SHARE_UPDATE).scans(true).with(HazardCode::NotTransactional, message).found;
    }
    if let Change::Drop { object: Object::Index(index) } = change {
        let message = format!("`{}` is dropped outside of a transaction", index.index.name);
        return forecast.locks(SHARE_UPDATE).with(HazardCode::NotTransactional, message).found;
    }
    if let Change::SetNotNull { .. } = change {
        return forecast.locks(ALL).found;
    }
    if let Change::AddConstraint { constraint, .. } = change
        && matches!(constraint.kind, ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_))
    {
        return forecast.locks(ALL).found;
    }
    self::forecast(change, false, facts)
}

/// A new table has no readers, but it may lean on tables that have.
fn of_new(change: &Change, facts: &LiveFacts) -> Vec<Hazard> {
    let lock = |what: &str, table: &QualName| {
        let message = format!("blocks {what} `{table}` while it runs");
        facts.sizes.contains_key(table).then_some(Hazard { code: HazardCode::Lock, message })
    };
    if let Change::Create { object: Object::Table(table) } = change {
        let parent = table.partition_of.iter().filter_map(|place| lock(ALL, &place.parent));
        return parent.chain(table.foreign_keys().filter_map(|(_, key)| lock(WRITES, &key.references))).collect();
    }
    if let Change::AddConstraint { constraint, .. } = change
        && let ConstraintKind::ForeignKey(key) = &constraint.kind
    {
        return lock(WRITES, &key.references).into_iter().collect();
    }
    Vec::new()
}

fn attributes<'a>(forecast: Forecast<'a>, before: &Column, after: &Column) -> Forecast<'a> {
    let other = |name: &str| before.attributes.get(name) != after.attributes.get(name);
    forecast.locks(if other("storage") || other("compression") { ALL } else { SHARE_UPDATE })
}

/// Dropping a foreign key takes the strongest lock on both tables.
fn drop_constraint<'a>(forecast: Forecast<'a>, constraint: &Constraint) -> Forecast<'a> {
    match &constraint.kind {
        ConstraintKind::ForeignKey(key) => forecast.locks(ALL).locks_other(ALL, &key.references),
        ConstraintKind::PrimaryKey(_)
        | ConstraintKind::Unique(_)
        | ConstraintKind::Check { .. }
        | ConstraintKind::Exclude { .. } => forecast.locks(ALL),
    }
}

/// Changes of things that are no part of a table.
fn elsewhere(change: &Change, facts: &LiveFacts) -> Vec<Hazard> {
    let hazard = |code, message: String| vec![Hazard { code, message }];
    if let Change::AddEnumValue { name, .. } = change {
        let message = format!("the new label of `{name}` can be used only after a commit");
        return hazard(HazardCode::NotTransactional, message);
    }
    if let Change::RebuildEnum { columns, .. } = change {
        let each = columns.iter().flat_map(|each| Forecast::of(&each.table, facts).locks(ALL).rewrites(true).found);
        return each.collect();
    }
    if let Change::AlterDomain { name, change } = change
        && reads_tables(change)
    {
        let message = format!("reads every table that uses `{name}`, and blocks writes to it meanwhile");
        return hazard(HazardCode::Scan, message);
    }
    if let Change::ReplaceView { after, .. } = change {
        return hazard(HazardCode::Lock, format!("blocks reads of `{}` while it runs", after.name));
    }
    Vec::new()
}

const fn reads_tables(change: &DomainChange) -> bool {
    match change {
        DomainChange::AddCheck(check) => check.validated,
        DomainChange::ValidateCheck(_) | DomainChange::NotNull(true) => true,
        DomainChange::NotNull(false) | DomainChange::Default { .. } | DomainChange::DropCheck(_) => false,
    }
}

fn add_column<'a>(forecast: Forecast<'a>, column: &Column) -> Forecast<'a> {
    let stored = column.generated.as_ref().is_some_and(|rule| rule.stored);
    let volatile = column.default.as_ref().is_some_and(|default| !is_steady(default));
    // Nobody can say here whether a type with a name is a domain with rules; such a default is computed row by row.
    let named = column.default.is_some() && matches!(column.data_type, DataType::Named(_));
    let rewrites = stored || column.identity.is_some() || volatile;
    let forecast = forecast.locks(ALL).rewrites(rewrites);
    if named && !rewrites { forecast.scans(true) } else { forecast }
}

/// Whether a default gives every row the same value, as far as the text shows it: no call but to the transaction's time.
fn is_steady(default: &SqlExpr) -> bool {
    let solid: Vec<_> = tokens(default.as_str()).into_iter().filter(crate::Token::is_solid).collect();
    solid.windows(2).all(|pair| {
        let [name, open] = pair else { return true };
        let call = name.kind == crate::TokenKind::Word && open.text == "(";
        !call
            || ["now", "transaction_timestamp", "statement_timestamp", "numeric", "varchar", "cast"]
                .iter()
                .any(|steady| name.is_word(steady))
    })
}

fn alter_type<'a>(forecast: Forecast<'a>, before: &Column, after: &Column, using: Option<&SqlExpr>) -> Forecast<'a> {
    let rewrite = match types::type_change(before, after, using, forecast.facts) {
        TypeChange::Keeps { rewrite } | TypeChange::Guarded { rewrite } | TypeChange::Lossy { rewrite, .. } => rewrite,
        TypeChange::NeedsUsing { .. } => true,
    };
    let zone = |column: &Column| column.data_type.to_string().contains(" with time zone");
    let time = |column: &Column| column.data_type.to_string().starts_with("timestamp");
    let forecast = forecast.locks(ALL).rewrites(rewrite);
    if time(before) && time(after) && zone(before) != zone(after) && using.is_none() {
        let message = format!("values of `{}.{}` are taken for times in UTC", forecast.table, after.name);
        return forecast.with(HazardCode::BreaksRunningCode, message);
    }
    let message = format!("statistics of `{}.{}` are gone until the next ANALYZE", forecast.table, after.name);
    forecast.with(HazardCode::Performance, message)
}

fn add_constraint<'a>(forecast: Forecast<'a>, constraint: &Constraint) -> Forecast<'a> {
    let checked = constraint.validated && constraint.enforced;
    match &constraint.kind {
        ConstraintKind::ForeignKey(key) => forecast.locks(WRITES).locks_other(WRITES, &key.references).scans(checked),
        ConstraintKind::Check { .. } => forecast.locks(ALL).scans(checked),
        ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => {
            forecast.locks(ALL).scans(true)
        }
    }
}

fn alter_table<'a>(forecast: Forecast<'a>, before: &Table, after: &Table) -> Forecast<'a> {
    let (was, becomes) = (&before.options, &after.options);
    let rewrites = was.unlogged != becomes.unlogged
        || was.tablespace != becomes.tablespace
        || was.access_method != becomes.access_method;
    let strong = rewrites || was.replica_identity != becomes.replica_identity || before.inherits != after.inherits;
    forecast.locks(if strong { ALL } else { SHARE_UPDATE }).rewrites(rewrites)
}

fn alter_index<'a>(forecast: Forecast<'a>, before: &Index, after: &Index) -> Forecast<'a> {
    let moves = before.tablespace != after.tablespace;
    let forecast = forecast.locks(if moves { ALL } else { SHARE_UPDATE });
    if !moves {
        return forecast;
    }
    let message = format!("writes index `{}` anew", after.name);
    forecast.with(HazardCode::Rewrite, message)
}

fn create<'a>(forecast: Forecast<'a>, object: &Object) -> Forecast<'a> {
    match object {
        Object::Index(_) => forecast.locks(WRITES).scans(true),
        Object::Trigger(_) => forecast.locks(WRITES),
        Object::Policy(_) => forecast.locks(ALL),
        // A table is told of where it is new.
        Object::Table(_)
        | Object::Namespace(_)
        | Object::Extension(_)
        | Object::Type(_)
        | Object::Sequence(_)
        | Object::View(_)
        | Object::Routine(_)
        | Object::Opaque(_) => forecast,
    }
}

fn dropped<'a>(forecast: Forecast<'a>, object: &Object) -> Forecast<'a> {
    match object {
        Object::Table(table) => {
            let mut forecast = forecast.locks(ALL);
            for (_, key) in table.foreign_keys() {
                forecast = forecast.locks_other(ALL, &key.references);
            }
            forecast
        }
        Object::Index(_) | Object::Trigger(_) | Object::Policy(_) => forecast.locks(ALL),
        Object::Namespace(_)
        | Object::Extension(_)
        | Object::Type(_)
        | Object::Sequence(_)
        | Object::View(_)
        | Object::Routine(_)
        | Object::Opaque(_) => forecast,
    }
}

/// Locks on what is there already are waited for shortly. What reads or writes rows once the lock is held may take its time; what should do
/// neither is stopped soon.
pub(super) fn budgets(change: &Change, is_new: bool, hazards: &[Hazard]) -> Budgets {
    if is_new || matches!(change, Change::Adopt { .. }) {
        return Budgets::default();
    }
    let touches_rows = |hazard: &Hazard| matches!(hazard.code, HazardCode::Rewrite | HazardCode::Scan);
    let is_quick = is_of_definition(change) && !hazards.iter().any(touches_rows);
    Budgets { lock_ms: Some(LOCK_MS), statement_ms: is_quick.then_some(QUICK_MS) }
}

/// Whether the change is one of a table's definition, which takes no time but where rows are looked at or written.
const fn is_of_definition(change: &Change) -> bool {
    matches!(
        change,
        Change::AddColumn { .. }
            | Change::DropColumn { .. }
            | Change::AlterColumnType { .. }
            | Change::SetDefault { .. }
            | Change::SetNotNull { .. }
            | Change::DropNotNull { .. }
            | Change::SetIdentity { .. }
            | Change::SetColumnAttributes { .. }
            | Change::AddConstraint { .. }
            | Change::DropConstraint { .. }
            | Change::AlterConstraint { .. }
            | Change::SetRowSecurity { .. }
            | Change::SetTriggerEnabled { .. }
            | Change::AlterPolicy { .. }
            | Change::Rename { .. }
            | Change::SetComment { .. }
            | Change::Create { object: Object::Trigger(_) | Object::Policy(_) }
            | Change::Drop { object: Object::Trigger(_) | Object::Policy(_) }
    )
}

/// Whether two changes of one table share a rewrite or a reading when they share an ALTER. The server sorts the parts of one ALTER by
/// its own order, so that two changes of one column stay apart.
pub(super) fn may_merge(first: &Change, second: &Change) -> bool {
    let column = |change: &Change| {
        if let Change::AddColumn { column: it, .. }
        | Change::DropColumn { column: it, .. }
        | Change::AlterColumnType { after: it, .. }
        | Change::SetNotNull { after: it, .. } = change
        {
            Some(it.name.clone())
        } else {
            None
        }
    };
    let is_heavy = |change: &Change| !matches!(change, Change::DropColumn { .. });
    match (column(first), column(second)) {
        (Some(one), Some(other)) => {
            one != other && first.table() == second.table() && (is_heavy(first) || is_heavy(second))
        }
        _ => false,
    }
}
