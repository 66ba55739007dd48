//! Options of a table as a whole, as actions of an ALTER TABLE.

use trueup_schema::Parameters;

use trueup_schema::{QualName, Table, TableKind, TableOptions};

use super::words::{ident, option_actions, option_changes, unsupported};
use crate::RenderError;
use crate::sql::Sql;

pub(super) fn actions(before: &Table, after: &Table) -> Result<Vec<Sql>, RenderError> {
    if before.partitioning != after.partitioning {
        return Err(unsupported(&after.name, "how a table is partitioned cannot be changed"));
    }
    let mut actions = foreign(before, after)?;
    let (was, becomes) = (&before.options, &after.options);
    if was.strict != becomes.strict
        || was.without_rowid != becomes.without_rowid
        || was.versioning != becomes.versioning
    {
        return Err(unsupported(&after.name, "it has options of another engine"));
    }
    storage(&mut actions, was, becomes)?;
    actions.extend(option_actions(&was.parameters, &becomes.parameters)?);
    if was.replica_identity != becomes.replica_identity {
        actions.push(replica_identity(becomes.replica_identity.as_deref())?);
    }
    inheritance(&mut actions, &before.inherits, &after.inherits);
    Ok(actions)
}

fn storage(actions: &mut Vec<Sql>, was: &TableOptions, becomes: &TableOptions) -> Result<(), RenderError> {
    if was.unlogged != becomes.unlogged {
        actions.push(Sql::new(if becomes.unlogged { "SET UNLOGGED" } else { "SET LOGGED" }));
    }
    if was.access_method != becomes.access_method {
        let method = match &becomes.access_method {
            Some(method) => method.clone(),
            None => ident("heap")?,
        };
        actions.push(Sql::new("SET ACCESS METHOD").name(&method));
    }
    if was.tablespace != becomes.tablespace {
        let tablespace = match &becomes.tablespace {
            Some(tablespace) => tablespace.clone(),
            None => ident("pg_default")?,
        };
        actions.push(Sql::new("SET TABLESPACE").name(&tablespace));
    }
    Ok(())
}

/// `full`, `nothing`, `index NAME`, or the default.
pub(super) fn replica_identity(identity: Option<&str>) -> Result<Sql, RenderError> {
    let sql = Sql::new("REPLICA IDENTITY");
    match identity {
        None => Ok(sql.words("DEFAULT")),
        Some("full") => Ok(sql.words("FULL")),
        Some("nothing") => Ok(sql.words("NOTHING")),
        Some(other) => match other.strip_prefix("index ") {
            Some(name) => Ok(sql.words("USING INDEX").name(&ident(name)?)),
            None => Err(unsupported(other, "there is no such replica identity")),
        },
    }
}

/// Parents that go, then parents that come, in their order.
fn inheritance(actions: &mut Vec<Sql>, before: &[QualName], after: &[QualName]) {
    for parent in before.iter().filter(|parent| !after.contains(parent)) {
        actions.push(Sql::new("NO INHERIT").qualified(parent));
    }
    for parent in after.iter().filter(|parent| !before.contains(parent)) {
        actions.push(Sql::new("INHERIT").qualified(parent));
    }
}

fn foreign(before: &Table, after: &Table) -> Result<Vec<Sql>, RenderError> {
    match (&before.kind, &after.kind) {
        (TableKind::Ordinary, TableKind::Ordinary) => Ok(Vec::new()),
        (TableKind::Foreign { server: was, options: before }, TableKind::Foreign { server: is, options })
            if was == is =>
        {
            foreign_options(before, options)
        }
        (TableKind::Ordinary | TableKind::Virtual { .. } | TableKind::Foreign { .. }, _) => {
            Err(unsupported(&after.name, "a table keeps its kind and its server"))
        }
    }
}

/// `OPTIONS (…)` of a foreign table or a column of one.
pub(super) fn foreign_options(before: &Parameters, after: &Parameters) -> Result<Vec<Sql>, RenderError> {
    let changes = option_changes(before, after);
    let mut items = Vec::new();
    for name in &changes.reset {
        items.push(Sql::new("DROP").name(&ident(name)?));
    }
    for (name, value) in &changes.set {
        let word = if before.contains_key(name) { "SET" } else { "ADD" };
        items.push(Sql::new(word).name(&ident(name)?).literal(value));
    }
    Ok(if items.is_empty() { Vec::new() } else { vec![Sql::new("OPTIONS").list(items)] })
}
