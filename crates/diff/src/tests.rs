//! What planning finds, kind by kind: a schema before, a schema after, and the operations with their classes.

use trueup_plan::{Class, Desired, Live, PlanOptions};
use trueup_schema::Schema;

use crate::diff::draft;
use crate::draft::DraftPlan;
use crate::test_dialect::TestDialect;
use crate::test_schema::{desired, live, schema};

mod effects;
mod kinds;
mod naming;
mod online;
mod order;
mod random;
mod rights;
mod texts;
mod walk;
mod world;

/// One planning, before it runs.
pub(super) struct Case {
    pub(super) dialect: TestDialect,
    pub(super) live: Live,
    pub(super) desired: Desired,
    pub(super) options: PlanOptions,
}

/// A case on the engine that alters in place, where everything live is tracked.
pub(super) fn case(before: &str, after: &str) -> Case {
    let dialect = TestDialect::altering();
    let (before, after) = (schema(dialect.id, before), schema(dialect.id, after));
    of_schemas(dialect, &before, &after)
}

pub(super) fn of_schemas(dialect: TestDialect, before: &Schema, after: &Schema) -> Case {
    let (mut live, desired) = (live(&dialect, before), desired(&dialect, after));
    let objects = live.snapshot.objects().map(|(object, _)| object.clone()).collect();
    live.facts.tracked = Some(trueup_plan::Tracked { objects, pairs: Vec::new() });
    Case { dialect, live, desired, options: PlanOptions::default() }
}

impl Case {
    pub(super) fn plan(&self) -> DraftPlan<'_> {
        draft(&self.live, &self.desired, &self.options, &self.dialect)
    }

    /// Ids with classes, and refusals that belong to no operation.
    pub(super) fn found(&self) -> Vec<String> {
        let plan = self.plan();
        let mut lines: Vec<String> = plan
            .drafts
            .iter()
            .map(|draft| {
                let class = if let Class::Blocked { code, .. } = &draft.class {
                    format!("blocked({code})")
                } else {
                    draft.class.as_str().to_owned()
                };
                let held = if draft.held_back { " held" } else { "" };
                format!("{} {class}{held}", draft.id())
            })
            .collect();
        let refusals = plan.refusals.iter().filter(|refusal| refusal.operation.is_none());
        lines.extend(refusals.map(|refusal| format!("refused {} {}", refusal.code, refusal.object)));
        lines
    }

    /// Carries the whole plan out in memory. Nothing to do where it is refused.
    #[track_caller]
    pub(super) fn prove(&self) {
        let plan = crate::diff(&self.live, &self.desired, &self.options, &self.dialect);
        if !plan.refusals.is_empty() {
            return;
        }
        let mut schema = self.live.snapshot.schema().clone();
        for operation in &plan.operations {
            let done = crate::interpret(&mut schema, &operation.change);
            assert!(done.is_ok(), "{}: {done:?}", operation.id);
        }
        let reached = trueup_snapshot::Snapshot::of(&schema, &self.dialect).unwrap();
        assert_eq!(reached.root(), self.desired.snapshot.root(), "{:?}", self.found());
    }

    pub(super) fn rename(mut self, from: trueup_schema::ObjectRef, to: &str) -> Self {
        let to = crate::test_schema::ident(to);
        self.desired.hints.renames.push(trueup_plan::RenameHint { from, to, source: None });
        self
    }

    pub(super) fn option(mut self, set: impl FnOnce(&mut PlanOptions)) -> Self {
        set(&mut self.options);
        self
    }
}

/// Plans `before` to `after` and compares what is found with `expected`.
#[track_caller]
pub(super) fn check(before: &str, after: &str, expected: &[&str]) {
    let case = case(before, after);
    assert_eq!(case.found(), expected, "{before}  →  {after}");
    case.prove();
}
