//! Walks a plan.

use trueup_dialect::Dialect;
use trueup_plan::{
    Budgets, Change, Class, Operation, Plan, Script, ScriptSegment, ScriptStep, Segment, Statement, Step, StepForm,
};

use crate::RenderError;
use crate::renderer::{Renderer, renderer_of};

/// Says `plan` in SQL.
///
/// Segments and steps are taken as they are, never merged or split. A blocked operation becomes a comment in [`Script::blocked`] and
/// empties its step where the step is one statement for several operations; what safe mode holds back renders to nothing.
///
/// # Errors
/// [`RenderError`] if the plan is for another engine or names an operation that it does not list, or if the engine has no words for an
/// operation.
pub fn render(plan: &Plan, dialect: &dyn Dialect) -> Result<Script, RenderError> {
    if plan.dialect != dialect.id() {
        return Err(RenderError::OtherDialect { plan: plan.dialect, dialect: dialect.id() });
    }
    let renderer = renderer_of(dialect)?;
    let mut segments = Vec::with_capacity(plan.segments.len());
    for segment in &plan.segments {
        segments.push(self::segment(plan, segment, renderer.as_ref())?);
    }
    let mut script = Script {
        dialect: plan.dialect,
        plan_hash: plan.hash()?,
        setup: renderer.setup(plan),
        segments,
        teardown: renderer.teardown(plan),
        checks: Vec::new(),
        losses: Vec::new(),
        blocked: Vec::new(),
    };
    for operation in plan.operations.iter().filter(|operation| !operation.held_back) {
        if let Class::Blocked { why, fix, .. } = &operation.class {
            script.blocked.push(format!("blocked: {}: {why}; to do: {fix}", operation.id));
            continue;
        }
        for check in &operation.checks {
            script.checks.push(renderer.check(&operation.id, check)?);
        }
        for probe in &operation.loss {
            script.losses.push(renderer.loss(&operation.id, probe)?);
        }
    }
    Ok(script)
}

fn segment(plan: &Plan, segment: &Segment, renderer: &dyn Renderer) -> Result<ScriptSegment, RenderError> {
    let mut steps = Vec::with_capacity(segment.steps.len());
    for step in &segment.steps {
        steps.push(self::step(plan, step, renderer)?);
    }
    Ok(ScriptSegment { transactional: segment.transactional, steps })
}

fn step(plan: &Plan, step: &Step, renderer: &dyn Renderer) -> Result<ScriptStep, RenderError> {
    let mut operations = Vec::with_capacity(step.operations.len());
    for id in &step.operations {
        operations.push(plan.operation(id).ok_or_else(|| RenderError::UnknownOperation(id.clone()))?);
    }
    Ok(ScriptStep {
        operations: step.operations.clone(),
        statements: statements(&step.form, &operations, renderer)?,
        budgets: budgets(&operations),
    })
}

fn statements(
    form: &StepForm,
    operations: &[&Operation],
    renderer: &dyn Renderer,
) -> Result<Vec<Statement>, RenderError> {
    let runs = |operation: &&&Operation| !operation.held_back && !matches!(operation.class, Class::Blocked { .. });
    let changes: Vec<&Change> = operations.iter().filter(runs).map(|operation| &operation.change).collect();
    let whole = changes.len() == operations.len();
    match form {
        StepForm::Statements => {
            let mut all = Vec::new();
            for change in changes {
                all.extend(renderer.change(change)?);
            }
            Ok(all)
        }
        StepForm::Merged { .. } | StepForm::Rebuild(_) if !whole => Ok(Vec::new()),
        StepForm::Merged { before, after } => renderer.merged(before, after, &changes),
        StepForm::Rebuild(rebuild) => renderer.rebuild(rebuild, &changes),
    }
}

/// The limits of a step: the shortest wait for locks, the longest run; no limit on the run if one operation has none.
fn budgets(operations: &[&Operation]) -> Budgets {
    let lock_ms = operations.iter().filter_map(|operation| operation.budgets.lock_ms).min();
    let statement_ms = operations
        .iter()
        .map(|operation| operation.budgets.statement_ms)
        .collect::<Option<Vec<u64>>>()
        .and_then(|limits| limits.into_iter().max());
    Budgets { lock_ms, statement_ms }
}
