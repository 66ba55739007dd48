//! Functions, procedures and aggregates: their definitions are statements.

use trueup_plan::{Flavor, Statement};
use trueup_schema::{Routine, RoutineId};

use super::words::{Rendered, run};
use crate::sql::Sql;

pub(super) fn create(routine: &Routine) -> Rendered {
    Ok(vec![Statement::run(super::words::statement_text(&routine.definition))])
}

pub(super) fn drop(routine: &Routine) -> Rendered {
    Ok(vec![run(&Sql::new("DROP").then(target(&routine.id, routine.kind.into())))])
}

/// `FUNCTION name (arguments)`.
pub(super) fn target(id: &RoutineId, flavor: Flavor) -> Sql {
    let aggregate = flavor == Flavor::Aggregate;
    let word = match flavor {
        Flavor::Procedure => "PROCEDURE",
        Flavor::Aggregate => "AGGREGATE",
        Flavor::Plain | Flavor::Materialized | Flavor::View | Flavor::Domain | Flavor::Foreign | Flavor::Composite => {
            "FUNCTION"
        }
    };
    // An aggregate over nothing takes a star.
    let arguments = if aggregate && id.arguments.is_empty() { "*" } else { id.arguments.as_str() };
    Sql::new(word).qualified(&id.name).words(format!("({arguments})"))
}
