//! What each change may cost: its class, warnings, questions to the rows, and what to count.

use std::collections::BTreeSet;

use trueup_dialect::{Dialect, Tables, TypeChange};
use trueup_plan::{
    AttributeChange, Change, Class, DataCheck, DomainChange, Hazard, HazardCode, Hints, LiveFacts, LossProbe, Object,
    TableColumn,
};
use trueup_schema::{
    Column, Constraint, ConstraintKind, DataType, Grant, ObjectRef, Opaque, PartId, QualName, RowSecurity, Schema,
    Sequence, SqlExpr, Table, TableKind, Trigger, UserType, UserTypeKind, View,
};

use crate::checks::{self, Asked};
use crate::draft::Draft;
use crate::hints::{own_name, qualified};
use crate::project::Renames;

/// What costs are judged on.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) dialect: &'a dyn Dialect,
    pub(crate) facts: &'a LiveFacts,
    /// The live schema under its names after the renames.
    pub(crate) before: &'a Schema,
    pub(crate) after: &'a Schema,
    pub(crate) renames: &'a Renames,
    pub(crate) hints: &'a Hints,
}

/// What a change costs besides what the engine foresees.
#[derive(Default)]
struct Costs {
    class: Option<Class>,
    hazards: Vec<Hazard>,
    checks: Vec<DataCheck>,
    loss: Vec<LossProbe>,
}

impl Costs {
    fn safe() -> Self {
        Self::default()
    }

    fn guarded(checks: impl IntoIterator<Item = DataCheck>) -> Self {
        Self { class: Some(Class::Guarded), checks: checks.into_iter().collect(), ..Self::default() }
    }

    fn lossy(what: impl Into<String>, loss: Option<LossProbe>) -> Self {
        Self { class: Some(Class::Lossy { what: what.into() }), loss: loss.into_iter().collect(), ..Self::default() }
    }

    fn with(mut self, code: HazardCode, message: impl Into<String>) -> Self {
        self.hazards.push(Hazard { code, message: message.into() });
        self
    }

    fn breaks(self, message: impl Into<String>) -> Self {
        self.with(HazardCode::BreaksRunningCode, message)
    }

    fn unprotects(self, message: impl Into<String>) -> Self {
        self.with(HazardCode::RemovesProtection, message)
    }
}

/// Fills in what the draft may cost. What is blocked stays blocked.
pub(crate) fn assess(ground: Ground<'_>, draft: &mut Draft) {
    let costs = demanded(ground, &draft.change, costs(ground, &draft.change));
    let is_new = draft.change.table().is_some_and(|table| !ground.before.tables.contains_key(&table));
    let mut hazards: BTreeSet<Hazard> =
        ground.dialect.forecast(&draft.change, is_new, ground.facts).into_iter().collect();
    hazards.extend(costs.hazards);
    draft.hazards = hazards.into_iter().collect();
    draft.checks = costs.checks;
    draft.loss = costs.loss;
    if !draft.is_blocked() {
        draft.class = costs.class.unwrap_or(Class::Safe);
    }
    // what stands in the way of a change may be that the engine has no words for this
    if draft.is_blocked()
        && let Change::AlterColumnType { using, .. } = &mut draft.change
    {
        *using = None;
    }
}

impl<'a> Ground<'a> {
    fn asked(&self, table: &QualName) -> Option<Asked<'a>> {
        Asked::of(self.dialect, self.facts, (self.renames, self.hints), (self.before, self.after), table)
    }

    /// Whether the plan makes the table.
    fn is_new(&self, table: &QualName) -> bool {
        !self.before.tables.contains_key(table)
    }

    /// How many values of a column there are.
    fn values(&self, table: &QualName, column: &Column) -> LossProbe {
        LossProbe::Values { table: self.renames.table(table), column: self.renames.column(table, &column.name) }
    }

    /// What a sequence or view is called before the plan.
    fn old_name(&self, object: &ObjectRef, name: &QualName) -> QualName {
        qualified(&self.renames.object(object)).unwrap_or(name).clone()
    }

    fn has_backfill(&self, table: &QualName, column: &Column) -> bool {
        self.hints.backfills.contains_key(&PartId { table: table.clone(), name: column.name.clone() })
    }
}

/// Adds what the engine asks of the rows besides.
fn demanded(ground: Ground<'_>, change: &Change, mut costs: Costs) -> Costs {
    let Some(table) = change.table() else { return costs };
    let tables = Tables { before: ground.before.tables.get(&table), after: ground.after.tables.get(&table) };
    let demands = ground.dialect.demands(change, tables);
    if demands.is_empty() {
        return costs;
    }
    if matches!(costs.class, None | Some(Class::Safe)) {
        costs.class = Some(Class::Guarded);
    }
    if let Some(asked) = ground.asked(&table) {
        costs.checks.extend(demands.iter().filter_map(|condition| asked.satisfies(condition)));
    }
    costs
}

fn costs(ground: Ground<'_>, change: &Change) -> Costs {
    match change {
        Change::Create { object } => create(ground, object),
        Change::Drop { object } => dropped(ground, object),
        Change::Rename { from, to, .. } => rename(ground.dialect, from, to),
        Change::AlterTable { before, after } => alter_table(ground, before, after),
        Change::RebuildEnum { before, after, columns } => rebuild_enum(ground, (before, after), columns),
        Change::AlterDomain { name, change } => alter_domain(ground, name, change),
        Change::AlterComposite { name, change } => alter_composite(ground, name, change),
        Change::AlterExtension { .. } => Costs::safe().breaks("another version may behave otherwise"),
        Change::AttachPartition { table, .. } if !ground.is_new(table) => Costs::guarded([]),
        Change::DetachPartition { table, partition_of } => {
            Costs::safe().breaks(format!("rows of `{table}` are no longer found in `{}`", partition_of.parent))
        }
        Change::SetRowSecurity { table, before, after } => set_row_security(table, *before, *after),
        Change::AddColumn { table, column, .. } => add_column(ground, table, column),
        Change::DropColumn { table, column } => drop_column(ground, table, column),
        Change::AlterColumnType { table, before, after, using } => {
            alter_type(ground, table, (before, after), using.as_ref())
        }
        Change::SetNotNull { table, before, after } => set_not_null(ground, table, before, after),
        Change::SetIdentity { table, before, after } => set_identity(table, before, after),
        Change::SetGenerated { table, before, after } => set_generated(ground, table, before, after),
        Change::AddConstraint { table, constraint } => add_constraint(ground, table, constraint),
        Change::ValidateConstraint { table, constraint } => {
            add_constraint(ground, table, &Constraint { validated: true, ..constraint.clone() })
        }
        Change::AlterConstraint { table, before, after } => alter_constraint(ground, table, before, after),
        Change::DropConstraint { constraint, .. } => drop_constraint(constraint),
        Change::AlterView { before, after } => alter_view(before, after),
        Change::SetTriggerEnabled { before, after } => set_trigger_enabled(before, after),
        Change::AlterPolicy { after, .. } => {
            Costs::safe().unprotects(format!("policy `{}` lets other rows through", after.id))
        }
        Change::AlterOpaque { before, after } => alter_opaque(before, after),
        Change::AlterSequence { before, after } => alter_sequence(before, after),
        Change::SetGrants { on, before, after, .. } => grants(on, before.as_ref(), after.as_ref()),
        Change::ReplaceView { .. }
        | Change::ReplaceRoutine { .. }
        | Change::Adopt { .. }
        | Change::AlterNamespace { .. }
        | Change::AddEnumValue { .. }
        | Change::SetSequenceOwner { .. }
        | Change::AttachPartition { .. }
        | Change::SetDefault { .. }
        | Change::SetColumnAttributes { .. }
        | Change::DropNotNull { .. }
        | Change::MoveColumn { .. }
        | Change::Backfill { .. }
        | Change::AlterIndex { .. }
        | Change::SetComment { .. }
        | Change::SetOwner { .. } => Costs::safe(),
    }
}

fn rebuild_enum(ground: Ground<'_>, (before, after): (&UserType, &UserType), columns: &[TableColumn]) -> Costs {
    let removed = removed_labels(&before.kind, &after.kind);
    let costs = if removed.is_empty() {
        Costs::safe()
    } else {
        let ask = |each: &TableColumn| {
            ground.asked(&each.table).map(|asked| asked.unused(&each.column.name, removed.clone()))
        };
        Costs::guarded(columns.iter().filter_map(ask))
    };
    costs.breaks(format!("labels of `{}` are removed or compare otherwise", after.name))
}

fn set_row_security(table: &QualName, before: RowSecurity, after: RowSecurity) -> Costs {
    if (before.enabled && !after.enabled) || (before.forced && !after.forced) {
        Costs::safe().unprotects(format!("row security of `{table}` is taken back"))
    } else {
        Costs::safe().breaks(format!("rows of `{table}` that no policy allows are no longer seen"))
    }
}

fn set_trigger_enabled(before: &Trigger, after: &Trigger) -> Costs {
    if after.enabled == "disabled" || before.enabled == "always" {
        Costs::safe().unprotects(format!("trigger `{}` fires less often", after.id))
    } else {
        Costs::safe()
    }
}

/// Whoever relies on a part that goes is left without it.
fn alter_opaque(before: &Opaque, after: &Opaque) -> Costs {
    let costs = Costs::safe();
    match (after.id.kind.as_str(), before.parts.iter().all(|part| after.parts.contains(part))) {
        ("default privileges", _) => costs.unprotects(format!("new objects are given other privileges: {}", after.id)),
        (_, true) => costs,
        (kind, false) => costs.breaks(format!("{kind} `{}` loses parts", after.id)),
    }
}

fn alter_constraint(ground: Ground<'_>, table: &QualName, before: &Constraint, after: &Constraint) -> Costs {
    let is_stricter = after.enforced && after.validated && !(before.enforced && before.validated);
    if is_stricter || before.kind != after.kind { add_constraint(ground, table, after) } else { Costs::safe() }
}

fn drop_constraint(constraint: &Constraint) -> Costs {
    match constraint.kind {
        ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Exclude { .. } => {
            Costs::safe().with(HazardCode::Performance, "queries lose the index behind the constraint")
        }
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) => Costs::safe(),
    }
}

fn create(ground: Ground<'_>, object: &Object) -> Costs {
    match object {
        Object::Index(index) if ground.before.tables.contains_key(&index.table) => {
            let asked = ground.asked(&index.table).map(|asked| asked.index(&index.index)).unwrap_or_default();
            if index.index.unique || !asked.is_empty() { Costs::guarded(asked) } else { Costs::safe() }
        }
        // Its query may be anything by then: the engine itself has to look.
        Object::Index(index) if index.index.unique && ground.before.views.contains_key(&index.table) => {
            Costs::guarded([])
        }
        Object::Opaque(opaque) if opaque.id.kind == "default privileges" => {
            Costs::safe().unprotects(format!("new objects are given other privileges: {}", opaque.id))
        }
        Object::Namespace(_)
        | Object::Extension(_)
        | Object::Type(_)
        | Object::Sequence(_)
        | Object::Table(_)
        | Object::View(_)
        | Object::Index(_)
        | Object::Routine(_)
        | Object::Trigger(_)
        | Object::Policy(_)
        | Object::Opaque(_) => Costs::safe(),
    }
}

fn dropped(ground: Ground<'_>, object: &Object) -> Costs {
    let reference = object.reference();
    let words = format!("{} `{reference}` is dropped", reference.kind());
    match object {
        Object::Table(table) => match table.kind {
            TableKind::Foreign { .. } => Costs::safe(),
            TableKind::Ordinary | TableKind::Virtual { .. } => {
                let probe = LossProbe::Rows { table: ground.renames.table(&table.name) };
                Costs::lossy(format!("all rows of `{}`", table.name), Some(probe))
            }
        }
        .breaks(words),
        // Whatever its column counts by from now on goes on where it stopped.
        Object::Sequence(sequence) if goes_on(ground, sequence) => Costs::safe().breaks(words),
        Object::Sequence(sequence) => {
            let old = ground.old_name(&reference, &sequence.name);
            Costs::lossy(format!("the position of `{}`", sequence.name), Some(LossProbe::Position { sequence: old }))
                .breaks(words)
        }
        Object::View(view) => dropped_view(ground, view).breaks(words),
        Object::Extension(extension) => {
            Costs::lossy(format!("whatever tables of extension `{}` hold", extension.name), None).breaks(words)
        }
        Object::Index(_) => {
            Costs::safe().with(HazardCode::Performance, format!("queries may need index `{reference}`"))
        }
        Object::Trigger(_) | Object::Policy(_) => Costs::safe().unprotects(words),
        Object::Namespace(_) | Object::Type(_) | Object::Routine(_) | Object::Opaque(_) => Costs::safe().breaks(words),
    }
}

/// Whether the column that owns the sequence counts by something else afterwards.
fn goes_on(ground: Ground<'_>, sequence: &Sequence) -> bool {
    let Some(owner) = &sequence.owned_by else { return false };
    let column = ground.after.tables.get(&owner.table).and_then(|table| table.column(&owner.name));
    column.is_some_and(|column| column.identity.is_some())
        || ground.after.sequences.values().any(|other| other.owned_by.as_ref() == Some(owner))
}

/// Stored rows that are made again by the same plan are no loss.
fn dropped_view(ground: Ground<'_>, view: &View) -> Costs {
    let comes_back = ground.after.views.get(&view.name).is_some_and(|after| after.materialized);
    if !view.materialized || !view.populated || comes_back {
        return Costs::safe();
    }
    let old = ground.old_name(&ObjectRef::View(view.name.clone()), &view.name);
    Costs::lossy(format!("the stored rows of `{}`", view.name), Some(LossProbe::Rows { table: old }))
}

fn rename(dialect: &dyn Dialect, from: &ObjectRef, to: &ObjectRef) -> Costs {
    let folded = |object| own_name(object).map(|name| dialect.fold(name));
    let is_spelling = from.namespace() == to.namespace() && folded(from).is_some_and(|name| folded(to) == Some(name));
    match from {
        _ if is_spelling => Costs::safe(),
        ObjectRef::Constraint(_) | ObjectRef::Index(_) => Costs::safe(),
        ObjectRef::Namespace(_)
        | ObjectRef::Extension(_)
        | ObjectRef::Type(_)
        | ObjectRef::Sequence(_)
        | ObjectRef::Table(_)
        | ObjectRef::View(_)
        | ObjectRef::Column(_)
        | ObjectRef::Routine(_)
        | ObjectRef::Trigger(_)
        | ObjectRef::Policy(_)
        | ObjectRef::Opaque(_) => Costs::safe().breaks(format!("{} `{from}` is called `{to}` afterwards", from.kind())),
    }
}

/// Only STRICT asks something of the rows.
/// Whether the table keeps the rows that it held before (MariaDB).
fn keeps_history(table: &Table) -> bool {
    let text = table.options.versioning.as_ref().map(|text| text.as_str().to_ascii_uppercase());
    text.is_some_and(|text| text.contains("WITH SYSTEM VERSIONING"))
}

fn alter_table(ground: Ground<'_>, before: &Table, after: &Table) -> Costs {
    if keeps_history(before) && !keeps_history(after) {
        return Costs::lossy(format!("the history of the rows of `{}`", after.name), None);
    }
    if after.options.unlogged && !before.options.unlogged {
        return Costs::safe().unprotects(format!("rows of `{}` do not survive a crash any more", after.name));
    }
    if !after.options.strict || before.options.strict {
        let moved = after.partitioning.as_ref().filter(|after| before.partitioning.as_ref() != Some(after));
        let condition = moved.and_then(|partitioning| ground.dialect.has_place(partitioning));
        let asked = condition.and_then(|condition| ground.asked(&before.name)?.satisfies(&condition));
        return asked.map_or_else(Costs::safe, |asked| Costs::guarded([asked]));
    }
    let Some(asked) = ground.asked(&after.name) else { return Costs::guarded([]) };
    let columns = after.columns.iter().filter_map(|column| Some((before.column(&column.name)?, column)));
    Costs::guarded(columns.map(|(old, new)| asked.converts(old, &new.data_type, None, &after.options)))
}

fn removed_labels(before: &UserTypeKind, after: &UserTypeKind) -> Vec<String> {
    match (before, after) {
        (UserTypeKind::Enum { labels: old }, UserTypeKind::Enum { labels }) => {
            old.iter().filter(|label| !labels.contains(label)).cloned().collect()
        }
        (
            UserTypeKind::Enum { .. }
            | UserTypeKind::Domain(_)
            | UserTypeKind::Composite { .. }
            | UserTypeKind::Range(_),
            _,
        ) => Vec::new(),
    }
}

/// Columns of live tables that have the type itself.
fn columns_of_type<'a>(ground: Ground<'a>, name: &QualName) -> Vec<(&'a Table, &'a Column)> {
    let of = |table: &'a Table| table.columns.iter().map(move |column| (table, column));
    let all = ground.before.tables.values().flat_map(of);
    all.filter(|(_, column)| column.data_type.type_name() == Some(name)).collect()
}

fn alter_domain(ground: Ground<'_>, name: &QualName, change: &DomainChange) -> Costs {
    let ask = |question: &dyn Fn(&Asked<'_>, &Column) -> Option<DataCheck>| {
        let columns = columns_of_type(ground, name);
        let asked = columns.into_iter().filter_map(|(table, column)| question(&ground.asked(&table.name)?, column));
        Costs::guarded(asked.collect::<Vec<_>>())
    };
    match change {
        DomainChange::NotNull(true) => ask(&|asked, column| asked.not_null(&column.name))
            .breaks(format!("values of `{name}` must not be NULL any more")),
        DomainChange::AddCheck(check) if !check.validated => Costs::safe(),
        DomainChange::AddCheck(check) | DomainChange::ValidateCheck(check) => {
            ask(&|asked, column| asked.domain_holds(&column.name, &check.expr))
        }
        DomainChange::NotNull(false) | DomainChange::Default { .. } | DomainChange::DropCheck(_) => Costs::safe(),
    }
}

fn alter_composite(ground: Ground<'_>, name: &QualName, change: &AttributeChange) -> Costs {
    let is_stored = !columns_of_type(ground, name).is_empty();
    match change {
        AttributeChange::Add(_) => Costs::safe(),
        AttributeChange::Drop(attribute) if is_stored => {
            Costs::lossy(format!("attribute `{}` of every stored `{name}`", attribute.name), None)
        }
        AttributeChange::Drop(attribute) => Costs::safe().breaks(format!("attribute `{}` goes", attribute.name)),
        AttributeChange::SetType { before, after } => {
            let as_column = |each: &trueup_schema::Attribute| {
                let mut column = Column::new(each.name.clone(), each.data_type.clone());
                column.collation.clone_from(&each.collation);
                column
            };
            match ground.dialect.type_change(&as_column(before), &as_column(after), None, ground.facts) {
                TypeChange::Lossy { what, .. } if is_stored => Costs::lossy(what, None),
                TypeChange::Keeps { .. } => Costs::safe(),
                TypeChange::Lossy { .. } | TypeChange::Guarded { .. } | TypeChange::NeedsUsing { .. } => {
                    if is_stored {
                        Costs::guarded([])
                    } else {
                        Costs::safe()
                    }
                }
            }
        }
    }
}

fn drop_column(ground: Ground<'_>, table: &QualName, column: &Column) -> Costs {
    let costs = if column.generated.is_some() {
        Costs::safe()
    } else {
        Costs::lossy(format!("all values of `{table}.{}`", column.name), Some(ground.values(table, column)))
    };
    costs.breaks(format!("column `{table}.{}` is dropped", column.name))
}

fn set_not_null(ground: Ground<'_>, table: &QualName, before: &Column, after: &Column) -> Costs {
    if before.not_null {
        return Costs::safe();
    }
    let is_filled = ground.has_backfill(table, after);
    let check = ground.asked(table).filter(|_| !is_filled).and_then(|asked| asked.not_null(&after.name));
    Costs::guarded(check).breaks(format!("`{table}.{}` does not take NULL any more", after.name))
}

/// What counts the other way from now on cannot go on where it is.
fn alter_sequence(before: &Sequence, after: &Sequence) -> Costs {
    if before.options.counts_down() == after.options.counts_down() {
        return Costs::safe();
    }
    let probe = LossProbe::Position { sequence: before.name.clone() };
    Costs::lossy(format!("the position of `{}`, which counts the other way from now on", after.name), Some(probe))
}

fn set_identity(table: &QualName, before: &Column, after: &Column) -> Costs {
    if let (Some(was), Some(becomes)) = (&before.identity, &after.identity)
        && was.options.counts_down() != becomes.options.counts_down()
    {
        let what = format!("the position of `{table}.{}`, which counts the other way from now on", after.name);
        return Costs::lossy(what, None);
    }
    let is_gone =
        (before.identity.is_some() && after.identity.is_none()) || (before.auto_increment && !after.auto_increment);
    if is_gone {
        Costs::safe().breaks(format!("`{table}.{}` gets no value by itself any more", after.name))
    } else {
        Costs::safe()
    }
}

/// Stored values that are computed from now on are lost; computed ones that are stored from now on are kept.
fn set_generated(ground: Ground<'_>, table: &QualName, before: &Column, after: &Column) -> Costs {
    let asked = ground.asked(table).filter(|_| after.generated.is_some());
    let checks = asked.map(|asked| asked.kept_rules(&after.name)).unwrap_or_default();
    let mut costs = if before.generated.is_none() {
        let what = format!("the values of `{table}.{}`, which are computed from now on", after.name);
        Costs::lossy(what, Some(ground.values(table, before)))
    } else if checks.is_empty() {
        Costs::safe()
    } else {
        Costs::guarded([])
    };
    costs.checks.extend(checks);
    costs
}

fn add_column(ground: Ground<'_>, table: &QualName, column: &Column) -> Costs {
    if let (Some(generated), true) = (&column.generated, column.not_null) {
        return Costs::guarded(ground.asked(table).and_then(|asked| asked.computes(&generated.expr)));
    }
    let canonical = |default| ground.dialect.canonical_expr(default, Some(&column.data_type));
    let gives_null = |default| canonical(default).as_ref().is_some_and(checks::is_null);
    let gets_value = column.default.as_ref().is_some_and(|default| !gives_null(default))
        || column.generated.is_some()
        || column.identity.is_some()
        || column.auto_increment
        || !(column.not_null || refuses_null(ground, &column.data_type));
    if gets_value {
        return Costs::safe();
    }
    Costs::guarded(ground.asked(table).map(|asked| asked.empty()))
        .breaks(format!("new rows of `{table}` need a value for `{}`", column.name))
}

/// Whether the type is a domain that has no value to give and takes no NULL.
fn refuses_null(ground: Ground<'_>, data_type: &DataType) -> bool {
    let DataType::Named(named) = data_type else { return false };
    let declared = ground.after.types.get(&named.name);
    let Some(UserTypeKind::Domain(domain)) = declared.map(|declared| &declared.kind).filter(|_| named.dimensions == 0)
    else {
        return false;
    };
    domain.default.is_none() && (domain.not_null || refuses_null(ground, &domain.base))
}

fn alter_type(
    ground: Ground<'_>,
    table: &QualName,
    (before, after): (&Column, &Column),
    using: Option<&SqlExpr>,
) -> Costs {
    match ground.dialect.type_change(before, after, using, ground.facts) {
        TypeChange::Keeps { .. } => Costs::safe(),
        TypeChange::Guarded { .. } => {
            let options = ground.after.tables.get(table).map(|table| table.options.clone()).unwrap_or_default();
            let asked = ground.asked(table);
            let questions = |asked: Asked<'_>| match asked.is_emptied(after) {
                true if after.not_null => vec![asked.empty()],
                true => asked.kept_rules(&after.name),
                false => vec![asked.converts(before, &after.data_type, using, &options)],
            };
            Costs::guarded(asked.map(questions).unwrap_or_default()).breaks(format!("`{table}.{}` takes fewer values", after.name))
        }
        TypeChange::Lossy { what, .. } => Costs::lossy(what, Some(ground.values(table, before))),
        TypeChange::NeedsUsing { why, suggestion } => Costs {
            class: Some(Class::Blocked {
                code: "needs-using".to_owned(),
                why,
                fix: match suggestion {
                    Some(suggestion) => format!("say how: -- trueup: using {table}.{} = {suggestion}", after.name),
                    None => "declare a column of the new type beside it, with a `backfill` hint that says how, and leave the old one \
                             out of the declaration after that"
                        .to_owned(),
                },
            }),
            ..Costs::default()
        },
    }
}

fn add_constraint(ground: Ground<'_>, table: &QualName, constraint: &Constraint) -> Costs {
    if ground.is_new(table) || !constraint.validated || !constraint.enforced {
        return Costs::safe();
    }
    Costs::guarded(ground.asked(table).into_iter().flat_map(|asked| asked.constraint(constraint)))
}

fn alter_view(before: &View, after: &View) -> Costs {
    let guards = ["security_barrier", "security_invoker", "check_option", "sql_security"];
    let differs = guards.iter().any(|option| before.options.get(option) != after.options.get(option));
    if differs {
        Costs::safe().unprotects(format!("view `{}` checks otherwise what it shows and takes", after.name))
    } else {
        Costs::safe()
    }
}

/// A privilege that somebody gains widens, one that somebody loses breaks.
fn grants(on: &ObjectRef, before: Option<&Vec<Grant>>, after: Option<&Vec<Grant>>) -> Costs {
    let lacks = |list: Option<&Vec<Grant>>, grant: &Grant| !list.is_some_and(|list| list.contains(grant));
    let mut costs = Costs::safe();
    if after.is_none() || after.into_iter().flatten().any(|grant| lacks(before, grant)) {
        costs = costs.unprotects(format!("more roles may use `{on}`"));
    }
    if before.into_iter().flatten().any(|grant| lacks(after, grant)) {
        costs = costs.breaks(format!("some role loses a privilege on `{on}`"));
    }
    costs
}
