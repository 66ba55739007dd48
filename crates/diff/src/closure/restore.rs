//! Drops a dependent before the change and brings it back after it.

use std::collections::{BTreeMap, BTreeSet};

use trueup_plan::{Change, Class, ColumnPosition, Object, OpId, Refusal, TableIndex, unnamed_constraint};
use trueup_schema::{Column, Constraint, ObjectRef, PartId, QualName, Schema, Table};

use super::dependents::Dependent;
use super::existing::{Does, dearer};
use crate::draft::{Draft, DraftPlan};
use crate::graph::{Reader, Use};

/// The standalone object called `object`.
pub(super) fn find(schema: &Schema, object: &ObjectRef) -> Option<Object> {
    match object {
        ObjectRef::Namespace(name) => schema.namespaces.get(name).cloned().map(Object::Namespace),
        ObjectRef::Extension(name) => schema.extensions.get(name).cloned().map(Object::Extension),
        ObjectRef::Type(name) => schema.types.get(name).cloned().map(Object::Type),
        ObjectRef::Sequence(name) => schema.sequences.get(name).cloned().map(Object::Sequence),
        ObjectRef::Table(name) => schema.tables.get(name).cloned().map(Object::Table),
        ObjectRef::View(name) => schema.views.get(name).cloned().map(Object::View),
        ObjectRef::Routine(id) => schema.routines.get(id).cloned().map(Object::Routine),
        ObjectRef::Trigger(id) => schema.triggers.get(id).cloned().map(Object::Trigger),
        ObjectRef::Policy(id) => schema.policies.get(id).cloned().map(Object::Policy),
        ObjectRef::Opaque(id) => schema.objects.get(id).cloned().map(Object::Opaque),
        ObjectRef::Index(part) => {
            let of_table = schema.tables.get(&part.table).and_then(|table| table.index(&part.name));
            let of_view = || schema.views.get(&part.table)?.indexes.iter().find(|index| index.name == part.name);
            let index = of_table.or_else(of_view)?.clone();
            Some(Object::Index(TableIndex { table: part.table.clone(), index }))
        }
        ObjectRef::Column(_) | ObjectRef::Constraint(_) => None,
    }
}

fn find_constraint<'s>(schema: &'s Schema, dependent: &Dependent) -> Option<(&'s QualName, &'s Constraint)> {
    let table = schema.tables.get(&dependent.table()?)?;
    let constraint = match dependent {
        Dependent::Object(ObjectRef::Constraint(part)) => table.constraint(&part.name),
        Dependent::Unnamed(_, text) => {
            table.constraints.iter().find(|each| each.name.is_none() && unnamed_constraint(each) == *text)
        }
        Dependent::Object(_)
        | Dependent::Default(_)
        | Dependent::Typed(_)
        | Dependent::Heir(_)
        | Dependent::Unmanaged(_) => None,
    };
    Some((&table.name, constraint?))
}

fn find_column<'s>(schema: &'s Schema, part: &PartId) -> Option<(&'s Table, &'s Column)> {
    let table = schema.tables.get(&part.table)?;
    Some((table, table.column(&part.name)?))
}

fn without_default(column: &Column) -> Column {
    Column { default: None, ..column.clone() }
}

/// What an object of the schema needs, at the grain of parts.
pub(crate) fn part_uses(reader: Reader<'_>, object: &ObjectRef) -> Vec<Use> {
    let dependent = Dependent::Object(object.clone());
    if let Some((table, constraint)) = find_constraint(reader.schema, &dependent) {
        return reader.constraint(table, constraint);
    }
    find(reader.schema, object).map(|object| reader.object(&object)).unwrap_or_default()
}

/// The change that takes `dependent` away as it is in `schema`; `None` for what must not be taken away.
pub(super) fn removal(schema: &Schema, dependent: &Dependent) -> Option<Change> {
    match dependent {
        Dependent::Object(ObjectRef::Constraint(_)) | Dependent::Unnamed(..) => {
            let (table, constraint) = find_constraint(schema, dependent)?;
            Some(Change::DropConstraint { table: table.clone(), constraint: constraint.clone() })
        }
        Dependent::Object(ObjectRef::Column(part)) => {
            let (_, column) = find_column(schema, part)?;
            Some(Change::DropColumn { table: part.table.clone(), column: column.clone() })
        }
        Dependent::Object(object) => find(schema, object).map(|object| Change::Drop { object }),
        Dependent::Default(part) => {
            let (_, column) = find_column(schema, part)?;
            let after = without_default(column);
            Some(Change::SetDefault { table: part.table.clone(), before: column.clone(), after })
        }
        Dependent::Typed(_) | Dependent::Heir(_) | Dependent::Unmanaged(_) => None,
    }
}

/// The change that makes `dependent` as it is in `schema`, with its comment and privileges; `None` if it is not there.
fn creation(schema: &Schema, dependent: &Dependent, ordered: bool) -> Option<Change> {
    match dependent {
        Dependent::Object(ObjectRef::Constraint(_)) | Dependent::Unnamed(..) => {
            let (table, constraint) = find_constraint(schema, dependent)?;
            Some(Change::AddConstraint { table: table.clone(), constraint: constraint.clone() })
        }
        Dependent::Object(ObjectRef::Column(part)) => {
            let (table, column) = find_column(schema, part)?;
            let position = if ordered { position(table, column) } else { ColumnPosition::Last };
            Some(Change::AddColumn { table: part.table.clone(), column: column.clone(), position })
        }
        Dependent::Object(object) => find(schema, object).map(|object| Change::Create { object }),
        Dependent::Default(part) => {
            let (_, column) = find_column(schema, part).filter(|(_, column)| column.default.is_some())?;
            let before = without_default(column);
            Some(Change::SetDefault { table: part.table.clone(), before, after: column.clone() })
        }
        Dependent::Typed(_) | Dependent::Heir(_) | Dependent::Unmanaged(_) => None,
    }
}

/// Where a column stands in its table.
fn position(table: &Table, column: &Column) -> ColumnPosition {
    let before = table.columns.iter().take_while(|each| each.name != column.name).last();
    before.map_or(ColumnPosition::First, |each| ColumnPosition::After(each.name.clone()))
}

/// The relation that `dependent` is a part of, if it is dropped. If that is made again, then with its parts.
pub(super) fn dropped_relation(
    drafts: &[Draft],
    known: &BTreeMap<Dependent, Vec<(usize, Does)>>,
    dependent: &Dependent,
) -> Option<Dependent> {
    let name = dependent.table()?;
    let relations = [ObjectRef::Table(name.clone()), ObjectRef::View(name)].map(Dependent::Object);
    relations.into_iter().find(|relation| {
        let about = known.get(relation).map_or(&[][..], Vec::as_slice);
        about.iter().any(|(at, does)| *does == Does::Drops && !drafts[*at].held_back)
    })
}

/// Turns dependents into drafts.
pub(super) struct Restore<'r, 'p> {
    plan: &'r mut DraftPlan<'p>,
    known: BTreeMap<Dependent, Vec<(usize, Does)>>,
    /// Drafts that a drop and creation make needless.
    gone: BTreeSet<usize>,
    added: Vec<Draft>,
}

impl<'r, 'p> Restore<'r, 'p> {
    pub(super) const fn new(plan: &'r mut DraftPlan<'p>, known: BTreeMap<Dependent, Vec<(usize, Does)>>) -> Self {
        Self { plan, known, gone: BTreeSet::new(), added: Vec::new() }
    }

    /// Handles one dependent that `causes` need out of the way.
    pub(super) fn one(&mut self, dependent: &Dependent, causes: &BTreeSet<OpId>) {
        let drafts = self.known.get(dependent).cloned().unwrap_or_default();
        let active = |wanted: Does| drafts.iter().any(|(at, does)| *does == wanted && !self.plan.drafts[*at].held_back);
        if active(Does::Drops) {
            // The declaration drops it, or drops it and makes it again: that only must happen in time.
            for (at, _) in drafts.iter().filter(|(_, does)| *does == Does::Drops) {
                self.plan.drafts[*at].before.extend(causes.iter().cloned());
            }
            return;
        }
        if dropped_relation(&self.plan.drafts, &self.known, dependent).is_some() {
            return;
        }
        match dependent {
            Dependent::Unmanaged(at) if self.goes_with_its_table(*at) => return,
            Dependent::Unmanaged(_) => return self.refuse_unmanaged(dependent, causes),
            Dependent::Typed(_) | Dependent::Heir(_) if active(Does::Alters) => return,
            Dependent::Typed(_) | Dependent::Heir(_) => return self.refuse_data(dependent, causes),
            Dependent::Object(_) | Dependent::Unnamed(..) | Dependent::Default(_) => {}
        }
        let stays_undeclared = drafts.iter().any(|(at, does)| *does == Does::Drops && self.plan.drafts[*at].held_back);
        let declared = removal(self.plan.desired, dependent).is_some();
        // An undeclared default of a declared column is a difference like any other; its draft would be here.
        let schema: &Schema = if declared || matches!(dependent, Dependent::Default(_)) {
            self.plan.desired
        } else if stays_undeclared {
            &self.plan.projected
        } else {
            return self.refuse_unmanaged(dependent, causes);
        };
        let ordered = self.plan.dialect.capabilities().column_order;
        let creation = creation(schema, dependent, ordered);
        let Some(drop) = removal(self.plan.live_form(dependent, causes), dependent) else { return };
        self.make_way(drop, creation, &drafts, causes);
    }

    fn make_way(&mut self, drop: Change, creation: Option<Change>, drafts: &[(usize, Does)], causes: &BTreeSet<OpId>) {
        let names = list(causes);
        let mut replaced = Vec::new();
        for (at, does) in drafts {
            if *does == Does::Alters && self.gone.insert(*at) {
                replaced.push(self.plan.drafts[*at].clone());
            }
        }
        let dropped = self.plan.follow_up(drop, format!("makes way for {names}"), causes.clone());
        self.added.push(dropped);
        if let Some(change) = creation {
            let mut made = self.plan.follow_up(change, format!("comes back after {names}"), causes.clone());
            replaced.into_iter().for_each(|draft| inherit(&mut made, draft));
            self.added.push(made);
        }
    }

    /// Whether it is said of a table that is dropped for good.
    fn goes_with_its_table(&self, at: usize) -> bool {
        let Some(name) = &self.plan.unmanaged[at].table else { return false };
        let about = self.known.get(&Dependent::Object(ObjectRef::Table(name.clone()))).map_or(&[][..], Vec::as_slice);
        let active = |wanted: Does| about.iter().any(|(at, does)| *does == wanted && !self.plan.drafts[*at].held_back);
        active(Does::Drops) && !active(Does::Creates)
    }

    fn refuse_unmanaged(&mut self, dependent: &Dependent, causes: &BTreeSet<OpId>) {
        let name = match dependent {
            Dependent::Unmanaged(at) => {
                let item = &self.plan.unmanaged[*at];
                format!("{} {}", item.kind, item.name)
            }
            Dependent::Default(part) => format!("default of column {part}"),
            Dependent::Object(_) | Dependent::Unnamed(..) | Dependent::Typed(_) | Dependent::Heir(_) => dependent
                .reference(self.plan.unmanaged)
                .map(|object| format!("{} {object}", object.kind()))
                .unwrap_or_default(),
        };
        self.refuse("unmanaged-dependent", name.clone(), causes, |cause| {
            (
                format!("`{name}` stands in the way of `{cause}`, and is not declared here"),
                format!("declare `{name}`, or drop it by hand and make it again afterwards"),
            )
        });
    }

    fn refuse_data(&mut self, dependent: &Dependent, causes: &BTreeSet<OpId>) {
        let object = dependent.reference(self.plan.unmanaged);
        let name = object.map(|object| format!("{} {object}", object.kind())).unwrap_or_default();
        self.refuse("dependent-holds-data", name.clone(), causes, |cause| {
            (
                format!("`{cause}` would need `{name}` to be dropped, and it holds data"),
                format!("change `{name}` in the declaration so that it no longer needs this"),
            )
        });
    }

    fn refuse(
        &mut self,
        code: &str,
        object: String,
        causes: &BTreeSet<OpId>,
        words: impl Fn(&OpId) -> (String, String),
    ) {
        for cause in causes {
            let (why, fix) = words(cause);
            self.plan.refusals.push(Refusal {
                code: code.to_owned(),
                object: object.clone(),
                operation: Some(cause.clone()),
                why,
                fix,
            });
        }
    }

    /// Puts the new drafts in the place of those that they replace.
    pub(super) fn finish(self) {
        let Self { plan, gone, added, .. } = self;
        let mut at = 0;
        plan.drafts.retain(|_| {
            at += 1;
            !gone.contains(&(at - 1))
        });
        let mut ids: BTreeSet<OpId> = plan.drafts.iter().map(|draft| OpId::of(&draft.change)).collect();
        plan.drafts.extend(added.into_iter().filter(|draft| ids.insert(OpId::of(&draft.change))));
    }
}

impl DraftPlan<'_> {
    /// The schema that a dependent is dropped from: it makes way for a rename under its name of today.
    fn live_form(&self, dependent: &Dependent, causes: &BTreeSet<OpId>) -> &Schema {
        let renames = causes.iter().all(|cause| cause.0.starts_with("rename-"));
        if renames && removal(self.live, dependent).is_some() { self.live } else { &self.projected }
    }
}

/// What a replaced alteration would have cost, its re-creation costs as well.
fn inherit(made: &mut Draft, from: Draft) {
    let class = std::mem::replace(&mut made.class, Class::Safe);
    made.class = dearer(class, from.class);
    made.why = format!("{}; {}", from.why, made.why);
    made.checks.extend(from.checks);
    made.loss.extend(from.loss);
    let known = std::mem::take(&mut made.hazards);
    made.hazards.extend(known.into_iter().chain(from.hazards).collect::<BTreeSet<_>>());
    made.provenance = made.provenance.take().or(from.provenance);
}

fn list(causes: &BTreeSet<OpId>) -> String {
    causes.iter().map(|cause| format!("`{cause}`")).collect::<Vec<_>>().join(", ")
}
