//! Indexes, and keys that take them over.

use trueup_plan::{Change, Flavor, Object, TableIndex};
use trueup_schema::{Constraint, Ident, Index, Key, ObjectRef, PartId, QualName};

use super::expand::Expansion;
use super::ground::Ground;
use super::manner::Manner;
use super::names::{index_of, temporary};
use crate::draft::Draft;

fn part(table: &QualName, name: &Ident) -> PartId {
    PartId { table: table.clone(), name: name.clone() }
}

impl Expansion<'_> {
    /// An index is built outside of a transaction, and takes its place afterwards. One that replaces another is built under another name
    /// first, so that there is one at any time.
    pub(super) fn create_index(&mut self, draft: Draft, made: &TableIndex) {
        let table = &made.table;
        let is_apart = Ground::is_free(&draft) && self.ground.is_busy(table) && !self.ground.is_partitioned(table);
        if !is_apart || made.index.only || made.index.comment.is_some() {
            self.drafts.push(draft);
            return;
        }
        let own = part(table, &made.index.name);
        let mut built = Index { partition_of: None, clustered: false, ..made.index.clone() };
        let mut placed = draft.clone();
        let mut after = None;
        if built != made.index {
            let change = Change::AlterIndex { table: table.clone(), before: built.clone(), after: made.index.clone() };
            let alter = self.ground.draft(change, "takes its place", &draft);
            after = Some(alter.id());
            self.drafts.push(alter);
        }
        if self.ground.is_replaced(&own) || self.ground.dropped_constraints.contains(&own) {
            let Ok(aside) = temporary(table, &own.name, |name| self.ground.is_fresh_taken(table, name, &built)) else {
                self.drafts.push(draft);
                return;
            };
            let is_view = self.ground.live.views.contains_key(table);
            let flavor = if is_view { Flavor::Materialized } else { Flavor::Plain };
            let change =
                Change::Rename { from: ObjectRef::Index(part(table, &aside)), to: ObjectRef::Index(own), flavor };
            let mut rename = self.ground.draft(change, "takes the place of the old one", &draft);
            rename.before.extend(after.take());
            after = Some(rename.id());
            self.drafts.push(rename);
            built.name = aside;
        }
        if let Some(parent) = &made.index.partition_of
            && let Some(alter) = &after
        {
            self.attached.push((parent.clone(), alter.clone()));
        }
        placed.before.extend(after);
        self.build(placed, table, built);
    }

    /// Builds `index` by `draft`, unless a run that was cut off has built it already.
    fn build(&mut self, mut draft: Draft, table: &QualName, index: Index) {
        if let Some(found) = self.ground.reusable(table, &index) {
            self.reused.insert(found);
            return;
        }
        let was = draft.change.clone();
        draft.change = Change::Create { object: Object::Index(TableIndex { table: table.clone(), index }) };
        draft.manner = Manner::Concurrently;
        self.ground.foresee(&mut draft, &was);
        self.builds = true;
        self.drafts.push(draft);
    }

    pub(super) fn drop_index(&mut self, mut draft: Draft, dropped: &TableIndex) {
        let TableIndex { table, index } = dropped;
        let goes_with_column = index
            .parts
            .iter()
            .filter_map(|each| each.column_name())
            .chain(&index.include)
            .any(|name| self.ground.dropped_columns.contains(&part(table, name)));
        let is_apart = Ground::is_free(&draft)
            && self.ground.is_busy(table)
            && !self.ground.is_partitioned(table)
            && index.partition_of.is_none()
            && !self.ground.is_replaced(&part(table, &index.name));
        if is_apart && !goes_with_column {
            draft.manner = Manner::Concurrently;
            let was = draft.change.clone();
            self.ground.foresee(&mut draft, &was);
        }
        self.drafts.push(draft);
    }

    /// A key takes over an index that was built for it.
    pub(super) fn add_key(&mut self, mut draft: Draft, table: &QualName, constraint: &Constraint, key: &Key) {
        let is_plain = |each: &trueup_schema::IndexPart| {
            each.column_name().is_some_and(|name| *each == trueup_schema::IndexPart::column(name.clone()))
        };
        let is_apart = Ground::is_free(&draft)
            && self.ground.is_busy(table)
            && self.ground.is_single(table)
            && !key.without_overlaps
            && key.columns.iter().all(is_plain);
        let Some(name) = constraint.name.clone().filter(|_| is_apart) else {
            self.drafts.push(draft);
            return;
        };
        let mut index = index_of(constraint, key, name.clone());
        let own = part(table, &name);
        if self.ground.dropped_constraints.contains(&own) || self.ground.is_in_place_of(&own, &index) {
            let Ok(aside) = temporary(table, &name, |name| self.ground.is_fresh_taken(table, name, &index)) else {
                self.drafts.push(draft);
                return;
            };
            index.name = aside;
        }
        draft.manner = Manner::UsingIndex(index.name.clone());
        let create =
            Change::Create { object: Object::Index(TableIndex { table: table.clone(), index: index.clone() }) };
        let mut build = self.ground.draft(create, format!("for constraint `{name}`"), &draft);
        build.before.insert(draft.id());
        Ground::ask_in(&mut draft, &mut build);
        let was = draft.change.clone();
        self.ground.foresee(&mut draft, &was);
        self.drafts.push(draft);
        self.build(build, table, index);
    }
}

impl Ground<'_> {
    /// Whether the name is taken by something that is not `wanted` itself.
    fn is_fresh_taken(&self, table: &QualName, name: &Ident, wanted: &Index) -> bool {
        let named = Index { name: name.clone(), ..wanted.clone() };
        self.is_taken(table, name) && self.reusable(table, &named).is_none()
    }
}
