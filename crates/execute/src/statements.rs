//! Running the statements of a script.

use std::time::Duration;

use trueup_plan::{Budgets, OpId, ScriptStep, Statement};
use trueup_schema::DialectId;
use trueup_session::{Clock, DbError, DbErrorKind, Row, Session, Value};

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
    /// How many statements ran before it.
    pub(crate) const fn ran(&self) -> usize {
        self.number - 1
    }

    /// What the server said.
    pub(crate) const fn cause(&self) -> Option<&DbError> {
        self.source.as_ref()
    }

    /// The error, once it is known what the run's end leaves.
    pub(crate) fn into_failure(self, operation: OpId, state: RunState) -> Box<StepFailure> {
        let is_slow = |error: &DbError| error.kind == DbErrorKind::StatementTimeout;
        let next = if state.is_rolled_back && self.source.as_ref().is_some_and(is_slow) {
            "it took longer than was foreseen, or somebody stopped it; remove the cause and run `trueup apply` again, or choose a \
             quiet hour and run `trueup apply --any-algorithm`, which sets no limit"
        } else if self.source.as_ref().is_some_and(is_dearer) {
            "nothing was done: the server would need more than was foreseen; choose a quiet hour and run \
             `trueup apply --any-algorithm`"
        } else if state.is_rolled_back {
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

/// Whether the server refused to carry an ALTER out in the way that the statement asserts.
fn is_dearer(error: &DbError) -> bool {
    matches!(error.vendor_code, Some(1845 | 1846))
}

/// Runs one statement; a question must be answered with true.
async fn run(session: &mut dyn Session, statement: &Statement) -> Result<Result<(), String>, DbError> {
    let Some(message) = &statement.assert else {
        let mut ran = session.execute(&statement.sql).await;
        for sql in &statement.instead {
            match &ran {
                Err(error) if is_dearer(error) => {
                    tracing::warn!(%error, sql, "the server needs more than was foreseen");
                    ran = session.execute(sql).await;
                }
                Ok(_) | Err(_) => break,
            }
        }
        return ran.map(|_| Ok(()));
    };
    let rows = session.query(&statement.sql, &[]).await?;
    let is_true = rows.first().is_some_and(|row| row.bool(0).unwrap_or(false));
    Ok(if is_true { Ok(()) } else { Err(message.clone()) })
}

/// Runs one statement within `limit`, where the server has no limit of its own for it: it is asked to stop then.
async fn within(
    session: &mut dyn Session,
    statement: &Statement,
    limit: Option<Duration>,
    clock: &dyn Clock,
) -> Result<Result<(), String>, DbError> {
    let Some(limit) = limit else { return run(session, statement).await };
    let handle = session.cancel_handle();
    let done = {
        let work = run(session, statement);
        tokio::pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = clock.sleep(limit) => {}
        }
        let (done, asked) = tokio::join!(work, handle.cancel());
        if let Err(error) = asked {
            tracing::warn!(error = &error as &dyn std::error::Error, sql = %statement.sql, "a statement was not stopped");
        }
        done
    };
    // A request that came too late must not stop the next one.
    if done.is_ok()
        && let Err(error) = session.execute("DO 0").await
        && error.kind != DbErrorKind::StatementTimeout
    {
        return Err(error);
    }
    done
}

/// Runs `statements` in order from the one after the first `from` on.
pub(crate) async fn run_from(
    session: &mut dyn Session,
    statements: &[Statement],
    from: usize,
    limit: Option<Duration>,
    clock: &dyn Clock,
) -> Result<(), Stopped> {
    let of = statements.len();
    for (at, statement) in statements.iter().enumerate().skip(from) {
        let stopped = |assertion, source| Stopped { number: at + 1, of, sql: statement.sql.clone(), assertion, source };
        match within(session, statement, limit, clock).await {
            Ok(Ok(())) => {}
            Ok(Err(message)) => return Err(stopped(Some(message), None)),
            Err(error) => return Err(stopped(None, Some(error))),
        }
    }
    Ok(())
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
            dialect @ (DialectId::MySql | DialectId::MariaDb) => {
                if let Some(sql) = limits(dialect, self.0, budgets) {
                    session.execute(&sql).await?;
                }
            }
            DialectId::Sqlite => {}
        }
        self.0 = budgets;
        Ok(())
    }

    /// The limit that the server does not keep by itself: MySQL's holds for SELECT only.
    pub(crate) fn watched(&self, session: &dyn Session) -> Option<Duration> {
        let is_watched = session.server().dialect == DialectId::MySql;
        self.0.statement_ms.filter(|_| is_watched).map(Duration::from_millis)
    }

    /// No limits any more.
    pub(crate) async fn lift(&mut self, session: &mut dyn Session) -> Result<(), DbError> {
        self.set(session, Budgets::default()).await
    }
}

/// The statement that changes the limits on MySQL or MariaDB, if any has to be. Waits are in whole seconds: the one for a table's
/// definition, which is what DDL waits for, and the one for rows.
fn limits(dialect: DialectId, before: Budgets, after: Budgets) -> Option<String> {
    let mut list = Vec::new();
    if before.lock_ms != after.lock_ms {
        let value = after.lock_ms.map_or("DEFAULT".to_owned(), |ms| ms.div_ceil(1000).max(1).to_string());
        list.extend(["lock_wait_timeout", "innodb_lock_wait_timeout"].map(|name| format!("SESSION {name} = {value}")));
    }
    if dialect == DialectId::MariaDb && before.statement_ms != after.statement_ms {
        let (seconds, rest) = after.statement_ms.map_or((0, 0), |ms| (ms / 1000, ms % 1000));
        list.push(format!("SESSION max_statement_time = {seconds}.{rest:03}"));
    }
    (!list.is_empty()).then(|| format!("SET {}", list.join(", ")))
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

    #[test]
    fn limits_change_only_when_they_have_to() {
        let budgets = |lock_ms, statement_ms| Budgets { lock_ms, statement_ms };
        let none = Budgets::default();
        let set = |dialect, before, after| limits(dialect, before, after);
        let both = budgets(Some(1200), Some(2500));
        let waits = "SET SESSION lock_wait_timeout = 2, SESSION innodb_lock_wait_timeout = 2";
        assert_eq!(set(DialectId::MySql, none, both).as_deref(), Some(waits));
        assert_eq!(set(DialectId::MariaDb, none, both), Some(format!("{waits}, SESSION max_statement_time = 2.500")));
        assert_eq!(set(DialectId::MariaDb, both, both), None);
        assert_eq!(set(DialectId::MySql, budgets(None, Some(5)), none), None);
        assert_eq!(
            set(DialectId::MariaDb, both, none).as_deref(),
            Some(
                "SET SESSION lock_wait_timeout = DEFAULT, SESSION innodb_lock_wait_timeout = DEFAULT, \
                 SESSION max_statement_time = 0.000"
            )
        );
    }
}
