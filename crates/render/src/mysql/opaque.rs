//! Objects that are kept as the statements that make them: events.

use trueup_plan::Statement;
use trueup_schema::Opaque;

use super::words::{Rendered, statement_text, use_namespace};

pub(super) fn create(opaque: &Opaque) -> Rendered {
    let mut statements = use_namespace(opaque.id.namespace.as_ref());
    statements.extend(opaque.create.iter().map(|text| Statement::run(statement_text(text))));
    Ok(statements)
}

pub(super) fn drop(opaque: &Opaque) -> Rendered {
    let mut statements = use_namespace(opaque.id.namespace.as_ref());
    statements.push(Statement::run(statement_text(&opaque.drop)));
    Ok(statements)
}
