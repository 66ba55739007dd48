//! Walks a plan.

use std::collections::BTreeMap;

use trueup_dialect::Dialect;
use trueup_plan::{
    Budgets, Change, Class, Leftover, Object, OpId, Operation, Plan, Script, ScriptSegment, ScriptStep, Segment,
    Statement, Step, StepForm,
};
use trueup_schema::Table;

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
    say(plan, renderer_of(dialect).as_ref())
}

/// The statement that makes `table` as it is.
///
/// # Errors
/// [`RenderError`] if the engine has no words for a part of it.
pub fn definition(table: &Table, dialect: &dyn Dialect) -> Result<String, RenderError> {
    let create = Change::Create { object: Object::Table(table.clone()) };
    let statements = renderer_of(dialect).change(&create)?;
    Ok(statements.into_iter().last().map(|statement| statement.sql).unwrap_or_default())
}

/// The statements of a step, and what they may leave.
type Said = (Vec<Statement>, Option<Leftover>);

type Operations<'a> = BTreeMap<&'a OpId, &'a Operation>;

fn say(plan: &Plan, renderer: &dyn Renderer) -> Result<Script, RenderError> {
    let operations: Operations<'_> = plan.operations.iter().map(|operation| (&operation.id, operation)).collect();
    let mut segments = Vec::with_capacity(plan.segments.len());
    for segment in &plan.segments {
        segments.push(self::segment(&operations, segment, renderer)?);
    }
    if let Some(last) = segments.last_mut().and_then(|segment| segment.steps.last_mut()) {
        last.statements.extend(renderer.closing(plan)?);
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

fn segment(all: &Operations<'_>, segment: &Segment, renderer: &dyn Renderer) -> Result<ScriptSegment, RenderError> {
    let mut steps = Vec::with_capacity(segment.steps.len());
    for step in &segment.steps {
        steps.push(self::step(all, step, renderer)?);
    }
    Ok(ScriptSegment { transactional: segment.transactional, steps })
}

fn step(all: &Operations<'_>, step: &Step, renderer: &dyn Renderer) -> Result<ScriptStep, RenderError> {
    let mut operations = Vec::with_capacity(step.operations.len());
    for id in &step.operations {
        operations.push(*all.get(id).ok_or_else(|| RenderError::UnknownOperation(id.clone()))?);
    }
    let (statements, leftover) = statements(step, &operations, renderer)?;
    Ok(ScriptStep { operations: step.operations.clone(), statements, budgets: budgets(&operations), leftover })
}

fn statements(step: &Step, operations: &[&Operation], renderer: &dyn Renderer) -> Result<Said, RenderError> {
    let runs = |operation: &&&Operation| !operation.held_back && !matches!(operation.class, Class::Blocked { .. });
    let changes: Vec<&Change> = operations.iter().filter(runs).map(|operation| &operation.change).collect();
    let whole = changes.len() == operations.len();
    match &step.form {
        StepForm::Statements => {
            let mut all = Vec::new();
            for change in changes {
                all.extend(renderer.change(change)?);
            }
            Ok((all, None))
        }
        StepForm::Merged { .. } | StepForm::Rebuild(_) if !whole => Ok(Said::default()),
        StepForm::Merged { before, after } => Ok((renderer.merged(before, after, &changes, &step.expects)?, None)),
        StepForm::Rebuild(rebuild) => Ok((renderer.rebuild(rebuild, &changes)?, None)),
        StepForm::Concurrently => changes.first().map_or_else(|| Ok(Said::default()), |it| renderer.concurrently(it)),
        StepForm::UsingIndex { index } => {
            let said = changes.first().map(|it| renderer.using_index(it, index)).transpose()?;
            Ok((said.unwrap_or_default(), None))
        }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use trueup_plan::{CheckRule, DataCheck, Effects, LossProbe, Predicate, TxClass};
    use trueup_schema::{Column, DataType, DialectId, Ident, QualName, Table};

    use super::*;
    use crate::postgres::Postgres;

    fn operation(name: &str, class: Class, held_back: bool) -> Operation {
        let table = QualName::parse("app.t").unwrap();
        let name = Ident::new(name).unwrap();
        let column = Column::new(name.clone(), DataType::builtin("text"));
        let change = Change::DropColumn { table: table.clone(), column };
        Operation {
            id: OpId::of(&change),
            change,
            class,
            why: String::new(),
            hazards: Vec::new(),
            checks: vec![DataCheck {
                table: table.clone(),
                key: Vec::new(),
                rule: CheckRule::NotNull { column: name.clone() },
            }],
            loss: vec![LossProbe::Values { table, column: name }],
            needs: BTreeSet::new(),
            cause: BTreeSet::new(),
            tx: TxClass::Inside,
            budgets: Budgets { lock_ms: Some(5), statement_ms: held_back.then_some(7) },
            effects: Effects { pre: Predicate::Undecidable, post: Predicate::Undecidable, partial: None },
            reversible: false,
            provenance: None,
            held_back,
        }
    }

    fn blocked() -> Class {
        Class::Blocked { code: "x".to_owned(), why: "no".to_owned(), fix: "yes".to_owned() }
    }

    fn plan(operations: Vec<Operation>, form: StepForm) -> Plan {
        let step = Step {
            operations: operations.iter().map(|operation| operation.id.clone()).collect(),
            form,
            expects: Vec::new(),
        };
        Plan {
            dialect: DialectId::Postgres,
            from: String::new(),
            to: String::new(),
            operations,
            segments: vec![Segment { transactional: true, steps: vec![step] }],
            refusals: Vec::new(),
            unmanaged: Vec::new(),
            notes: Vec::new(),
            adopts: Vec::new(),
            accepted: Vec::new(),
        }
    }

    fn statements(script: &Script) -> Vec<&str> {
        script.segments[0].steps[0].statements.iter().map(|statement| statement.sql.as_str()).collect()
    }

    fn merged() -> StepForm {
        let table = Box::new(Table::new(QualName::parse("app.t").unwrap()));
        StepForm::Merged { before: table.clone(), after: table }
    }

    #[test]
    fn only_what_runs_becomes_statements() {
        let operations = vec![
            operation("a", Class::Safe, false),
            operation("b", blocked(), false),
            operation("c", Class::Safe, true),
        ];
        let script = say(&plan(operations, StepForm::Statements), &Postgres).unwrap();
        assert_eq!(statements(&script), [r#"ALTER TABLE "app"."t" DROP COLUMN "a""#]);
        assert_eq!(script.blocked, ["blocked: drop-column:app.t.b: no; to do: yes"]);
        assert_eq!((script.checks.len(), script.losses.len()), (1, 1));
        assert_eq!(script.segments[0].steps[0].operations.len(), 3);
        assert_eq!(script.segments[0].steps[0].budgets, Budgets { lock_ms: Some(5), statement_ms: None });
    }

    #[test]
    fn a_merged_step_is_one_statement_or_none() {
        let two = vec![operation("a", Class::Safe, false), operation("b", Class::Safe, false)];
        let script = say(&plan(two, merged()), &Postgres).unwrap();
        assert_eq!(statements(&script), [r#"ALTER TABLE "app"."t" DROP COLUMN "a", DROP COLUMN "b""#]);
        let half = vec![operation("a", Class::Safe, false), operation("b", blocked(), false)];
        let script = say(&plan(half, merged()), &Postgres).unwrap();
        assert!(statements(&script).is_empty());
    }

    #[test]
    fn a_step_cannot_name_what_is_not_there() {
        let mut plan = plan(vec![operation("a", Class::Safe, false)], StepForm::Statements);
        plan.operations.clear();
        assert!(matches!(say(&plan, &Postgres), Err(RenderError::UnknownOperation(_))));
    }

    #[test]
    fn the_hash_is_that_of_the_plan() {
        let plan = plan(vec![operation("a", Class::Safe, false)], StepForm::Statements);
        let script = say(&plan, &Postgres).unwrap();
        assert_eq!(script.plan_hash, plan.hash().unwrap());
        assert_eq!(script, say(&plan, &Postgres).unwrap());
        let again: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
        assert_eq!(script.plan_hash, again.hash().unwrap());
    }
}
