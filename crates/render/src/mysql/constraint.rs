//! Constraints.

use trueup_schema::{Constraint, ConstraintKind, Deferrable, ForeignKey, Ident};

use super::flavour::Flavour;
use super::index::{key_options, parts};
use super::words::unsupported;
use crate::RenderError;
use crate::sql::Sql;

/// The constraint as CREATE TABLE and ADD take it; none for a check that stands with its column.
pub(super) fn definition(flavour: &Flavour, constraint: &Constraint) -> Result<Option<Sql>, RenderError> {
    if constraint.deferrable != Deferrable::No || !constraint.validated {
        return Err(unsupported(flavour, name(constraint), "constraints are checked at once, on every row"));
    }
    let may_be_off = flavour.not_enforced && matches!(constraint.kind, ConstraintKind::Check { .. });
    if !(constraint.enforced || may_be_off) {
        return Err(unsupported(flavour, name(constraint), "it is always enforced"));
    }
    Ok(Some(match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => {
            let period = constraint.parameters.get("without_overlaps");
            let sql = parts(flavour, Sql::new("PRIMARY KEY"), &key.columns, period)?;
            options(flavour, sql, constraint)?
        }
        ConstraintKind::Unique(key) => {
            let head = Sql::new("UNIQUE KEY");
            let head = constraint.name.iter().fold(head, Sql::name);
            options(flavour, parts(flavour, head, &key.columns, None)?, constraint)?
        }
        ConstraintKind::Check { column: Some(_), .. } => return Ok(None),
        ConstraintKind::Check { expr, .. } => {
            named(constraint).words("CHECK").parenthesised(expr).words_if(!constraint.enforced, "NOT ENFORCED")
        }
        ConstraintKind::ForeignKey(key) => foreign_key(flavour, constraint, key)?,
        ConstraintKind::Exclude { .. } => {
            return Err(unsupported(flavour, name(constraint), "there are no exclusion constraints"));
        }
    }))
}

fn options(flavour: &Flavour, sql: Sql, constraint: &Constraint) -> Result<Sql, RenderError> {
    let mut options = constraint.parameters.clone();
    options.remove("without_overlaps");
    key_options(flavour, sql, &options, constraint.comment.as_deref())
}

fn name(constraint: &Constraint) -> String {
    constraint.name.as_ref().map_or_else(|| trueup_plan::unnamed_constraint(constraint), ToString::to_string)
}

fn named(constraint: &Constraint) -> Sql {
    match &constraint.name {
        Some(name) => Sql::new("CONSTRAINT").name(name),
        None => Sql::default(),
    }
}

fn foreign_key(flavour: &Flavour, constraint: &Constraint, key: &ForeignKey) -> Result<Sql, RenderError> {
    if key.match_type.is_some() || key.period || !key.on_delete_columns.is_empty() {
        return Err(unsupported(
            flavour,
            name(constraint),
            "foreign keys have no MATCH, no period and no column lists",
        ));
    }
    let mut sql = named(constraint).words("FOREIGN KEY").names(&key.columns);
    sql = sql.words("REFERENCES").qualified(&key.references).names(&key.referenced_columns);
    for (word, action) in [("ON DELETE", key.on_delete), ("ON UPDATE", key.on_update)] {
        if action != flavour.silent_action {
            sql = sql.words(word).words(action.sql());
        }
    }
    Ok(sql)
}

/// The action that drops it; none for a check that stands with its column.
pub(super) fn drop(flavour: &Flavour, constraint: &Constraint) -> Result<Option<Sql>, RenderError> {
    let by_name = |words: &'static str| -> Result<Sql, RenderError> {
        let nameless = || unsupported(flavour, name(constraint), "it has no name to drop it by");
        let name: &Ident = constraint.name.as_ref().ok_or_else(nameless)?;
        Ok(Sql::new(words).name(name))
    };
    Ok(Some(match &constraint.kind {
        ConstraintKind::PrimaryKey(_) => Sql::new("DROP PRIMARY KEY"),
        ConstraintKind::Unique(_) => by_name("DROP KEY")?,
        ConstraintKind::Check { column: Some(_), .. } => return Ok(None),
        ConstraintKind::Check { .. } => by_name(flavour.drop_check)?,
        ConstraintKind::ForeignKey(_) => by_name("DROP FOREIGN KEY")?,
        ConstraintKind::Exclude { .. } => {
            return Err(unsupported(flavour, name(constraint), "there are no exclusion constraints"));
        }
    }))
}

/// Whether nothing differs but whether a check is enforced.
pub(super) fn differs_in_enforcement_alone(before: &Constraint, after: &Constraint) -> bool {
    let expr = |constraint: &Constraint| match &constraint.kind {
        ConstraintKind::Check { expr, column: None, .. } => Some(expr.clone()),
        ConstraintKind::Check { .. }
        | ConstraintKind::PrimaryKey(_)
        | ConstraintKind::Unique(_)
        | ConstraintKind::ForeignKey(_)
        | ConstraintKind::Exclude { .. } => None,
    };
    before.enforced != after.enforced
        && before.name == after.name
        && expr(before).is_some()
        && expr(before) == expr(after)
}
