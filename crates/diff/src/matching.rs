//! Which constraint and index of one side is which of the other.
//!
//! Names that an engine makes up say little: under those, and where there are none, the definition decides.

use trueup_dialect::Dialect;
use trueup_schema::{Constraint, ConstraintKind, Ident, Index, ObjectRef, PartId, QualName, Schema, Table};

use crate::compare::index_differs;
use crate::hints::Renaming;
use crate::ownership::Rights;

/// Constraints of one table on both sides.
#[derive(Debug)]
pub(crate) struct Pairs<'a> {
    pub(crate) both: Vec<(&'a Constraint, &'a Constraint)>,
    pub(crate) only_before: Vec<&'a Constraint>,
    pub(crate) only_after: Vec<&'a Constraint>,
}

/// Whether both demand the same in the same way; names and comments aside.
pub(crate) fn same_rule(before: &Constraint, after: &Constraint) -> bool {
    let Constraint {
        name: _,
        kind,
        deferrable,
        validated,
        enforced,
        on_conflict,
        parameters,
        comment: _,
        depends_on: _,
        source: _,
    } = after;
    *kind == before.kind
        && *deferrable == before.deferrable
        && *validated == before.validated
        && *enforced == before.enforced
        && *on_conflict == before.on_conflict
        && *parameters == before.parameters
}

/// Finds the pairs: alike in name and rule, then alike in rule under names that the engine made up, then in name, then in rule; what is
/// left of primary keys is a pair, since a table has one.
pub(crate) fn constraint_pairs<'a>(dialect: &dyn Dialect, before: &'a Table, after: &'a Table) -> Pairs<'a> {
    let mut pairs = Pairs {
        both: Vec::new(),
        only_before: before.constraints.iter().collect(),
        only_after: after.constraints.iter().collect(),
    };
    let same_name = |a: &Constraint, b: &Constraint| a.name.is_some() && a.name == b.name;
    let made_up = |table: &Table, each: &Constraint| each.name.is_none() || dialect.is_generated(table, each);
    pairs.take(&|a, b| a.name == b.name && same_rule(a, b));
    pairs.take(&|a, b| made_up(before, a) && made_up(after, b) && same_rule(a, b));
    pairs.take(&same_name);
    pairs.take(&same_rule);
    let is_key = |each: &Constraint| matches!(each.kind, ConstraintKind::PrimaryKey(_));
    pairs.take(&|a, b| is_key(a) && is_key(b) && (a.name.is_none() || b.name.is_none()));
    pairs
}

impl<'a> Pairs<'a> {
    fn take(&mut self, fit: &dyn Fn(&Constraint, &Constraint) -> bool) {
        let mut rest: Vec<&'a Constraint> = Vec::new();
        for constraint in std::mem::take(&mut self.only_before) {
            match self.only_after.iter().position(|each| fit(constraint, each)) {
                Some(at) => self.both.push((constraint, self.only_after.remove(at))),
                None => rest.push(constraint),
            }
        }
        self.only_before = rest;
    }
}

/// Renames of constraints and indexes that differ by nothing but their name.
pub(crate) fn renames(dialect: &dyn Dialect, live: &Schema, desired: &Schema, rights: &Rights<'_>) -> Vec<Renaming> {
    let mut renames = Vec::new();
    for after in desired.tables.values() {
        let Some(before) = live.tables.get(&after.name) else { continue };
        if !rights.in_scope(&ObjectRef::Table(after.name.clone())) {
            continue;
        }
        if dialect.capabilities().rename_constraint {
            renames.extend(constraint_renames(dialect, before, after));
        }
        if dialect.capabilities().rename_index {
            let may_drop = |index: &ObjectRef| rights.may_drop(index, live, desired);
            renames.extend(index_renames(&after.name, &before.indexes, &after.indexes, &may_drop));
        }
    }
    for after in desired.views.values().filter(|view| view.materialized) {
        let Some(before) = live.views.get(&after.name).filter(|view| view.materialized) else { continue };
        if dialect.capabilities().rename_index && rights.in_scope(&ObjectRef::View(after.name.clone())) {
            let may_drop = |index: &ObjectRef| rights.may_drop(index, live, desired);
            renames.extend(index_renames(&after.name, &before.indexes, &after.indexes, &may_drop));
        }
    }
    renames
}

fn constraint_renames(dialect: &dyn Dialect, before: &Table, after: &Table) -> Vec<Renaming> {
    let part = |name: &Ident| ObjectRef::Constraint(PartId { table: after.name.clone(), name: name.clone() });
    let mut renames = Vec::new();
    for (live, declared) in constraint_pairs(dialect, before, after).both {
        let (Some(from), Some(to)) = (&live.name, &declared.name) else { continue };
        let made_up = dialect.is_generated(before, live) && dialect.is_generated(after, declared);
        let is_free = before.constraint(to).is_none() && before.index(to).is_none();
        if from != to && !made_up && is_free && same_rule(live, declared) {
            renames.push(Renaming { from: part(from), to: part(to), source: None });
        }
    }
    renames
}

fn index_renames(
    table: &QualName,
    before: &[Index],
    after: &[Index],
    may_drop: &dyn Fn(&ObjectRef) -> bool,
) -> Vec<Renaming> {
    let part = |name: &Ident| ObjectRef::Index(PartId { table: table.clone(), name: name.clone() });
    let lacks = |list: &[Index], name: &Ident| list.iter().all(|each| each.name != *name);
    let mut live: Vec<&Index> =
        before.iter().filter(|index| lacks(after, &index.name) && may_drop(&part(&index.name))).collect();
    let mut renames = Vec::new();
    for declared in after.iter().filter(|index| lacks(before, &index.name)) {
        if let Some(at) = live.iter().position(|index| !index_differs(index, declared)) {
            let from = part(&live.remove(at).name);
            renames.push(Renaming { from, to: part(&declared.name), source: None });
        }
    }
    renames
}
