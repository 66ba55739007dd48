//! Running the statements of a script.

use trueup_plan::{Budgets, OpId, ScriptStep, Statement};
use trueup_schema::DialectId;
use trueup_session::{DbError, Row, Session, Value};

use crate::error::{RunState, StepFailure};

/// What stopped a step.
pub(crate) struct Stopped {
    number: usize,
    of: usize,
    sql: String,
    assertion: Option<String>,
    source: Option<DbError>,
}

impl Stopped {
    /// The error, once it is known what the run's end leaves.
    pub(crate) fn into_failure(self, operation: OpId, state: RunState) -> Box<StepFailure> {
        let next = if state.is_rolled_back {
            "remove the cause, then run `trueup apply` again"
        } else {
            "remove the cause, then run `trueup apply` again: it first settles what this step did"
        };
        Box::new(StepFailure {
            operation,
            number: self.number,
            of: self.of,
            sql: self.sql,
            assertion: self.assertion,
            state,
            next: next.to_owned(),
            source: self.source,
        })
    }
}

/// Runs one statement; a question must be answered with true.
async fn run(session: &mut dyn Session, statement: &Statement) -> Result<Result<(), String>, DbError> {
    let Some(message) = &statement.assert else {
        return session.execute(&statement.sql).await.map(|_| Ok(()));
    };
    let rows = session.query(&statement.sql, &[]).await?;
    let is_true = rows.first().is_some_and(|row| row.bool(0).unwrap_or(false));
    Ok(if is_true { Ok(()) } else { Err(message.clone()) })
}

/// Runs `statements` in order and returns how many ran.
pub(crate) async fn run_all(session: &mut dyn Session, statements: &[Statement]) -> Result<usize, Stopped> {
    let of = statements.len();
    for (at, statement) in statements.iter().enumerate() {
        let stopped = |assertion, source| Stopped { number: at + 1, of, sql: statement.sql.clone(), assertion, source };
        match run(session, statement).await {
            Ok(Ok(())) => {}
            Ok(Err(message)) => return Err(stopped(Some(message), None)),
            Err(error) => return Err(stopped(None, Some(error))),
        }
    }
    Ok(of)
}

/// The first operation of a step.
pub(crate) fn first_operation(step: &ScriptStep) -> OpId {
    step.operations.first().cloned().unwrap_or_else(|| OpId("step".to_owned()))
}

/// Time limits in force, so that they are only set when they change.
#[derive(Debug, Default)]
pub(crate) struct Limits(Budgets);

impl Limits {
    /// Puts `budgets` in force: for the open transaction, or for the session outside of one.
    pub(crate) async fn set(&mut self, session: &mut dyn Session, budgets: Budgets) -> Result<(), DbError> {
        let local = if session.in_transaction() { "LOCAL " } else { "" };
        match session.server().dialect {
            DialectId::Postgres => {
                for (name, before, after) in [
                    ("lock_timeout", self.0.lock_ms, budgets.lock_ms),
                    ("statement_timeout", self.0.statement_ms, budgets.statement_ms),
                ] {
                    if before != after {
                        session.execute(&format!("SET {local}{name} = {}", after.unwrap_or(0))).await?;
                    }
                }
            }
            // Whole seconds; it is the wait for the table's definition that counts.
            DialectId::MySql | DialectId::MariaDb if self.0.lock_ms != budgets.lock_ms => {
                let value = budgets.lock_ms.map_or("DEFAULT".to_owned(), |ms| ms.div_ceil(1000).max(1).to_string());
                session.execute(&format!("SET SESSION lock_wait_timeout = {value}")).await?;
            }
            DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => {}
        }
        self.0 = budgets;
        Ok(())
    }

    /// No limits any more.
    pub(crate) async fn lift(&mut self, session: &mut dyn Session) -> Result<(), DbError> {
        self.set(session, Budgets::default()).await
    }
}

/// Puts the settings of `statements` in force, inside the lock. On SQLite one that is in force already is not run again, and
/// one that did not take (some do nothing inside a transaction, and say nothing) is an error.
pub(crate) async fn set_up(session: &mut dyn Session, statements: &[Statement]) -> Result<usize, Stopped> {
    let mut ran = 0;
    for (at, statement) in statements.iter().enumerate() {
        let stopped = |assertion, source| Stopped {
            number: at + 1,
            of: statements.len(),
            sql: statement.sql.clone(),
            assertion,
            source,
        };
        let pragma = match session.server().dialect {
            DialectId::Sqlite => pragma(&statement.sql),
            DialectId::Postgres | DialectId::MySql | DialectId::MariaDb => None,
        };
        let Some((name, wanted)) = pragma else {
            match run(session, statement).await {
                Ok(Ok(())) => ran += 1,
                Ok(Err(message)) => return Err(stopped(Some(message), None)),
                Err(error) => return Err(stopped(None, Some(error))),
            }
            continue;
        };
        let failed = |error| stopped(None, Some(error));
        if is_set(session, &name, &wanted).await.map_err(failed)? {
            continue;
        }
        session.query(&statement.sql, &[]).await.map_err(failed)?;
        ran += 1;
        if !is_set(session, &name, &wanted).await.map_err(failed)? {
            return Err(stopped(Some("the setting did not take".to_owned()), None));
        }
    }
    Ok(ran)
}

/// Puts the settings back. It is tried for all of them; a failure is only reported.
pub(crate) async fn tear_down(session: &mut dyn Session, statements: &[Statement]) {
    for statement in statements {
        // A pragma may answer, so it is a query.
        if let Err(error) = session.query(&statement.sql, &[]).await {
            tracing::warn!(error = &error as &dyn std::error::Error, sql = %statement.sql, "a setting was not put back");
        }
    }
}

async fn is_set(session: &mut dyn Session, name: &str, wanted: &str) -> Result<bool, DbError> {
    let rows = session.query(&format!("PRAGMA {name}"), &[]).await?;
    let value = match rows.first().and_then(|row: &Row| row.get(0)) {
        Some(Value::Int(number)) => number.to_string(),
        Some(Value::Text(text)) => text.to_ascii_lowercase(),
        _ => return Ok(false),
    };
    Ok(value == wanted)
}

/// Name and value of `PRAGMA name = value`, the value as the engine prints it.
fn pragma(sql: &str) -> Option<(String, String)> {
    let mut words = sql.trim().splitn(2, char::is_whitespace);
    if !words.next()?.eq_ignore_ascii_case("pragma") {
        return None;
    }
    let (name, value) = words.next()?.split_once('=')?;
    let value = value.trim().trim_end_matches(';').trim_end().to_ascii_lowercase();
    let value = match value.as_str() {
        "on" | "true" | "yes" => "1".to_owned(),
        "off" | "false" | "no" => "0".to_owned(),
        _ => value,
    };
    Some((name.trim().to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pragma_is_read() {
        let read = |sql| pragma(sql).map(|(name, value)| format!("{name} {value}"));
        assert_eq!(read("PRAGMA foreign_keys = OFF").as_deref(), Some("foreign_keys 0"));
        assert_eq!(read("pragma legacy_alter_table=on;").as_deref(), Some("legacy_alter_table 1"));
        assert_eq!(read("PRAGMA foreign_key_check"), None);
        assert_eq!(read("SELECT 1 = 1"), None);
    }
}
