//! Walks the ordered steps over an in-memory schema and writes the plan down.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::{Tables, TypeChange};
use trueup_plan::{
    Budgets, Change, Class, Desired, Effects, Expected, Hazard, Live, Object, OpId, Operation, Plan, Predicate,
    Refusal, Segment, Step, StepForm, TxClass,
};
use trueup_schema::{ObjectRef, QualName, Schema};

use super::rebuild::{Namers, rebuild, temporary};
use super::units::Form;
use crate::draft::{Draft, DraftPlan};
use crate::effects::effects;
use crate::graph::{Node, Site};
use crate::interpret::{altered, interpret, with};
use crate::online::Manner;
use crate::{project, spelling};

/// A step: its drafts in order, how it is carried out, its slot.
pub(super) type Placed = (Vec<usize>, Form, usize);

/// What the walk works on.
pub(super) struct Finish<'a, 'p> {
    plan: DraftPlan<'p>,
    live: &'a Live,
    desired: &'a Desired,
    nodes: Vec<Node>,
    /// The schema after the steps so far.
    schema: Schema,
    ids: Vec<OpId>,
    made: BTreeSet<QualName>,
    any_algorithm: bool,
}

impl<'a, 'p> Finish<'a, 'p> {
    pub(super) fn new(
        plan: DraftPlan<'p>,
        live: &'a Live,
        desired: &'a Desired,
        nodes: Vec<Node>,
        any_algorithm: bool,
    ) -> Self {
        let ids = plan.drafts.iter().map(|draft| OpId::of(&draft.change)).collect();
        // without a draft there is nothing to carry out
        let mut schema = if plan.drafts.is_empty() { Schema::new(plan.live.dialect) } else { plan.live.clone() };
        spelling::align(&mut schema, plan.desired, plan.dialect);
        let mut made = BTreeSet::new();
        for draft in &plan.drafts {
            if let Change::Create { object: Object::Table(table) } = &draft.change {
                made.insert(table.name.clone());
            }
        }
        Self { plan, live, desired, nodes, schema, ids, made, any_algorithm }
    }

    /// The plan of these steps.
    pub(super) fn plan(mut self, steps: Vec<Placed>, needs: &mut BTreeMap<usize, BTreeSet<usize>>) -> Plan {
        let from = self.from();
        let to = self.desired.snapshot.root().to_string();
        let namers = if steps.iter().any(|(_, form, _)| *form == Form::Rebuild) {
            Namers::of(&self.plan)
        } else {
            Namers::default()
        };
        let mut operations = Vec::with_capacity(self.ids.len());
        let mut segments: Vec<(usize, Segment)> = Vec::new();
        for (drafts, form, slot) in steps {
            let step = self.step(&drafts, form, &format!("{from}\n{to}"), &namers);
            operations.extend(drafts.iter().map(|at| self.operation(*at, needs)));
            let alone = slot % 2 == 1;
            let transactional = !alone || drafts.iter().all(|at| self.tx(*at) == TxClass::Alone);
            match segments.last_mut() {
                Some((last, segment)) if *last == slot && !alone => segment.steps.push(step),
                _ => segments.push((slot, Segment { transactional, steps: vec![step] })),
            }
        }
        let held: Vec<usize> = (0..self.ids.len()).filter(|at| self.plan.drafts[*at].held_back).collect();
        operations.extend(held.into_iter().map(|at| self.operation(at, needs)));
        let segments = segments.into_iter().map(|(_, segment)| segment).collect();
        let (dialect, facts) = (self.plan.dialect, &self.live.facts);
        let segments = super::room::cut(segments, &operations, dialect, facts, &mut self.plan.notes);
        let mut unmanaged = self.plan.unmanaged.to_vec();
        unmanaged.append(&mut self.plan.undeclared);
        let mut refusals = self.plan.refusals;
        refusals.sort();
        refusals.dedup();
        Plan {
            dialect: self.plan.dialect.id(),
            from,
            to,
            operations,
            segments,
            refusals,
            unmanaged,
            notes: self.plan.notes,
            adopts: self.plan.adopts,
            accepted: self.plan.accepted,
        }
    }

    fn tx(&self, at: usize) -> TxClass {
        self.plan.drafts[at].tx(self.plan.dialect)
    }

    /// Carries a step out in memory and says how it is carried out for real.
    fn step(&mut self, drafts: &[usize], form: Form, seed: &str, namers: &Namers) -> Step {
        let operations = drafts.iter().map(|at| self.ids[*at].clone()).collect();
        let table = drafts.iter().find_map(|at| self.plan.drafts[*at].change.table());
        let before = table.as_ref().and_then(|name| self.schema.tables.get(name)).cloned();
        for at in drafts {
            self.carry_out(*at);
        }
        let after = table.as_ref().and_then(|name| self.schema.tables.get(name)).cloned();
        let form = match (form, table, before, after) {
            (Form::Merged, _, Some(before), Some(after)) => {
                StepForm::Merged { before: Box::new(before), after: Box::new(after) }
            }
            (Form::Rebuild, Some(name), Some(before), Some(after)) => {
                match temporary(&self.plan, seed, &name, &self.schema) {
                    Ok(aside) => {
                        let changes: Vec<Change> =
                            drafts.iter().map(|at| self.plan.drafts[*at].change.clone()).collect();
                        let both = (before, after);
                        let rebuild = rebuild(self.plan.dialect, namers, &self.schema, both, &changes, aside);
                        StepForm::Rebuild(Box::new(rebuild))
                    }
                    Err(error) => {
                        self.misfit(drafts.first().copied(), &error.to_string());
                        StepForm::Statements
                    }
                }
            }
            (Form::Single | Form::Merged | Form::Rebuild, ..) => self.alone(drafts),
        };
        let expects = self.expects(drafts, &form);
        Step { operations, form, expects }
    }

    /// How a step of one operation is carried out.
    fn alone(&self, drafts: &[usize]) -> StepForm {
        match drafts.first().map(|at| &self.plan.drafts[*at].manner) {
            Some(Manner::Concurrently) => StepForm::Concurrently,
            Some(Manner::UsingIndex(index)) => StepForm::UsingIndex { index: index.clone() },
            Some(Manner::Usual | Manner::Apart) | None => StepForm::Statements,
        }
    }

    /// What the step's ALTER is to assert.
    fn expects(&self, drafts: &[usize], form: &StepForm) -> Vec<Expected> {
        let StepForm::Merged { before, after } = form else { return Vec::new() };
        if self.any_algorithm {
            return Vec::new();
        }
        let is_empty = self.made.contains(&before.name) || self.plan.facts.is_empty(&before.name);
        let changes: Vec<&Change> = drafts.iter().map(|at| &self.plan.drafts[*at].change).collect();
        self.plan.dialect.expects(&changes, Tables { before: Some(before), after: Some(after) }, is_empty)
    }

    /// Applies one draft to the schema. What a change restates of its object is what is there at that moment, but for the one
    /// respect that it changes.
    fn carry_out(&mut self, at: usize) {
        self.rebase(at);
        let change = &self.plan.drafts[at].change;
        let done = if is_carried(change) {
            project::carry(&mut self.schema, change, self.plan.dialect).map_err(|error| error.to_string())
        } else {
            interpret(&mut self.schema, change).map_err(|error| error.to_string())
        };
        if let (Manner::UsingIndex(index), Some(table)) = (&self.plan.drafts[at].manner, change.table())
            && let Some(table) = self.schema.tables.get_mut(&table)
        {
            table.indexes.retain(|each| each.name != *index);
        }
        if let Change::AlterTable { after, .. } = &mut self.plan.drafts[at].change
            && let Some(there) = self.schema.tables.get(&after.name)
        {
            *after = there.clone();
        }
        if let Err(error) = done {
            self.misfit(Some(at), &error);
        }
    }

    fn rebase(&mut self, at: usize) {
        let change = &self.plan.drafts[at].change;
        let there = altered(change)
            .and_then(|(table, after)| self.schema.tables.get(table)?.column(&after.name).cloned())
            .map(|before| (with(&before, change), before));
        let change = &mut self.plan.drafts[at].change;
        if let Change::AlterTable { before, .. } = change {
            if let Some(there) = self.schema.tables.get(&before.name) {
                *before = there.clone();
            }
        } else if let (
            Some((next, there)),
            Change::AlterColumnType { before, after, .. }
            | Change::SetDefault { before, after, .. }
            | Change::SetNotNull { before, after, .. }
            | Change::DropNotNull { before, after, .. }
            | Change::SetIdentity { before, after, .. }
            | Change::SetGenerated { before, after, .. }
            | Change::SetColumnAttributes { before, after, .. },
        ) = (there, change)
        {
            *before = there;
            *after = next;
        }
    }

    /// A change that does not fit is a fault of planning. It is said, unless the plan is refused for another reason anyway.
    fn misfit(&mut self, at: Option<usize>, why: &str) {
        if !self.plan.refusals.is_empty() {
            return;
        }
        let id = at.map(|at| self.ids[at].clone());
        self.plan.refusals.push(Refusal {
            code: "inconsistent-plan".to_owned(),
            object: id.as_ref().map(ToString::to_string).unwrap_or_default(),
            operation: id,
            why: format!("the plan does not work out: {why}"),
            fix: "make the change in two runs, and report this".to_owned(),
        });
    }

    fn operation(&self, at: usize, needs: &mut BTreeMap<usize, BTreeSet<usize>>) -> Operation {
        let draft = &self.plan.drafts[at];
        let is_new = draft.change.table().is_some_and(|table| self.made.contains(&table));
        let needs = needs.remove(&at).unwrap_or_default();
        let mut hazards = draft.hazards.clone();
        hazards.sort();
        hazards.dedup();
        let budgets = self.budgets(draft, is_new, &hazards);
        Operation {
            id: self.ids[at].clone(),
            class: draft.class.clone(),
            why: draft.why.clone(),
            hazards,
            checks: draft.checks.clone(),
            loss: draft.loss.clone(),
            needs: needs.into_iter().map(|each| self.ids[each].clone()).collect(),
            cause: draft.cause.clone(),
            tx: draft.tx(self.plan.dialect),
            budgets,
            effects: self.effects(draft),
            reversible: self.is_reversible(&draft.change, &draft.class),
            provenance: draft.provenance.clone(),
            held_back: draft.held_back,
            change: draft.change.clone(),
        }
    }

    /// What waits for a lock that nobody queues behind may wait.
    fn budgets(&self, draft: &Draft, is_new: bool, hazards: &[Hazard]) -> Budgets {
        let budgets = match draft.manner {
            Manner::Usual | Manner::UsingIndex(_) => self.plan.dialect.budgets(&draft.change, is_new, hazards),
            Manner::Concurrently | Manner::Apart => Budgets::default(),
        };
        Budgets { statement_ms: budgets.statement_ms.filter(|_| !self.any_algorithm), ..budgets }
    }

    /// An index that is built outside of a transaction may be left half-way.
    fn effects(&self, draft: &Draft) -> Effects {
        let effects = effects(&draft.change);
        if let (Manner::Concurrently, Change::Create { object }) = (&draft.manner, &draft.change) {
            let whole = Predicate::Object(Box::new(object.clone()));
            let there = Predicate::Present(object.reference());
            let partial = Predicate::All(vec![there, Predicate::Not(Box::new(whole))]);
            return Effects { partial: Some(partial), ..effects };
        }
        effects
    }

    /// Whether going back loses nothing that was there before.
    fn is_reversible(&self, change: &Change, class: &Class) -> bool {
        if matches!(class, Class::Lossy { .. } | Class::Blocked { .. }) {
            return false;
        }
        match change {
            Change::Drop { object } => !matches!(object, Object::Table(_) | Object::Sequence(_)),
            Change::AlterColumnType { before, after, .. } => matches!(
                self.plan.dialect.type_change(after, before, None, self.plan.facts),
                TypeChange::Keeps { .. } | TypeChange::Guarded { .. }
            ),
            // A label can't be taken away again, old values of a column are gone, an older version of an extension may not exist.
            Change::AddEnumValue { .. }
            | Change::Backfill { .. }
            | Change::AlterExtension { .. }
            | Change::DropColumn { .. } => false,
            Change::Create { .. }
            | Change::Rename { .. }
            | Change::Adopt { .. }
            | Change::AlterNamespace { .. }
            | Change::RebuildEnum { .. }
            | Change::AlterDomain { .. }
            | Change::AlterComposite { .. }
            | Change::AlterSequence { .. }
            | Change::SetSequenceOwner { .. }
            | Change::AlterTable { .. }
            | Change::AttachPartition { .. }
            | Change::DetachPartition { .. }
            | Change::SetRowSecurity { .. }
            | Change::AddColumn { .. }
            | Change::SetDefault { .. }
            | Change::SetNotNull { .. }
            | Change::DropNotNull { .. }
            | Change::SetIdentity { .. }
            | Change::SetGenerated { .. }
            | Change::SetColumnAttributes { .. }
            | Change::MoveColumn { .. }
            | Change::AddConstraint { .. }
            | Change::DropConstraint { .. }
            | Change::ValidateConstraint { .. }
            | Change::AlterConstraint { .. }
            | Change::AlterIndex { .. }
            | Change::ReplaceView { .. }
            | Change::AlterView { .. }
            | Change::ReplaceRoutine { .. }
            | Change::SetTriggerEnabled { .. }
            | Change::AlterPolicy { .. }
            | Change::AlterOpaque { .. }
            | Change::SetComment { .. }
            | Change::SetGrants { .. }
            | Change::SetOwner { .. } => true,
        }
    }

    /// The fingerprint of what the plan touches or reads, as it is.
    fn from(&self) -> String {
        let mut touched = BTreeSet::new();
        let mut relations = BTreeSet::new();
        for (node, draft) in self.nodes.iter().zip(&self.plan.drafts) {
            let used = node.old.iter().chain(&node.new).map(|used| &used.on);
            for site in used.chain(&node.makes).chain(&node.removes).chain(&node.alters) {
                relations.extend(site.container().or_else(|| site.relation()).cloned());
                if let Site::Object(object) = site {
                    touched.insert(object.owner());
                }
            }
            touched.insert(draft.change.object().owner());
            if let Some((from, _)) = &node.renames {
                touched.insert(from.owner());
            }
        }
        let within = |object: &ObjectRef| {
            let site = Site::Object(object.clone());
            let relation = site.container().or_else(|| site.relation());
            touched.contains(object) || relation.is_some_and(|name| relations.contains(name))
        };
        self.live.snapshot.fingerprint_of(within).to_string()
    }
}

/// Whether texts follow a rename.
fn is_carried(change: &Change) -> bool {
    matches!(
        change,
        Change::Rename {
            from: ObjectRef::Namespace(_)
                | ObjectRef::Table(_)
                | ObjectRef::View(_)
                | ObjectRef::Type(_)
                | ObjectRef::Sequence(_)
                | ObjectRef::Column(_)
                | ObjectRef::Constraint(_)
                | ObjectRef::Index(_),
            ..
        }
    )
}
