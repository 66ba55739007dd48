//! Finds the dependents that are in the way.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::{Carries, Verdict};
use trueup_plan::{Change, Object, OpId};
use trueup_schema::{Column, ObjectRef, PartId, QualName, Schema};

use super::dependents::{Dependent, Dependents};
use super::existing::{Does, existing};
use super::restore::Restore;
use crate::draft::{Draft, DraftPlan};
use crate::graph::{Naming, NodeBuilder, Reader, Site, key_of_index, keys_of};
use crate::inherit::Families;

/// Adds what must make way for the drafts of `plan`, and what brings it back.
pub(crate) fn close(plan: &mut DraftPlan<'_>) {
    let affected = affected(plan);
    if affected.is_empty() {
        return;
    }
    let known = existing(&plan.drafts);
    let mut restore = Restore::new(plan, known);
    for (dependent, causes) in affected {
        restore.one(&dependent, &causes);
    }
    restore.finish();
}

/// A change that dependents may be in the way of, and the operations that brought it in.
struct Root {
    change: Change,
    sites: Vec<Site>,
    /// The table that it writes anew.
    rebuilt: Option<QualName>,
    causes: BTreeSet<OpId>,
    /// It removes its object: a dependent that stops using it in time may stay.
    removes: bool,
    /// It was asked for, not brought in by the closure.
    declared: bool,
}

fn affected(plan: &DraftPlan<'_>) -> BTreeMap<Dependent, BTreeSet<OpId>> {
    let mut open = roots(plan);
    let mut affected = BTreeMap::<Dependent, BTreeSet<OpId>>::new();
    if open.is_empty() {
        return affected;
    }
    let old = Reader { dialect: plan.dialect, schema: &plan.projected };
    let dependents = Dependents::of(old, plan.unmanaged);
    let known = existing(&plan.drafts);
    let mut made = BTreeSet::new();
    for draft in &plan.drafts {
        if let Change::Create { object } = &draft.change
            && let ObjectRef::Table(name) | ObjectRef::View(name) = object.reference()
        {
            made.insert(name);
        }
    }
    let search = Search { plan, dependents, made, known };
    while let Some(root) = open.pop() {
        for dependent in search.in_the_way(&root) {
            let dependent = search.whole(dependent, &root);
            let causes = affected.entry(dependent.clone()).or_default();
            let before = causes.len();
            causes.extend(root.causes.iter().cloned());
            // Each cause travels on once; that also ends rings of dependents.
            if causes.len() > before
                && let Some(next) = search.removal(&dependent, causes.clone())
            {
                open.push(next);
            }
        }
    }
    affected
}

/// Changes of the comparison that remove or alter something.
fn roots(plan: &DraftPlan<'_>) -> Vec<Root> {
    let builder = NodeBuilder {
        old: Reader { dialect: plan.dialect, schema: &plan.projected },
        new: Reader { dialect: plan.dialect, schema: plan.desired },
        naming: Naming::new(plan.dialect, plan.live, &plan.projected, std::iter::empty()),
        families: Families::of(&plan.projected),
    };
    let mut roots = Vec::new();
    for draft in plan.drafts.iter().filter(|draft| !draft.held_back) {
        let sites = sites(&builder, draft);
        let rebuilt = rebuilt(draft);
        if !sites.is_empty() || rebuilt.is_some() {
            let removes =
                matches!(draft.change, Change::Drop { .. } | Change::DropColumn { .. } | Change::DropConstraint { .. });
            let causes = BTreeSet::from([OpId::of(&draft.change)]);
            roots.push(Root { change: draft.change.clone(), sites, rebuilt, causes, removes, declared: true });
        }
    }
    roots
}

fn sites(builder: &NodeBuilder<'_>, draft: &Draft) -> Vec<Site> {
    if matches!(draft.change, Change::Backfill { .. } | Change::Create { .. } | Change::Adopt { .. }) {
        return Vec::new();
    }
    let node = builder.node(draft);
    let mut sites = node.removes;
    sites.extend(node.alters);
    sites.extend(node.renames.map(|(_, to)| Site::Object(to)));
    sites
}

/// The table that is written anew for the change.
fn rebuilt(draft: &Draft) -> Option<QualName> {
    if draft.verdict == Verdict::Rebuild { draft.change.table() } else { None }
}

struct Search<'a, 'p> {
    plan: &'a DraftPlan<'p>,
    dependents: Dependents,
    /// Relations that are made, some of them for the second time.
    made: BTreeSet<QualName>,
    known: BTreeMap<Dependent, Vec<(usize, Does)>>,
}

impl Search<'_, '_> {
    fn in_the_way(&self, root: &Root) -> BTreeSet<Dependent> {
        let mut found = BTreeSet::new();
        for site in &root.sites {
            for dependent in self.dependents.using(site) {
                if self.is_in_the_way(root, site, &dependent) {
                    found.insert(dependent);
                }
            }
            found.extend(self.own_default(root, site));
        }
        if let Some(table) = &root.rebuilt {
            let others = self.dependents.using(&Site::table(table)).into_iter();
            let asked = others.filter(|dependent| dependent.table().as_ref() != Some(table));
            found.extend(asked.filter(|dependent| {
                let reference = dependent.reference(self.plan.unmanaged);
                reference.is_some_and(|reference| self.plan.dialect.in_the_way(&root.change, &reference))
            }));
        }
        found
    }

    fn is_in_the_way(&self, root: &Root, site: &Site, dependent: &Dependent) -> bool {
        let own = root.change.object();
        let Some(reference) = dependent.reference(self.plan.unmanaged) else { return false };
        if reference == own || self.goes_along(root, dependent) || self.is_tied(root, dependent) {
            return false;
        }
        if let (Change::RebuildEnum { columns, .. }, Dependent::Typed(part)) = (&root.change, dependent)
            && columns.iter().any(|each| each.table == part.table && each.column.name == part.name)
        {
            return false;
        }
        let refused = if matches!(root.change, Change::Rename { .. }) {
            // A body that is text names things late. Where the declared text follows the rename, it is replaced as any difference.
            !matches!(reference, ObjectRef::Routine(_))
                && (self.plan.dialect.carries(&root.change, &reference) == Carries::Not
                    || self.stays_behind(root, &reference))
        } else {
            (root.removes && self.is_bound(site, dependent)) || self.plan.dialect.in_the_way(&root.change, &reference)
        };
        refused && !(root.removes && root.declared && self.steps_aside(site, dependent))
    }

    /// Whether it is an index over an expression of the renamed column, on an engine whose expressions do not follow.
    fn stays_behind(&self, root: &Root, dependent: &ObjectRef) -> bool {
        let (Change::Rename { from: ObjectRef::Column(from), .. }, ObjectRef::Index(part)) = (&root.change, dependent)
        else {
            return false;
        };
        let follows = self.plan.dialect.capabilities().rename_under_expressions;
        let index = || {
            let names = [&self.plan.projected, self.plan.live];
            names.into_iter().find_map(|schema| schema.tables.get(&part.table)?.index(&part.name))
        };
        !follows
            && from.table.namespace == part.table.namespace
            && index().is_some_and(|index| index.parts.iter().any(|part| part.column_name().is_none()))
    }

    /// Foreign keys between dropped tables are untied later, where an order of the drops alone does not do.
    fn is_tied(&self, root: &Root, dependent: &Dependent) -> bool {
        matches!(root.change, Change::Drop { object: Object::Table(_) })
            && dependent.is_structural()
            && super::restore::dropped_relation(&self.plan.drafts, &self.known, dependent).is_some()
    }

    /// Rules and indexes cannot outlive what they stand on; a foreign key its target only where the engine lets it.
    fn is_bound(&self, site: &Site, dependent: &Dependent) -> bool {
        let same_table = site.container().is_some() && site.container() == dependent.table().as_ref();
        dependent.is_structural() && (same_table || self.plan.dialect.capabilities().fk_needs_target)
    }

    /// Parts of a dropped table or view go with it, and need not be told to. What hangs on one that is made again comes back by
    /// itself only if it is inside.
    fn goes_along(&self, root: &Root, dependent: &Dependent) -> bool {
        let Change::Drop { object } = &root.change else { return false };
        let (ObjectRef::Table(name) | ObjectRef::View(name)) = object.reference() else { return false };
        if dependent.table().as_ref() != Some(&name) {
            return false;
        }
        let hangs =
            matches!(dependent, Dependent::Object(ObjectRef::Trigger(_) | ObjectRef::Policy(_) | ObjectRef::Opaque(_)));
        !(hangs && (!root.declared || self.made.contains(&name)))
    }

    /// Whether the declaration alters the dependent so that it no longer uses `site`, before that is removed.
    fn steps_aside(&self, site: &Site, dependent: &Dependent) -> bool {
        let altered = self.known.get(dependent).is_some_and(|drafts| {
            drafts.iter().any(|(at, does)| *does == Does::Alters && !self.plan.drafts[*at].held_back)
        });
        altered && !self.desired_uses(dependent).contains(site)
    }

    fn desired_uses(&self, dependent: &Dependent) -> BTreeSet<Site> {
        let reader = Reader { dialect: self.plan.dialect, schema: self.plan.desired };
        let column = |part: &PartId| {
            let table = self.plan.desired.tables.get(&part.table)?;
            table.column(&part.name).map(|column| reader.column(&part.table, column))
        };
        let uses = match dependent {
            Dependent::Object(ObjectRef::Column(part)) | Dependent::Default(part) | Dependent::Typed(part) => {
                column(part).unwrap_or_default()
            }
            Dependent::Object(object) => super::restore::part_uses(reader, object),
            Dependent::Heir(name) => self.plan.desired.tables.get(name).map(Reader::table_alone).unwrap_or_default(),
            Dependent::Unnamed(..) | Dependent::Unmanaged(_) => Vec::new(),
        };
        uses.into_iter().flat_map(|used| used.on.carriers()).collect()
    }

    /// The dropped relation that the dependent goes with, or the dependent itself.
    fn whole(&self, dependent: Dependent, root: &Root) -> Dependent {
        let relation = super::restore::dropped_relation(&self.plan.drafts, &self.known, &dependent);
        let other = relation.filter(|relation| *relation != Dependent::Object(root.change.object()));
        other.unwrap_or(dependent)
    }

    /// The default of a column whose values are converted.
    fn own_default(&self, root: &Root, site: &Site) -> Option<Dependent> {
        let Site::Object(ObjectRef::Column(part)) = site else { return None };
        if !matches!(root.change, Change::AlterColumnType { .. } | Change::RebuildEnum { .. }) {
            return None;
        }
        let column = self.plan.projected.tables.get(&part.table)?.column(&part.name)?;
        if root.change.table().is_some_and(|table| table != part.table && self.follows(&table, part, column)) {
            return None;
        }
        let asked = ObjectRef::Column(part.clone());
        (column.default.is_some() && self.plan.dialect.in_the_way(&root.change, &asked))
            .then(|| Dependent::Default(part.clone()))
    }

    /// Whether an heir's column has the default of its parent's, which goes and comes for both.
    fn follows(&self, parent: &QualName, heir: &PartId, column: &Column) -> bool {
        let of = |schema: &Schema| schema.tables.get(parent).and_then(|table| table.column(&heir.name)).cloned();
        let (live, declared) = (of(&self.plan.projected), of(self.plan.desired));
        live.into_iter().chain(declared).any(|each| each.default == column.default)
    }

    /// The removal of a dependent, for whoever depends on it in turn.
    fn removal(&self, dependent: &Dependent, causes: BTreeSet<OpId>) -> Option<Root> {
        let change = super::restore::removal(&self.plan.projected, dependent)?;
        let site = match dependent {
            Dependent::Object(object) => Site::Object(object.clone()),
            Dependent::Unnamed(table, text) => Site::Unnamed(table.clone(), text.clone()),
            Dependent::Default(_) | Dependent::Typed(_) | Dependent::Heir(_) | Dependent::Unmanaged(_) => return None,
        };
        let mut sites = vec![site];
        if let Change::DropConstraint { table, constraint } = &change {
            sites.extend(keys_of(table, constraint));
        } else if let Change::Drop { object: Object::Index(index) } = &change {
            sites.extend(key_of_index(&index.table, &index.index));
        }
        Some(Root { change, sites, rebuilt: None, causes, removes: true, declared: false })
    }
}
