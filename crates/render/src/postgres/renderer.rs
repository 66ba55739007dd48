//! Which file says what.

use trueup_dialect::Dialect;
use trueup_plan::{Change, CheckQuery, DataCheck, LossProbe, LossQuery, OpId, Plan, Rebuild, Statement};
use trueup_schema::{DialectId, Table};

use crate::RenderError;
use crate::renderer::Renderer;

/// Speaks for PostgreSQL.
#[derive(Debug)]
pub(crate) struct Postgres<'a> {
    dialect: &'a dyn Dialect,
}

impl<'a> Postgres<'a> {
    pub(crate) const fn new(dialect: &'a dyn Dialect) -> Self {
        Self { dialect }
    }
}

fn missing(subject: String) -> RenderError {
    RenderError::Unsupported { dialect: DialectId::Postgres, subject, why: "not written yet" }
}

impl Renderer for Postgres<'_> {
    fn setup(&self, _: &Plan) -> Vec<Statement> {
        Vec::new()
    }

    fn teardown(&self, _: &Plan) -> Vec<Statement> {
        Vec::new()
    }

    fn change(&self, change: &Change) -> Result<Vec<Statement>, RenderError> {
        Err(missing(change.kind()))
    }

    fn merged(&self, before: &Table, _: &Table, _: &[&Change]) -> Result<Vec<Statement>, RenderError> {
        Err(missing(format!("{} ({})", before.name, self.dialect.id())))
    }

    fn rebuild(&self, rebuild: &Rebuild, _: &[&Change]) -> Result<Vec<Statement>, RenderError> {
        Err(missing(rebuild.after.name.to_string()))
    }

    fn check(&self, operation: &OpId, _: &DataCheck) -> Result<CheckQuery, RenderError> {
        Err(missing(operation.to_string()))
    }

    fn loss(&self, operation: &OpId, _: &LossProbe) -> Result<LossQuery, RenderError> {
        Err(missing(operation.to_string()))
    }
}
