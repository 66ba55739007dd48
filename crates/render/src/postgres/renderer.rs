//! Which file says what.

use trueup_plan::{
    AttributeChange, Change, CheckQuery, DataCheck, DomainChange, Expected, Leftover, LossProbe, LossQuery, Object,
    OpId, Plan, Rebuild, Statement,
};
use trueup_schema::{Ident, Table};

use super::words::{Rendered, run, unsupported};
use super::{
    check, column, comment, constraint, domain, enums, extension, grant, index, namespace, object, opaque, owner,
    policy, rename, routine, sequence, table, trigger, types, view,
};
use crate::RenderError;
use crate::renderer::Renderer;
use crate::sql::Sql;

/// Speaks for PostgreSQL.
#[derive(Debug)]
pub(crate) struct Postgres;

impl Renderer for Postgres {
    /// The texts of a plan mean what the server printed under an empty search path. Bodies are not looked into while what they name may
    /// not be there yet.
    fn setup(&self, plan: &Plan) -> Vec<Statement> {
        let mut statements =
            vec![Statement::run("SET search_path = ''"), Statement::run("SET standard_conforming_strings = on")];
        if makes_routines(plan) {
            statements.push(Statement::run("SET check_function_bodies = off"));
        }
        statements
    }

    /// The search path and the rule for strings are those of every session of ours already.
    fn teardown(&self, plan: &Plan) -> Vec<Statement> {
        if makes_routines(plan) { vec![Statement::run("RESET check_function_bodies")] } else { Vec::new() }
    }

    fn closing(&self, _: &Plan) -> Rendered {
        Ok(Vec::new())
    }

    fn concurrently(&self, change: &Change) -> Result<(Vec<Statement>, Option<Leftover>), RenderError> {
        if let Change::Create { object: Object::Index(it) } = change {
            return Ok((vec![index::create_concurrently(it)?], Some(index::leftover(it))));
        }
        if let Change::Drop { object: Object::Index(it) } = change {
            return Ok((vec![index::drop_concurrently(it)], None));
        }
        Err(unsupported(change.kind(), "only an index is built or dropped beside readers and writers"))
    }

    fn using_index(&self, change: &Change, index: &Ident) -> Rendered {
        let Change::AddConstraint { table, constraint: it } = change else {
            return Err(unsupported(change.kind(), "only a key takes over an index"));
        };
        let mut statements =
            vec![run(&Sql::new("ALTER TABLE").qualified(table).then(constraint::using_index(it, index)?))];
        statements.extend(comment::of_constraint(table, it));
        Ok(statements)
    }

    fn change(&self, change: &Change) -> Rendered {
        match change {
            Change::Create { object } => object::create(object),
            Change::Drop { object } => object::drop(object),
            Change::Rename { from, to, flavor } => rename::rename(from, to, *flavor),
            Change::Adopt { .. } => Ok(Vec::new()),
            Change::AlterNamespace { before, after } => namespace::alter(before, after),
            Change::AlterExtension { before, after } => extension::alter(before, after),
            Change::AddEnumValue { name, value, position } => enums::add_value(name, value, position),
            Change::RebuildEnum { before, after, columns } => enums::rebuild(before, after, columns),
            Change::AlterDomain { name, change } => domain_change(name, change),
            Change::AlterComposite { name, change } => composite_change(name, change),
            Change::AlterSequence { before, after } => sequence::alter(before, after),
            Change::SetSequenceOwner { name, before: _, after, resumes } => {
                sequence::set_owner(name, after.as_ref(), *resumes)
            }
            Change::AlterTable { after, .. } => alter_table(change, &after.name),
            Change::AttachPartition { table, partition_of } => table::attach(table, partition_of),
            Change::DetachPartition { table, partition_of } => table::detach(table, partition_of),
            Change::SetRowSecurity { table, .. }
            | Change::AddColumn { table, .. }
            | Change::DropColumn { table, .. }
            | Change::AlterColumnType { table, .. }
            | Change::SetDefault { table, .. }
            | Change::SetNotNull { table, .. }
            | Change::DropNotNull { table, .. }
            | Change::SetIdentity { table, .. }
            | Change::SetGenerated { table, .. }
            | Change::SetColumnAttributes { table, .. }
            | Change::AddConstraint { table, .. }
            | Change::DropConstraint { table, .. }
            | Change::ValidateConstraint { table, .. }
            | Change::AlterConstraint { table, .. } => alter_table(change, table),
            Change::MoveColumn { column, .. } => Err(unsupported(&column.name, "columns cannot be moved")),
            Change::Backfill { table, column, value } => column::backfill(table, column, value),
            Change::AlterIndex { table, before, after } => index::alter(table, before, after),
            Change::ReplaceView { after, .. } => view::replace(after),
            Change::AlterView { before, after } => view::alter(before, after),
            Change::ReplaceRoutine { after, .. } => routine::create(after),
            Change::SetTriggerEnabled { after, .. } => Ok(vec![trigger::enable(after)?]),
            Change::AlterPolicy { before, after } => policy::alter(before, after),
            Change::AlterOpaque { before, after } => opaque::alter(before, after),
            Change::SetComment { on, flavor, before: _, after } => comment::set(on, *flavor, after.as_deref()),
            Change::SetGrants { on, flavor, before, after, owner } => {
                grant::set(on, *flavor, before.as_deref(), after.as_deref(), owner.as_ref())
            }
            Change::SetOwner { on, flavor, before: _, after } => owner::set(on, *flavor, after),
        }
    }

    fn merged(&self, _: &Table, after: &Table, changes: &[&Change], _: &[Expected]) -> Rendered {
        table::merged(&after.name, changes)
    }

    fn rebuild(&self, rebuild: &Rebuild, _: &[&Change]) -> Rendered {
        Err(unsupported(&rebuild.after.name, "tables are altered in place, never written anew"))
    }

    fn check(&self, operation: &OpId, data_check: &DataCheck) -> Result<CheckQuery, RenderError> {
        check::query(operation, data_check)
    }

    fn loss(&self, operation: &OpId, probe: &LossProbe) -> Result<LossQuery, RenderError> {
        Ok(check::loss(operation, probe))
    }
}

fn alter_table(change: &Change, name: &trueup_schema::QualName) -> Rendered {
    match table::actions(change)? {
        Some(actions) => Ok(actions.statements(name)),
        None => Err(unsupported(change.kind(), "it is no part of an ALTER TABLE")),
    }
}

/// A check that is added brings its comment.
fn domain_change(name: &trueup_schema::QualName, change: &DomainChange) -> Rendered {
    let mut statements = domain::alter(name, change)?;
    if let DomainChange::AddCheck(check) = change
        && let Some(text) = &check.comment
    {
        let target = Sql::new("CONSTRAINT").name(&check.name).words("ON DOMAIN").qualified(name);
        statements.push(comment::statement(target, Some(text)));
    }
    Ok(statements)
}

/// An attribute that is added brings its comment.
fn composite_change(name: &trueup_schema::QualName, change: &AttributeChange) -> Rendered {
    let mut statements = types::alter_composite(name, change)?;
    if let AttributeChange::Add(attribute) = change {
        statements.extend(comment::of_column(name, &attribute.name, attribute.comment.as_deref()));
    }
    Ok(statements)
}

fn makes_routines(plan: &Plan) -> bool {
    plan.operations.iter().any(|operation| {
        matches!(&operation.change, Change::Create { object: Object::Routine(_) } | Change::ReplaceRoutine { .. })
    })
}
