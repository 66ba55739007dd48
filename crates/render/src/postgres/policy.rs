//! Row security policies.

use trueup_schema::Policy;

use super::words::{Rendered, role, run, unsupported};
use crate::RenderError;
use crate::sql::Sql;

/// What a policy may be for.
const COMMANDS: [&str; 5] = ["ALL", "SELECT", "INSERT", "UPDATE", "DELETE"];

pub(super) fn create(policy: &Policy) -> Rendered {
    let Some(command) = COMMANDS.into_iter().find(|command| *command == policy.command) else {
        return Err(unsupported(&policy.id, "its command is none that a policy is for"));
    };
    let mut sql = head("CREATE POLICY", policy);
    sql = sql.words_if(policy.restrictive, "AS RESTRICTIVE").words("FOR").words(command);
    Ok(vec![run(&expressions(roles(sql, policy)?, policy))])
}

pub(super) fn drop(policy: &Policy) -> Rendered {
    Ok(vec![run(&head("DROP POLICY", policy))])
}

/// Restates roles and expressions. An expression cannot be taken away in place.
pub(super) fn alter(before: &Policy, after: &Policy) -> Rendered {
    let other = before.restrictive != after.restrictive || before.command != after.command;
    let less = (before.using.is_some() && after.using.is_none()) || (before.check.is_some() && after.check.is_none());
    if other || less {
        return Err(unsupported(&after.id, "only the roles and expressions of a policy can be changed"));
    }
    let mut sql = head("ALTER POLICY", after);
    if before.roles != after.roles {
        sql = roles(sql, after)?;
    }
    if before.using != after.using
        && let Some(using) = &after.using
    {
        sql = sql.words("USING").parenthesised(using);
    }
    if before.check != after.check
        && let Some(check) = &after.check
    {
        sql = sql.words("WITH CHECK").parenthesised(check);
    }
    Ok(vec![run(&sql)])
}

fn head(words: &'static str, policy: &Policy) -> Sql {
    Sql::new(words).name(&policy.id.name).words("ON").qualified(&policy.id.table)
}

fn roles(sql: Sql, policy: &Policy) -> Result<Sql, RenderError> {
    let roles = policy.roles.iter().map(|name| role(name)).collect::<Result<Vec<_>, _>>()?;
    Ok(if roles.is_empty() { sql.words("TO PUBLIC") } else { sql.words("TO").series(roles) })
}

fn expressions(mut sql: Sql, policy: &Policy) -> Sql {
    if let Some(using) = &policy.using {
        sql = sql.words("USING").parenthesised(using);
    }
    if let Some(check) = &policy.check {
        sql = sql.words("WITH CHECK").parenthesised(check);
    }
    sql
}
