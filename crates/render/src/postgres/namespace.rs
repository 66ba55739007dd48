//! Schemas, as PostgreSQL calls them.

use trueup_schema::Namespace;

use super::words::{Rendered, run, unsupported};
use crate::sql::Sql;

pub(super) fn create(namespace: &Namespace) -> Rendered {
    Ok(vec![run(&Sql::new("CREATE SCHEMA").name(&namespace.name))])
}

pub(super) fn drop(namespace: &Namespace) -> Rendered {
    Ok(vec![run(&Sql::new("DROP SCHEMA").name(&namespace.name))])
}

pub(super) fn alter(before: &Namespace, after: &Namespace) -> Rendered {
    if before.options == after.options {
        Ok(Vec::new())
    } else {
        Err(unsupported(&after.name, "a namespace has no options"))
    }
}
