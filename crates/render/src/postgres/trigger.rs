//! Triggers.

use trueup_plan::Statement;
use trueup_schema::Trigger;

use super::words::{Rendered, run, unsupported};
use crate::RenderError;
use crate::sql::Sql;

/// The trigger, switched as it should be.
pub(super) fn create(trigger: &Trigger) -> Rendered {
    let mut statements = vec![Statement::run(super::words::statement_text(&trigger.definition))];
    if trigger.enabled != "origin" {
        statements.push(enable(trigger)?);
    }
    Ok(statements)
}

pub(super) fn drop(trigger: &Trigger) -> Rendered {
    Ok(vec![run(&Sql::new("DROP TRIGGER").name(&trigger.id.name).words("ON").qualified(&trigger.id.table))])
}

/// The one statement that switches it.
pub(super) fn enable(trigger: &Trigger) -> Result<Statement, RenderError> {
    let words = match trigger.enabled.as_str() {
        "origin" => "ENABLE TRIGGER",
        "disabled" => "DISABLE TRIGGER",
        "replica" => "ENABLE REPLICA TRIGGER",
        "always" => "ENABLE ALWAYS TRIGGER",
        _ => return Err(unsupported(&trigger.id, "a trigger is origin, disabled, replica or always")),
    };
    Ok(run(&Sql::new("ALTER TABLE").qualified(&trigger.id.table).words(words).name(&trigger.id.name)))
}
