//! Triggers, and what is made under a mode of its own.

use trueup_schema::Parameters;

use trueup_plan::Statement;
use trueup_schema::{SqlExpr, Trigger};

use super::flavour::Flavour;
use super::words::{Rendered, literal, quoted, statement_text, unsupported, use_namespace};
use crate::RenderError;

pub(super) fn create(flavour: &Flavour, trigger: &Trigger) -> Rendered {
    if trigger.enabled != "origin" {
        return Err(unsupported(flavour, &trigger.id, "triggers are always on"));
    }
    let mut statements = use_namespace(trigger.id.table.namespace.as_ref());
    statements.extend(under_mode(flavour, &trigger.definition, &trigger.settings)?);
    Ok(statements)
}

pub(super) fn drop(trigger: &Trigger) -> Rendered {
    let name = match &trigger.id.table.namespace {
        Some(namespace) => format!("{}.{}", quoted(namespace), quoted(&trigger.id.name)),
        None => quoted(&trigger.id.name),
    };
    Ok(vec![Statement::run(format!("DROP TRIGGER {name}"))])
}

/// A statement under the mode that its object runs under. The mode of the session is kept in a variable by the script's setup.
pub(super) fn under_mode(
    flavour: &Flavour,
    sql: &SqlExpr,
    settings: &Parameters,
) -> Result<Vec<Statement>, RenderError> {
    if let Some(other) = settings.keys().find(|name| *name != "sql_mode") {
        return Err(unsupported(flavour, other, "objects keep no such setting"));
    }
    let statement = Statement::run(statement_text(sql));
    Ok(match settings.get("sql_mode") {
        Some(mode) => vec![set_mode(mode), statement, restore_mode()],
        None => vec![statement],
    })
}

fn set_mode(mode: &str) -> Statement {
    Statement::run(format!("SET SESSION sql_mode = {}", literal(mode)))
}

/// Keeps the mode of the session.
pub(super) fn keep_mode() -> Statement {
    Statement::run("SET @trueup_sql_mode = @@SESSION.sql_mode")
}

/// Puts the mode of the session back.
pub(super) fn restore_mode() -> Statement {
    Statement::run("SET SESSION sql_mode = @trueup_sql_mode")
}
