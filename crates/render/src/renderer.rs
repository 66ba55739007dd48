//! What each engine's folder must be able to say.

use trueup_dialect::Dialect;
use trueup_plan::{
    Change, CheckQuery, DataCheck, Expected, Leftover, LossProbe, LossQuery, OpId, Plan, Rebuild, Statement,
};
use trueup_schema::{DialectId, Ident, Table};

use crate::{RenderError, mariadb, mysql, postgres, sqlite};

/// One engine's words. No method has a default body.
pub(crate) trait Renderer {
    /// Session settings that the plan's statements rely on, outside any transaction.
    fn setup(&self, plan: &Plan) -> Vec<Statement>;

    /// What puts them back.
    fn teardown(&self, plan: &Plan) -> Vec<Statement>;

    /// What is asked and cleared away once every step is done: the end of the last one.
    fn closing(&self, plan: &Plan) -> Result<Vec<Statement>, RenderError>;

    /// The statements of one operation that stands by itself.
    ///
    /// An object that is created brings everything that its value holds: parts, comments, owner, privileges. What another operation of
    /// the plan does is not in the value.
    fn change(&self, change: &Change) -> Result<Vec<Statement>, RenderError>;

    /// The statements of operations on one table that go together, in as few ALTERs as the engine takes: one. It asserts what the plan
    /// expects of it.
    fn merged(
        &self,
        before: &Table,
        after: &Table,
        changes: &[&Change],
        expects: &[Expected],
    ) -> Result<Vec<Statement>, RenderError>;

    /// The statement that builds or drops an index beside readers and writers, and what it may leave.
    fn concurrently(&self, change: &Change) -> Result<(Vec<Statement>, Option<Leftover>), RenderError>;

    /// The statement that makes a key of an index that is there.
    fn using_index(&self, change: &Change, index: &Ident) -> Result<Vec<Statement>, RenderError>;

    /// The statements that write a table anew. `changes` are what the rebuild absorbs.
    fn rebuild(&self, rebuild: &Rebuild, changes: &[&Change]) -> Result<Vec<Statement>, RenderError>;

    /// The question of one data check.
    fn check(&self, operation: &OpId, check: &DataCheck) -> Result<CheckQuery, RenderError>;

    /// The count of one loss probe.
    fn loss(&self, operation: &OpId, probe: &LossProbe) -> Result<LossQuery, RenderError>;
}

/// The one place that knows which folder speaks for which engine.
pub(crate) fn renderer_of(dialect: &dyn Dialect) -> Box<dyn Renderer> {
    match dialect.id() {
        DialectId::Postgres => Box::new(postgres::Postgres),
        DialectId::Sqlite => Box::new(sqlite::Sqlite),
        DialectId::MySql => Box::new(mysql::MySql(&mysql::MYSQL)),
        DialectId::MariaDb => Box::new(mysql::MySql(&mariadb::MARIADB)),
    }
}
