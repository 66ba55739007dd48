//! Extensions.

use trueup_schema::Extension;

use super::words::{Rendered, run};
use crate::sql::Sql;

pub(super) fn create(extension: &Extension) -> Rendered {
    let mut sql = Sql::new("CREATE EXTENSION").name(&extension.name);
    if let Some(namespace) = &extension.namespace {
        sql = sql.words("WITH SCHEMA").name(namespace);
    }
    if let Some(version) = &extension.version {
        sql = sql.words("VERSION").literal(version);
    }
    Ok(vec![run(&sql)])
}

pub(super) fn drop(extension: &Extension) -> Rendered {
    Ok(vec![run(&Sql::new("DROP EXTENSION").name(&extension.name))])
}

/// A side that names no namespace, or no version, leaves it to the server.
pub(super) fn alter(before: &Extension, after: &Extension) -> Rendered {
    let alter = || Sql::new("ALTER EXTENSION").name(&after.name);
    let mut statements = Vec::new();
    if let (Some(was), Some(becomes)) = (&before.namespace, &after.namespace)
        && was != becomes
    {
        statements.push(run(&alter().words("SET SCHEMA").name(becomes)));
    }
    if let Some(version) = &after.version
        && before.version.as_ref() != Some(version)
    {
        statements.push(run(&alter().words("UPDATE TO").literal(version)));
    }
    Ok(statements)
}
