//! Which file says what.

use trueup_plan::{
    Change, CheckQuery, DataCheck, Expected, Leftover, LossProbe, LossQuery, Object, OpId, Plan, Rebuild, Statement,
    StepForm,
};
use trueup_schema::{Ident, Table};

use super::words::unsupported;
use super::{check, closing, object, rebuild};
use crate::RenderError;
use crate::renderer::Renderer;

/// Speaks for SQLite.
#[derive(Debug)]
pub(crate) struct Sqlite;

/// DROP TABLE deletes its rows, and what references them with it, while foreign keys are on.
fn drops_tables(plan: &Plan) -> bool {
    let mut steps = plan.segments.iter().flat_map(|segment| &segment.steps);
    let drops = |change: &Change| matches!(change, Change::Drop { object: Object::Table(_) });
    rebuilds(plan)
        || steps.any(|step| step.operations.iter().filter_map(|id| plan.operation(id)).any(|it| drops(&it.change)))
}

fn rebuilds(plan: &Plan) -> bool {
    let mut steps = plan.segments.iter().flat_map(|segment| &segment.steps);
    steps.any(|step| matches!(step.form, StepForm::Rebuild(_)))
}

impl Renderer for Sqlite {
    /// Inside a transaction the setting would be ignored.
    fn setup(&self, plan: &Plan) -> Vec<Statement> {
        if drops_tables(plan) { vec![Statement::run("PRAGMA foreign_keys = OFF")] } else { Vec::new() }
    }

    /// Sessions begin with foreign keys on and renames that follow.
    fn teardown(&self, plan: &Plan) -> Vec<Statement> {
        let mut statements = Vec::new();
        if rebuilds(plan) {
            statements.push(Statement::run("PRAGMA legacy_alter_table = OFF"));
        }
        if drops_tables(plan) {
            statements.push(Statement::run("PRAGMA foreign_keys = ON"));
        }
        statements
    }

    fn closing(&self, plan: &Plan) -> Result<Vec<Statement>, RenderError> {
        closing::statements(plan)
    }

    fn change(&self, change: &Change) -> Result<Vec<Statement>, RenderError> {
        object::change(change)
    }

    fn merged(&self, before: &Table, _: &Table, _: &[&Change], _: &[Expected]) -> Result<Vec<Statement>, RenderError> {
        Err(unsupported(&before.name, "an ALTER does one thing"))
    }

    fn concurrently(&self, change: &Change) -> Result<(Vec<Statement>, Option<Leftover>), RenderError> {
        Err(unsupported(change.kind(), "there are no other words for it beside readers and writers"))
    }

    fn using_index(&self, change: &Change, _: &Ident) -> Result<Vec<Statement>, RenderError> {
        Err(unsupported(change.kind(), "a key takes over no index"))
    }

    fn rebuild(&self, rebuild: &Rebuild, changes: &[&Change]) -> Result<Vec<Statement>, RenderError> {
        rebuild::statements(rebuild, changes)
    }

    fn check(&self, operation: &OpId, check: &DataCheck) -> Result<CheckQuery, RenderError> {
        check::query(operation, check)
    }

    fn loss(&self, operation: &OpId, probe: &LossProbe) -> Result<LossQuery, RenderError> {
        check::loss(operation, probe)
    }
}
