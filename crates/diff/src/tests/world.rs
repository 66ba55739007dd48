//! Carries a plan out in memory and looks at every step: the first oracle.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Dialect;
use trueup_plan::{Change, Desired, Object, OpId, Plan, Predicate, StepForm};
use trueup_schema::{ConstraintKind, Ident, ObjectRef, Schema, Strength, View};
use trueup_snapshot::Snapshot;

use super::Case;
use crate::graph::{Reader, Site, Use, key_of_index, keys_of};
use crate::{diff, interpret, project};

impl Case {
    pub(super) fn planned(&self) -> Plan {
        diff(&self.live, &self.desired, &self.options, &self.dialect)
    }

    /// The steps, each as its operations joined by `+`, segments apart by `---`.
    pub(super) fn steps(&self) -> Vec<String> {
        let plan = self.planned();
        assert_eq!(plan.refusals, [], "refused");
        let mut lines = Vec::new();
        for segment in &plan.segments {
            if !lines.is_empty() {
                lines.push("---".to_owned());
            }
            for step in &segment.steps {
                lines.push(step.operations.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + "));
            }
        }
        self.carry_out(&plan);
        lines
    }

    /// Codes of refusals with what they are about.
    pub(super) fn refusals(&self) -> Vec<String> {
        let plan = self.planned();
        plan.refusals.iter().map(|refusal| format!("{} {}", refusal.code, refusal.object)).collect()
    }

    /// Runs the plan and compares what comes out with what was declared.
    pub(super) fn carry_out(&self, plan: &Plan) {
        carry_out(plan, self.live.snapshot.schema(), &self.desired, &self.dialect);
    }
}

/// Runs the plan and compares what comes out with what was declared.
pub(super) fn carry_out(plan: &Plan, live: &Schema, desired: &Desired, dialect: &dyn Dialect) {
    let end = run(plan, live, desired.snapshot.schema(), dialect);
    let end = Snapshot::of(&end, dialect).unwrap();
    let held: BTreeSet<ObjectRef> = plan
        .operations
        .iter()
        .filter(|operation| operation.held_back)
        .map(|operation| operation.change.object().owner())
        .collect();
    if held.is_empty() && plan.unmanaged.is_empty() {
        let differing: Vec<_> = desired
            .snapshot
            .objects()
            .filter(|(object, _)| !end.same_object(&desired.snapshot, object))
            .map(|(object, _)| object.clone())
            .collect();
        let ids: Vec<_> = plan.operations.iter().map(|each| each.id.to_string()).collect();
        let sides = [end.schema(), desired.snapshot.schema()].map(|side| side.tables.values().collect::<Vec<_>>());
        assert!(differing.is_empty(), "not as declared: {differing:?}\n{ids:#?}\n{sides:#?}");
        assert_eq!(end.root(), desired.snapshot.root());
    }
}

/// Runs every step of `plan` on `live`.
pub(super) fn run(plan: &Plan, live: &Schema, desired: &Schema, dialect: &dyn Dialect) -> Schema {
    let mut schema = live.clone();
    let mut done = BTreeSet::<OpId>::new();
    // What either side lacks itself is no fault of the order.
    let lacking: BTreeSet<String> = [live, desired].iter().flat_map(|side| missing(side, dialect)).collect();
    let operations: BTreeMap<_, _> = plan.operations.iter().map(|each| (each.id.clone(), each)).collect();
    assert_eq!(operations.len(), plan.operations.len(), "ids are unique");
    for step in plan.segments.iter().flat_map(|segment| &segment.steps) {
        for id in &step.operations {
            let operation = operations[id];
            for need in &operation.needs {
                assert!(done.contains(need), "{id} runs before {need}, which it needs");
            }
            let pre = operation.effects.pre.holds(&schema);
            assert!(expected(&operation.effects.pre, pre), "before {id}: {pre:?} {:#?}", operation.effects.pre);
            if let Change::Rename { .. } = operation.change {
                project::carry(&mut schema, &operation.change, dialect).unwrap();
            } else {
                interpret(&mut schema, &operation.change).unwrap_or_else(|error| panic!("{id}: {error}"));
            }
            if let StepForm::UsingIndex { index } = &step.form {
                take_over(&mut schema, &operation.change, index);
            }
            let post = operation.effects.post.holds(&schema);
            assert!(expected(&operation.effects.post, post), "after {id}: {post:?} {:#?}", operation.effects.post);
            assert_ne!(
                (operation.effects.pre.holds(&schema), post),
                (Some(true), Some(true)),
                "{id}: before and after look alike"
            );
            assert!(done.insert(id.clone()), "{id} is in two steps");
        }
        let mut missing = missing(&schema, dialect);
        missing.retain(|each| !lacking.contains(each));
        assert!(missing.is_empty(), "after {:?}: {missing:?}", step.operations);
    }
    let kept = plan.operations.iter().filter(|each| !each.held_back).count();
    assert_eq!(done.len(), kept, "every operation is in a step");
    schema
}

/// A key takes an index over: unique, and on the same columns.
fn take_over(schema: &mut Schema, change: &Change, index: &Ident) {
    let Change::AddConstraint { table, constraint } = change else { panic!("{change:?} takes over no index") };
    let table = schema.tables.get_mut(table).unwrap();
    let found = table.index(index).unwrap_or_else(|| panic!("no index {index}"));
    let keys = keys_of(&table.name, constraint);
    assert!(keys.contains(&key_of_index(&table.name, found).unwrap()), "{found:?} is not {constraint:?}");
    table.indexes.retain(|each| each.name != *index);
}

fn expected(predicate: &Predicate, found: Option<bool>) -> bool {
    found == Some(true) || (*predicate == Predicate::Undecidable && found.is_none())
}

/// What objects need for sure and is not there.
pub(super) fn missing(schema: &Schema, dialect: &dyn Dialect) -> Vec<String> {
    let reader = Reader { dialect, schema };
    let mut missing = Vec::new();
    let mut check = |who: String, uses: Vec<Use>| {
        for used in uses {
            if used.strength == Strength::Hard && !is_there(schema, &used.on) {
                missing.push(format!("{who} needs {:?}", used.on));
            }
        }
    };
    for table in schema.tables.values() {
        check(table.name.to_string(), reader.table(table));
        for constraint in &table.constraints {
            check(format!("{} {:?}", table.name, constraint.name), reader.constraint(&table.name, constraint));
        }
        for index in &table.indexes {
            check(format!("{}.{}", table.name, index.name), reader.index(&table.name, index));
        }
        for column in &table.columns {
            check(format!("{}.{}", table.name, column.name), reader.column(&table.name, column));
        }
    }
    // Engines that look names up late leave a view as it is while what it reads is away.
    let looks_now = |view: &View| {
        let drop = Change::Drop { object: Object::View(view.clone()) };
        dialect.in_the_way(&drop, &ObjectRef::View(view.name.clone()))
    };
    for view in schema.views.values().filter(|view| looks_now(view)) {
        check(view.name.to_string(), reader.view(view));
    }
    for trigger in schema.triggers.values() {
        check(trigger.id.to_string(), reader.object(&Object::Trigger(trigger.clone())));
    }
    for sequence in schema.sequences.values() {
        if let Some(owner) = &sequence.owned_by {
            check(sequence.name.to_string(), vec![Use::hard(Site::column(&owner.table, &owner.name))]);
        }
    }
    missing
}

fn is_there(schema: &Schema, site: &Site) -> bool {
    match site {
        Site::Object(object) => Predicate::Present(object.clone()).holds(schema) == Some(true),
        Site::Key(table, _) | Site::PrimaryKey(table) => schema.tables.get(table).is_some_and(|table| {
            let keys = table.constraints.iter().flat_map(|each| keys_of(&table.name, each));
            let indexes = table.indexes.iter().filter_map(|each| key_of_index(&table.name, each));
            keys.chain(indexes).any(|key| key == *site)
        }),
        Site::Unnamed(table, _) => schema.tables.get(table).is_some_and(|table| {
            table.constraints.iter().any(|each| matches!(each.kind, ConstraintKind::Check { .. }))
        }),
        Site::Label(..) | Site::Owner(_) => true,
    }
}
