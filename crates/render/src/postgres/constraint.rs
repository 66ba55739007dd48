//! Constraints of tables.

use trueup_schema::{Constraint, ConstraintKind, Deferrable, FkAction, ForeignKey, Ident, IndexKey, Key};

use super::words::{parameters, unsupported};
use crate::RenderError;
use crate::sql::Sql;

/// The definition, as CREATE TABLE takes it. NOT VALID is not part of it: there it would be ignored.
pub(super) fn definition(constraint: &Constraint) -> Result<Sql, RenderError> {
    let mut sql = Sql::default();
    if let Some(name) = &constraint.name {
        sql = sql.words("CONSTRAINT").name(name);
    }
    sql = match &constraint.kind {
        ConstraintKind::PrimaryKey(it) => key(sql.words("PRIMARY KEY"), it, constraint)?,
        ConstraintKind::Unique(it) => {
            key(sql.words("UNIQUE").words_if(it.nulls_not_distinct, "NULLS NOT DISTINCT"), it, constraint)?
        }
        ConstraintKind::Check { expr, no_inherit, column: _ } => {
            sql.words("CHECK").parenthesised(expr).words_if(*no_inherit, "NO INHERIT")
        }
        ConstraintKind::ForeignKey(it) => foreign_key(sql, it, constraint)?,
        ConstraintKind::Exclude { definition } => sql.words("EXCLUDE").expr(definition),
    };
    sql = sql.words(deferrable(constraint.deferrable, ""));
    Ok(sql.words_if(!constraint.enforced, "NOT ENFORCED"))
}

/// Whether rows that are there may break it. A constraint that is not enforced is never valid and needs no word for it.
pub(super) const fn is_not_valid(constraint: &Constraint) -> bool {
    !constraint.validated && constraint.enforced
}

/// The action that adds it to a table.
pub(super) fn add(constraint: &Constraint) -> Result<Sql, RenderError> {
    let sql = Sql::new("ADD").then(definition(constraint)?);
    Ok(sql.words_if(is_not_valid(constraint), "NOT VALID"))
}

/// The action that makes a key of an index that is there. What it is over, and whether NULLs differ, says the index.
pub(super) fn using_index(constraint: &Constraint, index: &Ident) -> Result<Sql, RenderError> {
    let word = match &constraint.kind {
        ConstraintKind::PrimaryKey(_) => "PRIMARY KEY",
        ConstraintKind::Unique(_) => "UNIQUE",
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) | ConstraintKind::Exclude { .. } => {
            return Err(unsupported(trueup_plan::unnamed_constraint(constraint), "only a key takes over an index"));
        }
    };
    let sql = Sql::new("ADD CONSTRAINT").name(name(constraint)?).words(word).words("USING INDEX").name(index);
    Ok(sql.words(deferrable(constraint.deferrable, "")))
}

/// The action that drops it.
pub(super) fn drop(constraint: &Constraint) -> Result<Sql, RenderError> {
    Ok(Sql::new("DROP CONSTRAINT").name(name(constraint)?))
}

/// The action that looks at the rows that it has not seen.
pub(super) fn validate(constraint: &Constraint) -> Result<Sql, RenderError> {
    Ok(Sql::new("VALIDATE CONSTRAINT").name(name(constraint)?))
}

/// Only when it is checked, and whether.
pub(super) fn alter(before: &Constraint, after: &Constraint) -> Result<Sql, RenderError> {
    let mut same = before.clone();
    same.deferrable = after.deferrable;
    same.enforced = after.enforced;
    same.validated = after.validated;
    same.comment.clone_from(&after.comment);
    same.depends_on.clone_from(&after.depends_on);
    if same != *after {
        return Err(unsupported(name(after)?, "a constraint keeps its definition"));
    }
    let mut sql = Sql::new("ALTER CONSTRAINT").name(name(after)?);
    if before.deferrable != after.deferrable {
        sql = sql.words(deferrable(after.deferrable, "NOT DEFERRABLE"));
    }
    if before.enforced != after.enforced {
        sql = sql.words(if after.enforced { "ENFORCED" } else { "NOT ENFORCED" });
    }
    Ok(sql)
}

fn name(constraint: &Constraint) -> Result<&Ident, RenderError> {
    constraint
        .name
        .as_ref()
        .ok_or_else(|| unsupported(trueup_plan::unnamed_constraint(constraint), "the constraint has no name"))
}

const fn deferrable(when: Deferrable, no: &'static str) -> &'static str {
    match when {
        Deferrable::No => no,
        Deferrable::InitiallyImmediate => "DEFERRABLE INITIALLY IMMEDIATE",
        Deferrable::InitiallyDeferred => "DEFERRABLE INITIALLY DEFERRED",
    }
}

fn key(sql: Sql, key: &Key, constraint: &Constraint) -> Result<Sql, RenderError> {
    let mut parts = Vec::with_capacity(key.columns.len());
    for (at, part) in key.columns.iter().enumerate() {
        let IndexKey::Column(column) = &part.key else {
            return Err(unsupported(trueup_plan::unnamed_constraint(constraint), "a key has columns, not expressions"));
        };
        let last = at + 1 == key.columns.len();
        parts.push(Sql::default().name(column).words_if(last && key.without_overlaps, "WITHOUT OVERLAPS"));
    }
    let mut sql = sql.list(parts);
    if !key.include.is_empty() {
        sql = sql.words("INCLUDE").names(&key.include);
    }
    if constraint.parameters.is_empty() { Ok(sql) } else { parameters(sql.words("WITH"), &constraint.parameters) }
}

fn foreign_key(sql: Sql, key: &ForeignKey, constraint: &Constraint) -> Result<Sql, RenderError> {
    let columns = |names: &[Ident]| -> Vec<Sql> {
        let last = names.len();
        let column =
            |(at, name): (usize, &Ident)| Sql::new(if key.period && at + 1 == last { "PERIOD" } else { "" }).name(name);
        names.iter().enumerate().map(column).collect()
    };
    let mut sql = sql.words("FOREIGN KEY").list(columns(&key.columns));
    sql = sql.words("REFERENCES").qualified(&key.references);
    if !key.referenced_columns.is_empty() {
        sql = sql.list(columns(&key.referenced_columns));
    }
    sql = match key.match_type.as_deref() {
        None | Some("SIMPLE") => sql,
        Some("FULL") => sql.words("MATCH FULL"),
        Some(_) => {
            return Err(unsupported(
                trueup_plan::unnamed_constraint(constraint),
                "only MATCH FULL and MATCH SIMPLE exist",
            ));
        }
    };
    if key.on_update != FkAction::NoAction {
        sql = sql.words("ON UPDATE").words(key.on_update.sql());
    }
    if key.on_delete != FkAction::NoAction {
        sql = sql.words("ON DELETE").words(key.on_delete.sql());
        if !key.on_delete_columns.is_empty() {
            sql = sql.names(&key.on_delete_columns);
        }
    }
    Ok(sql)
}
