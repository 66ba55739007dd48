//! Functions and procedures: their definitions are statements.

use trueup_dialect::mysql;
use trueup_plan::Statement;
use trueup_schema::{Routine, RoutineKind, SqlExpr};

use super::flavour::Flavour;
use super::trigger::under_mode;
use super::words::{Rendered, relation, use_namespace};

pub(super) fn create(flavour: &Flavour, routine: &Routine) -> Rendered {
    made(flavour, routine, &routine.definition)
}

fn made(flavour: &Flavour, routine: &Routine, definition: &SqlExpr) -> Rendered {
    let mut statements = use_namespace(routine.id.name.namespace.as_ref());
    statements.extend(under_mode(flavour, definition, &routine.settings)?);
    Ok(statements)
}

/// In one statement where the server can, else by dropping it first.
pub(super) fn replace(flavour: &Flavour, before: &Routine, after: &Routine) -> Rendered {
    if flavour.replaces_routines
        && before.kind == after.kind
        && let Some(definition) = or_replace(&after.definition)
    {
        return made(flavour, after, &definition);
    }
    let mut statements = drop(before)?;
    statements.extend(create(flavour, after)?);
    Ok(statements)
}

/// `CREATE OR REPLACE …` for `CREATE …`.
fn or_replace(definition: &SqlExpr) -> Option<SqlExpr> {
    let list = mysql::tokens(definition.as_str());
    let first = list.iter().position(trueup_dialect::Token::is_solid)?;
    if !list[first].is_word("CREATE") {
        return None;
    }
    let rest: String = list[first + 1..].iter().map(|token| token.text.as_str()).collect();
    let says_it = list[first + 1..].iter().find(|token| token.is_solid()).is_some_and(|token| token.is_word("OR"));
    Some(if says_it { definition.clone() } else { SqlExpr::new(format!("CREATE OR REPLACE{rest}")) })
}

pub(super) fn drop(routine: &Routine) -> Rendered {
    let word = match routine.kind {
        RoutineKind::Procedure => "PROCEDURE",
        RoutineKind::Function | RoutineKind::Aggregate => "FUNCTION",
    };
    Ok(vec![Statement::run(format!("DROP {word} {}", relation(&routine.id.name)))])
}
