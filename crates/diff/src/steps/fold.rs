//! What goes with a table, and what cannot stay in it.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use trueup_plan::{Change, Object, OpId, TableIndex};
use trueup_schema::{Column, Constraint, ConstraintKind, ForeignKey, Ident, ObjectRef, PartId, QualName, Table};

use crate::draft::{Draft, DraftPlan};
use crate::graph::{Reader, Site, Use, keys_of};

/// Leaves out what goes with a dropped object, and takes out of new tables what cannot be made with them.
pub(super) fn fold(plan: &mut DraftPlan<'_>) {
    leave_out_parts(plan);
    untie_dropped_tables(plan);
    take_out_owners(plan);
    take_out_foreign_keys(plan);
    take_out_calls(plan);
}

/// Relations that are dropped, and whether they are made again.
fn dropped(plan: &DraftPlan<'_>) -> BTreeSet<QualName> {
    let mut names = BTreeSet::new();
    for draft in plan.drafts.iter().filter(|draft| !draft.held_back) {
        if let Change::Drop { object: Object::Table(Table { name, .. }) } = &draft.change {
            names.insert(name.clone());
        } else if let Change::Drop { object: Object::View(view) } = &draft.change {
            names.insert(view.name.clone());
        }
    }
    names
}

/// Drops of parts of a dropped table or view, and of sequences that it owns, happen by themselves.
fn leave_out_parts(plan: &mut DraftPlan<'_>) {
    let dropped = dropped(plan);
    if dropped.is_empty() {
        return;
    }
    plan.drafts.retain(|draft| !on(&draft.change).is_some_and(|relation| dropped.contains(relation)));
    // A sequence goes with a dropped column, too.
    let columns: BTreeSet<PartId> = plan.drafts.iter().filter_map(dropped_column).collect();
    plan.drafts.retain(|draft| {
        if let Change::Drop { object: Object::Sequence(sequence) } = &draft.change {
            !sequence.owned_by.as_ref().is_some_and(|owner| columns.contains(owner))
        } else {
            true
        }
    });
}

/// The relation that takes the dropped part along when it is dropped itself.
fn on(change: &Change) -> Option<&QualName> {
    if let Change::DropColumn { table, .. } = change {
        return Some(table);
    }
    let Change::Drop { object } = change else { return None };
    match object {
        Object::Index(index) => Some(&index.table),
        Object::Trigger(trigger) => Some(&trigger.id.table),
        Object::Policy(policy) => Some(&policy.id.table),
        Object::Opaque(opaque) => opaque.id.table.as_ref(),
        Object::Sequence(sequence) => sequence.owned_by.as_ref().map(|owner| &owner.table),
        Object::Namespace(_)
        | Object::Extension(_)
        | Object::Type(_)
        | Object::Table(_)
        | Object::View(_)
        | Object::Routine(_) => None,
    }
}

fn dropped_column(draft: &Draft) -> Option<PartId> {
    if let Change::DropColumn { table, column } = &draft.change
        && !draft.held_back
    {
        return Some(PartId { table: table.clone(), name: column.name.clone() });
    }
    None
}

/// Foreign keys between dropped tables that refer to each other go before the tables.
fn untie_dropped_tables(plan: &mut DraftPlan<'_>) {
    if !plan.dialect.capabilities().fk_needs_target {
        return;
    }
    let mut graph = DiGraph::<usize, ()>::new();
    let mut nodes = BTreeMap::new();
    for (at, draft) in plan.drafts.iter().enumerate().filter(|(_, draft)| !draft.held_back) {
        if let Change::Drop { object: Object::Table(table) } = &draft.change {
            nodes.insert(table.name.clone(), (graph.add_node(at), at));
        }
    }
    for (node, at) in nodes.values() {
        if let Change::Drop { object: Object::Table(table) } = &plan.drafts[*at].change {
            for (_, key) in table.foreign_keys() {
                if let Some((target, _)) = nodes.get(&key.references).filter(|(target, _)| target != node) {
                    graph.add_edge(*node, *target, ());
                }
            }
        }
    }
    for circle in kosaraju_scc(&graph).into_iter().filter(|circle| circle.len() > 1) {
        let members: Vec<usize> = circle.into_iter().map(|node| graph[node]).collect();
        let names: BTreeSet<QualName> = members.iter().filter_map(|at| plan.drafts[*at].change.table()).collect();
        for at in members {
            untie(plan, at, &names);
        }
    }
}

/// Takes the foreign keys into `circle` out of a dropped table.
fn untie(plan: &mut DraftPlan<'_>, at: usize, circle: &BTreeSet<QualName>) {
    let cause = OpId::of(&plan.drafts[at].change);
    let Change::Drop { object: Object::Table(table) } = &mut plan.drafts[at].change else { return };
    let name = table.name.clone();
    let ties = |constraint: &Constraint| match &constraint.kind {
        ConstraintKind::ForeignKey(key) => key.references != name && circle.contains(&key.references),
        ConstraintKind::PrimaryKey(_)
        | ConstraintKind::Unique(_)
        | ConstraintKind::Check { .. }
        | ConstraintKind::Exclude { .. } => false,
    };
    let (out, kept) = std::mem::take(&mut table.constraints).into_iter().partition(ties);
    table.constraints = kept;
    for constraint in out {
        let change = Change::DropConstraint { table: name.clone(), constraint };
        let why = format!("lets `{cause}` happen");
        plan.drafts.push(plan.follow_up(change, why, BTreeSet::from([cause.clone()])));
    }
}

/// A sequence is made before the column whose default reads it, and given to that column afterwards.
fn take_out_owners(plan: &mut DraftPlan<'_>) {
    let mut added = Vec::new();
    for draft in &mut plan.drafts {
        let held_back = draft.held_back;
        if let Change::Create { object: Object::Sequence(sequence) } = &mut draft.change
            && let Some(owner) = sequence.owned_by.take()
        {
            let (name, after) = (sequence.name.clone(), Some(owner));
            let change = Change::SetSequenceOwner { name, before: None, after, resumes: false };
            added.push((change, draft.why.clone(), draft.cause.clone(), held_back));
        }
    }
    for (change, why, cause, held_back) in added {
        let known = plan.drafts.iter().any(|draft| draft.change == change);
        if !known {
            let draft = plan.follow_up(change, why, cause);
            plan.drafts.push(Draft { held_back, ..draft });
        }
    }
}

/// Where a foreign key needs its target, it follows when all tables are there. One to its own table may stay.
fn take_out_foreign_keys(plan: &mut DraftPlan<'_>) {
    if !plan.dialect.capabilities().fk_needs_target {
        return;
    }
    let leaves = |table: &Table, constraint: &Constraint| match &constraint.kind {
        ConstraintKind::ForeignKey(key) => key.references != table.name || !has_key(table, key),
        ConstraintKind::PrimaryKey(_)
        | ConstraintKind::Unique(_)
        | ConstraintKind::Check { .. }
        | ConstraintKind::Exclude { .. } => false,
    };
    take_out(plan, |table| {
        let name = table.name.clone();
        let (out, kept) = table.constraints.clone().into_iter().partition(|constraint| leaves(table, constraint));
        table.constraints = kept;
        out.into_iter().map(|constraint| Change::AddConstraint { table: name.clone(), constraint }).collect()
    });
}

/// Whether the key that a foreign key leans on is a constraint of the table, not an index that is made later.
fn has_key(table: &Table, key: &ForeignKey) -> bool {
    let mut columns = key.referenced_columns.clone();
    columns.sort();
    let wanted =
        if columns.is_empty() { Site::PrimaryKey(table.name.clone()) } else { Site::Key(table.name.clone(), columns) };
    table.constraints.iter().flat_map(|constraint| keys_of(&table.name, constraint)).any(|site| site == wanted)
}

/// Applies `parts` to every new table and makes drafts of what it takes out.
fn take_out(plan: &mut DraftPlan<'_>, mut parts: impl FnMut(&mut Table) -> Vec<Change>) {
    let mut out = Vec::new();
    for draft in &mut plan.drafts {
        let (why, cause, held_back) = (draft.why.clone(), draft.cause.clone(), draft.held_back);
        if let Change::Create { object: Object::Table(table) } = &mut draft.change {
            out.extend(parts(table).into_iter().map(|change| (change, why.clone(), cause.clone(), held_back)));
        }
    }
    for (change, why, cause, held_back) in out {
        let draft = plan.follow_up(change, why, cause);
        plan.drafts.push(Draft { held_back, ..draft });
    }
}

/// Checks, defaults, generated columns and indexes that call a routine which itself needs the new table.
fn take_out_calls(plan: &mut DraftPlan<'_>) {
    let mut made = BTreeSet::new();
    for draft in &plan.drafts {
        if let Change::Create { object: Object::Routine(routine) } = &draft.change {
            made.insert(ObjectRef::Routine(routine.id.clone()));
        }
    }
    if made.is_empty() {
        return;
    }
    let desired = plan.desired;
    let reader = Reader { dialect: plan.dialect, schema: desired };
    take_out(plan, |table| {
        let needing: BTreeSet<Site> = made
            .iter()
            .filter(|routine| reaches(reader, routine, &table.name))
            .map(|routine| Site::Object(routine.clone()))
            .collect();
        if needing.is_empty() { Vec::new() } else { without_calls(reader, table, &needing) }
    });
}

/// Whether `from` needs `table`, directly or through what it needs.
fn reaches(reader: Reader<'_>, from: &ObjectRef, table: &QualName) -> bool {
    let mut seen = BTreeSet::from([from.clone()]);
    let mut open = vec![from.clone()];
    while let Some(object) = open.pop() {
        for used in crate::closure::uses(reader, &object) {
            let relation = used.on.container().or_else(|| used.on.relation());
            if relation == Some(table) || used.on == Site::Object(ObjectRef::Type(table.clone())) {
                return true;
            }
            if let Site::Object(next) = used.on
                && seen.insert(next.clone())
            {
                open.push(next);
            }
        }
    }
    false
}

fn without_calls(reader: Reader<'_>, table: &mut Table, routines: &BTreeSet<Site>) -> Vec<Change> {
    let name = table.name.clone();
    let calls = |uses: &[Use]| uses.iter().any(|used| routines.contains(&used.on));
    let mut out = Vec::new();
    let (constraints, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut table.constraints)
        .into_iter()
        .partition(|constraint| calls(&reader.constraint(&name, constraint)));
    table.constraints = kept;
    let (indexes, kept): (Vec<_>, Vec<_>) =
        std::mem::take(&mut table.indexes).into_iter().partition(|index| calls(&reader.index(&name, index)));
    table.indexes = kept;
    let mut generated: Vec<Ident> = Vec::new();
    for column in &mut table.columns {
        if !calls(&reader.value(&name, column)) {
            continue;
        }
        if column.generated.is_some() {
            generated.push(column.name.clone());
        } else {
            let after = column.clone();
            let before = Column { default: None, depends_on: Vec::new(), ..column.clone() };
            *column = before.clone();
            out.push(Change::SetDefault { table: name.clone(), before, after });
        }
    }
    let (columns, kept): (Vec<_>, Vec<_>) =
        std::mem::take(&mut table.columns).into_iter().partition(|column| generated.contains(&column.name));
    table.columns = kept;
    out.extend(columns.into_iter().map(|column| Change::AddColumn {
        table: name.clone(),
        column,
        position: trueup_plan::ColumnPosition::Last,
    }));
    out.extend(constraints.into_iter().map(|constraint| Change::AddConstraint { table: name.clone(), constraint }));
    out.extend(
        indexes
            .into_iter()
            .map(|index| Change::Create { object: Object::Index(TableIndex { table: name.clone(), index }) }),
    );
    out
}
