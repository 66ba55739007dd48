//! What decides about the form of a change.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_plan::{Change, Class, Hazard, HazardCode, LiveFacts, Object, OpId};
use trueup_schema::{Ident, Index, ObjectRef, PartId, QualName, Schema, Table, TableKind};

use crate::draft::{Draft, DraftPlan};
use crate::inherit::Families;

/// What decides about the form of a change.
pub(super) struct Ground<'a> {
    pub(super) dialect: &'a dyn Dialect,
    /// The live schema under its new names.
    pub(super) live: &'a Schema,
    facts: &'a LiveFacts,
    /// Relations that the plan makes or drops.
    made: BTreeSet<QualName>,
    /// Relations that the plan gives another name: what is known of them is known under the old one.
    renamed: BTreeSet<QualName>,
    families: [Families; 2],
    pub(super) dropped_columns: BTreeSet<PartId>,
    pub(super) dropped_constraints: BTreeSet<PartId>,
    /// Constraints that make way for another change.
    cleared: BTreeSet<PartId>,
    /// Indexes that are dropped, with the drop.
    dropped_indexes: BTreeMap<PartId, OpId>,
    pub(super) created_indexes: BTreeSet<PartId>,
    /// What makes others make way.
    causes: BTreeSet<OpId>,
}

impl<'a> Ground<'a> {
    pub(super) fn of<'p: 'a>(plan: &'a DraftPlan<'p>, drafts: &[Draft]) -> Self {
        let mut ground = Self {
            dialect: plan.dialect,
            live: &plan.projected,
            facts: plan.facts,
            made: BTreeSet::new(),
            renamed: BTreeSet::new(),
            families: [Families::of(&plan.projected), Families::of(plan.desired)],
            dropped_columns: BTreeSet::new(),
            dropped_constraints: BTreeSet::new(),
            cleared: BTreeSet::new(),
            dropped_indexes: BTreeMap::new(),
            created_indexes: BTreeSet::new(),
            causes: BTreeSet::new(),
        };
        for draft in drafts.iter().filter(|draft| !draft.held_back) {
            ground.causes.extend(draft.cause.iter().cloned());
            ground.note(draft);
        }
        ground
    }

    fn note(&mut self, draft: &Draft) {
        let change = &draft.change;
        if let Change::Create { object: Object::Table(Table { name, .. }) }
        | Change::Drop { object: Object::Table(Table { name, .. }) } = change
        {
            self.made.insert(name.clone());
        } else if let Change::Create { object: Object::View(view) } | Change::Drop { object: Object::View(view) } =
            change
        {
            self.made.insert(view.name.clone());
        } else if let Change::Rename { to: ObjectRef::Table(name) | ObjectRef::View(name), .. } = change {
            self.renamed.insert(name.clone());
        } else if let (Change::DropColumn { .. }, ObjectRef::Column(part)) = (change, change.object()) {
            self.dropped_columns.insert(part);
        } else if let (Change::DropConstraint { .. }, ObjectRef::Constraint(part)) = (change, change.object()) {
            if !draft.cause.is_empty() {
                self.cleared.insert(part.clone());
            }
            self.dropped_constraints.insert(part);
        } else if let (Change::Drop { .. }, ObjectRef::Index(part)) = (change, change.object()) {
            self.dropped_indexes.insert(part, draft.id());
        } else if let (Change::Create { .. }, ObjectRef::Index(part)) = (change, change.object()) {
            self.created_indexes.insert(part);
        }
    }

    /// Whether the draft is there for its own sake, and will run.
    pub(super) fn is_free(draft: &Draft) -> bool {
        !draft.held_back && !draft.is_blocked() && draft.cause.is_empty() && draft.before.is_empty()
    }

    /// Whether the relation may have rows, and readers and writers.
    pub(super) fn is_busy(&self, name: &QualName) -> bool {
        let holds_rows = self.live.tables.get(name).is_some_and(|table| table.kind == TableKind::Ordinary)
            || self.live.views.get(name).is_some_and(|view| view.materialized);
        holds_rows && !self.made.contains(name) && (self.renamed.contains(name) || !self.facts.is_empty(name))
    }

    pub(super) fn is_partitioned(&self, name: &QualName) -> bool {
        self.live.tables.get(name).is_some_and(|table| table.partitioning.is_some())
    }

    /// Whether what happens to the table happens to it alone.
    pub(super) fn is_single(&self, name: &QualName) -> bool {
        !self.is_partitioned(name) && self.families.iter().all(|families| families.heirs(name).is_empty())
    }

    /// The live index of this name.
    pub(super) fn index(&self, part: &PartId) -> Option<&'a Index> {
        let of_table = self.live.tables.get(&part.table).and_then(|table| table.index(&part.name));
        let of_view = || self.live.views.get(&part.table)?.indexes.iter().find(|index| index.name == part.name);
        of_table.or_else(of_view)
    }

    /// The drop of an index that is as `wanted` and needs not be dropped.
    pub(super) fn reusable(&self, table: &QualName, wanted: &Index) -> Option<PartId> {
        let part = PartId { table: table.clone(), name: wanted.name.clone() };
        let live = self.index(&part)?;
        let drop = self.dropped_indexes.get(&part)?;
        let fits = live.valid && !crate::compare::index_differs(live, wanted);
        (fits && !self.causes.contains(drop)).then_some(part)
    }

    /// Whether the plan drops an index of this name and makes another.
    pub(super) fn is_replaced(&self, part: &PartId) -> bool {
        self.dropped_indexes.contains_key(part)
            && self.created_indexes.contains(part)
            && self.index(part).is_some_and(|index| index.valid)
    }

    /// Whether the constraint is dropped for the sake of another change.
    pub(super) fn makes_way(&self, table: &QualName, name: &Ident) -> bool {
        self.cleared.contains(&PartId { table: table.clone(), name: name.clone() })
    }

    /// Whether the plan drops an index of this name that is not `wanted`.
    pub(super) fn is_in_place_of(&self, part: &PartId, wanted: &Index) -> bool {
        self.dropped_indexes.contains_key(part)
            && self.index(part).is_some_and(|index| index.valid)
            && self.reusable(&part.table, wanted).is_none()
    }

    /// Whether some live object of the namespace has the name.
    pub(super) fn is_taken(&self, table: &QualName, name: &Ident) -> bool {
        let tables = self.live.tables.values().filter(|each| each.name.namespace == table.namespace);
        let views = self.live.views.values().filter(|each| each.name.namespace == table.namespace);
        tables.into_iter().any(|each| super::names::holds(each, name))
            || views.into_iter().any(|each| each.indexes.iter().any(|index| index.name == *name))
    }

    /// A draft that costs what the engine foresees for its form.
    pub(super) fn draft(&self, change: Change, why: impl Into<String>, from: &Draft) -> Draft {
        let hazards = self.dialect.forecast_online(&change, self.facts);
        let mut draft = Draft::new(change, trueup_dialect::Verdict::InPlace, why);
        draft.hazards = hazards;
        draft.provenance.clone_from(&from.provenance);
        draft
    }

    /// What `draft` warns of besides what the engine foresees for `was`, and what it foresees for the form that it has now.
    pub(super) fn foresee(&self, draft: &mut Draft, was: &Change) {
        let known: BTreeSet<Hazard> = self.dialect.forecast(was, false, self.facts).into_iter().collect();
        draft.hazards.retain(|hazard| !known.contains(hazard) && !is_forecast(hazard.code));
        draft.hazards.extend(self.dialect.forecast_online(&draft.change, self.facts));
    }

    /// Moves what the rows decide from one draft to another.
    pub(super) fn ask_in(asked: &mut Draft, instead: &mut Draft) {
        instead.class = std::mem::replace(&mut asked.class, Class::Safe);
        instead.checks = std::mem::take(&mut asked.checks);
    }
}

/// Whether only the engine foresees such things.
const fn is_forecast(code: HazardCode) -> bool {
    matches!(code, HazardCode::Scan | HazardCode::Rewrite)
}
