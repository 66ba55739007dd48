//! Which file says what.

use trueup_plan::{
    Change, CheckQuery, DataCheck, Expected, Leftover, LossProbe, LossQuery, Object, OpId, Plan, Rebuild, Statement,
    StepForm,
};
use trueup_schema::{Column, Ident, ObjectRef, QualName, SqlExpr, Table};

use super::flavour::{Flavour, SequenceChange};
use super::words::{Rendered, run, unsupported};
use super::{alter, check, namespace, object, rename, routine, trigger, view};
use crate::RenderError;
use crate::renderer::Renderer;
use crate::sql::{Sql, expr};

/// Speaks for MySQL, or MariaDB.
#[derive(Debug)]
pub(crate) struct MySql(pub(crate) &'static Flavour);

impl Renderer for MySql {
    /// The mode of the session is kept where something is made under another one.
    fn setup(&self, plan: &Plan) -> Vec<Statement> {
        let mode = makes_code(plan).then(trigger::keep_mode);
        let history = alters_history(self.0, plan).then(|| history("KEEP"));
        mode.into_iter().chain(history).collect()
    }

    fn teardown(&self, plan: &Plan) -> Vec<Statement> {
        let mode = makes_code(plan).then(trigger::restore_mode);
        let history = alters_history(self.0, plan).then(|| history("DEFAULT"));
        mode.into_iter().chain(history).collect()
    }

    fn closing(&self, _: &Plan) -> Rendered {
        Ok(Vec::new())
    }

    fn change(&self, change: &Change) -> Rendered {
        let flavour = self.0;
        match change {
            Change::Create { object } => object::create(flavour, object),
            Change::Drop { object } => object::drop(flavour, object),
            Change::Rename { from, to, .. } => rename::rename(flavour, from, to),
            Change::Adopt { .. } => Ok(Vec::new()),
            Change::AlterNamespace { before: _, after } => namespace::alter(flavour, after),
            Change::AlterSequence { before, after } => (flavour.sequence)(SequenceChange::Alter(before, after)),
            Change::AlterTable { before, after } => alter::merged(flavour, before, after, &[change], &[]),
            Change::AddColumn { table, column, .. } => alone(flavour, table, column, change),
            Change::DropColumn { table, .. }
            | Change::AddConstraint { table, .. }
            | Change::DropConstraint { table, .. }
            | Change::AlterConstraint { table, .. }
            | Change::AlterIndex { table, .. } => {
                let table = Table::new(table.clone());
                alter::merged(flavour, &table, &table, &[change], &[])
            }
            Change::AlterColumnType { after: it, .. }
            | Change::SetDefault { after: it, .. }
            | Change::SetNotNull { after: it, .. }
            | Change::DropNotNull { after: it, .. }
            | Change::SetIdentity { after: it, .. }
            | Change::SetGenerated { after: it, .. }
            | Change::SetColumnAttributes { after: it, .. }
            | Change::MoveColumn { column: it, .. } => {
                Err(unsupported(flavour, &it.name, "a column is changed by a step that has the whole table"))
            }
            Change::Backfill { table, column, value } => Ok(vec![backfill(table, column, value)]),
            Change::ReplaceView { after, .. } | Change::AlterView { after, .. } => view::create(flavour, after, true),
            Change::ReplaceRoutine { before, after } => routine::replace(flavour, before, after),
            Change::SetComment { on: ObjectRef::Namespace(name), after, .. } => {
                namespace::comment(name, after.as_deref().unwrap_or_default())
            }
            Change::SetComment { on: ObjectRef::Table(name), .. } => {
                let table = Table::new(name.clone());
                alter::merged(flavour, &table, &table, &[change], &[])
            }
            Change::AlterExtension { .. }
            | Change::AddEnumValue { .. }
            | Change::RebuildEnum { .. }
            | Change::AlterDomain { .. }
            | Change::AlterComposite { .. }
            | Change::SetSequenceOwner { .. }
            | Change::AttachPartition { .. }
            | Change::DetachPartition { .. }
            | Change::SetRowSecurity { .. }
            | Change::ValidateConstraint { .. }
            | Change::SetTriggerEnabled { .. }
            | Change::AlterPolicy { .. }
            | Change::AlterOpaque { .. }
            | Change::SetComment { .. }
            | Change::SetGrants { .. }
            | Change::SetOwner { .. } => Err(unsupported(flavour, change.kind(), "there is no statement for it")),
        }
    }

    fn merged(&self, before: &Table, after: &Table, changes: &[&Change], expects: &[Expected]) -> Rendered {
        alter::merged(self.0, before, after, changes, expects)
    }

    fn concurrently(&self, change: &Change) -> Result<(Vec<Statement>, Option<Leftover>), RenderError> {
        Err(unsupported(self.0, change.kind(), "there are no other words for it beside readers and writers"))
    }

    fn using_index(&self, change: &Change, _: &Ident) -> Result<Vec<Statement>, RenderError> {
        Err(unsupported(self.0, change.kind(), "a key takes over no index"))
    }

    fn rebuild(&self, rebuild: &Rebuild, _: &[&Change]) -> Rendered {
        Err(unsupported(self.0, &rebuild.after.name, "tables are altered in place, never written anew"))
    }

    fn check(&self, operation: &OpId, data_check: &DataCheck) -> Result<CheckQuery, RenderError> {
        check::query(self.0, operation, data_check)
    }

    fn loss(&self, operation: &OpId, probe: &LossProbe) -> Result<LossQuery, RenderError> {
        check::loss(self.0, operation, probe)
    }
}

/// A column behind all others, without the rest of its table.
fn alone(flavour: &Flavour, name: &QualName, column: &Column, change: &Change) -> Rendered {
    let before = Table::new(name.clone());
    let mut after = before.clone();
    after.columns.push(column.clone());
    alter::merged(flavour, &before, &after, &[change], &[])
}

fn backfill(table: &QualName, column: &Column, value: &SqlExpr) -> Statement {
    let sql = Sql::new("UPDATE").qualified(table).words("SET").name(&column.name).words("=").words(expr(value));
    run(&sql.words("WHERE").name(&column.name).words("IS NULL"))
}

/// Whether a table that keeps its history is altered: the history is altered along then, and stays.
fn alters_history(flavour: &Flavour, plan: &Plan) -> bool {
    let mut steps = plan.segments.iter().flat_map(|segment| &segment.steps);
    steps.any(|step| matches!(&step.form, StepForm::Merged { before, .. } if (flavour.is_versioned)(before)))
}

fn history(value: &str) -> Statement {
    Statement::run(format!("SET SESSION system_versioning_alter_history = {value}"))
}

fn makes_code(plan: &Plan) -> bool {
    plan.operations.iter().any(|operation| {
        matches!(
            &operation.change,
            Change::Create { object: Object::Routine(_) | Object::Trigger(_) } | Change::ReplaceRoutine { .. }
        )
    })
}
