//! Asking the rows: data checks and the size of losses.

use std::time::Duration;

use trueup_plan::{CheckAnswer, CheckFinding, CheckQuery, CheckReport, LossFinding, LossQuery, Script};
use trueup_schema::DialectId;
use trueup_session::{BoxFuture, Clock, DbError, DbErrorKind, Row, Session, TransactionMode, Value};

/// Warnings of MySQL and MariaDB about values: out of range, truncated, incorrect, divided by zero, too long; moments; JSON texts
/// (MariaDB).
const COMPLAINTS: &[i64] =
    &[1264, 1265, 1292, 1365, 1366, 1406, 1411, 1441, 4035, 4036, 4037, 4038, 4039, 4040, 4041, 4042];

/// Asks every check and counts every loss of `script`, read-only, each within `timeout`. What fails is `unknown` and stops
/// nothing else. An open transaction is used and survives.
pub fn run_checks<'a>(
    session: &'a mut dyn Session,
    script: &'a Script,
    timeout: Duration,
    clock: &'a dyn Clock,
) -> BoxFuture<'a, CheckReport> {
    Box::pin(async move {
        if script.checks.is_empty() && script.losses.is_empty() {
            return CheckReport::default();
        }
        let asked = Asked { timeout, clock };
        if session.in_transaction() {
            return asked.all(session, script).await;
        }
        if let Err(error) = session.begin(TransactionMode::ReadOnly).await {
            return unknown(script, &format!("no transaction for reading could be opened: {error}"));
        }
        let report = asked.all(session, script).await;
        if let Err(error) = session.rollback().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the transaction of the data checks did not end well"
            );
        }
        report
    })
}

/// The checks of `script` as not asked.
pub(crate) fn skipped(script: &Script) -> CheckReport {
    CheckReport {
        checks: script.checks.iter().map(|check| finding(check, CheckAnswer::Skipped)).collect(),
        losses: script.losses.iter().map(|loss| counted(loss, None)).collect(),
    }
}

fn unknown(script: &Script, why: &str) -> CheckReport {
    let answer = || CheckAnswer::Unknown { why: why.to_owned() };
    CheckReport {
        checks: script.checks.iter().map(|check| finding(check, answer())).collect(),
        losses: script.losses.iter().map(|loss| counted(loss, None)).collect(),
    }
}

fn finding(check: &CheckQuery, answer: CheckAnswer) -> CheckFinding {
    CheckFinding { operation: check.operation.clone(), table: check.table.clone(), rule: check.rule.clone(), answer }
}

fn counted(loss: &LossQuery, count: Option<u64>) -> LossFinding {
    LossFinding { operation: loss.operation.clone(), what: loss.what.clone(), count }
}

/// Asks within a time limit.
pub(crate) struct Asked<'a> {
    pub(crate) timeout: Duration,
    pub(crate) clock: &'a dyn Clock,
}

impl Asked<'_> {
    async fn all(&self, session: &mut dyn Session, script: &Script) -> CheckReport {
        let mut report = CheckReport::default();
        for check in &script.checks {
            let answer = self.check(session, check).await;
            report.checks.push(finding(check, answer));
        }
        for loss in &script.losses {
            let count = match self.count(session, &loss.count).await {
                Ok(count) => Some(count),
                Err(error) => {
                    tracing::debug!(error = &error as &dyn std::error::Error, what = %loss.what, "a loss is not counted");
                    None
                }
            };
            report.losses.push(counted(loss, count));
        }
        report
    }

    pub(crate) async fn check(&self, session: &mut dyn Session, check: &CheckQuery) -> CheckAnswer {
        match self.count(session, &check.count).await {
            Ok(0) => match self.complaints(session).await {
                Ok(0) => CheckAnswer::Passed,
                Ok(count) => CheckAnswer::Violated { count, sample: Vec::new() },
                Err(error) => CheckAnswer::Unknown { why: error.to_string() },
            },
            Ok(count) => {
                let sample = match &check.sample {
                    Some(sql) => self.ask(session, sql).await.unwrap_or_default(),
                    None => Vec::new(),
                };
                CheckAnswer::Violated { count, sample: sample.iter().take(5).map(keys).collect() }
            }
            Err(error) if error.kind == DbErrorKind::StatementTimeout => {
                CheckAnswer::Unknown { why: format!("not answered within {} ms", self.timeout.as_millis()) }
            }
            Err(error) => CheckAnswer::Unknown { why: error.to_string() },
        }
    }

    /// How many values the query before made the server complain of. A strict mode takes each of these for an error when it writes,
    /// though not when it reads.
    async fn complaints(&self, session: &mut dyn Session) -> Result<u64, DbError> {
        if !matches!(session.server().dialect, DialectId::MySql | DialectId::MariaDb) {
            return Ok(0);
        }
        let rows = session.query("SHOW WARNINGS", &[]).await?;
        let mut count = 0;
        for row in &rows {
            let is_warning = row.text(0)?.eq_ignore_ascii_case("warning");
            count += u64::from(is_warning && COMPLAINTS.contains(&row.int(1)?));
        }
        Ok(count)
    }

    async fn count(&self, session: &mut dyn Session, sql: &str) -> Result<u64, DbError> {
        let rows = self.ask(session, sql).await?;
        let count = rows.first().unwrap_or(&Row::default()).int(0)?;
        u64::try_from(count).map_err(|_| DbError::new(DbErrorKind::Decode, format!("a count of {count}")))
    }

    async fn ask(&self, session: &mut dyn Session, sql: &str) -> Result<Vec<Row>, DbError> {
        match session.server().dialect {
            DialectId::Postgres if session.in_transaction() => self.in_savepoint(session, sql).await,
            DialectId::Postgres | DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => {
                self.cancelled(session, sql).await
            }
        }
    }

    /// A failure must not abort the transaction, and its time limit must not outlive the query.
    async fn in_savepoint(&self, session: &mut dyn Session, sql: &str) -> Result<Vec<Row>, DbError> {
        let millis = self.timeout.as_millis().max(1);
        session.execute("SAVEPOINT trueup_check").await?;
        session.execute(&format!("SET LOCAL statement_timeout = {millis}")).await?;
        let answer = session.query(sql, &[]).await;
        // Rolling back, not releasing, also puts the setting back.
        session.execute("ROLLBACK TO SAVEPOINT trueup_check").await?;
        session.execute("RELEASE SAVEPOINT trueup_check").await?;
        answer
    }

    async fn cancelled(&self, session: &mut dyn Session, sql: &str) -> Result<Vec<Row>, DbError> {
        let cancel = session.cancel_handle();
        let mut answer = session.query(sql, &[]);
        tokio::select! {
            // A query that is answered at once must not lose to a clock that does not wait.
            biased;
            answer = &mut answer => answer,
            () = self.clock.sleep(self.timeout) => {
                if let Err(error) = cancel.cancel().await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "a data check could not be stopped");
                }
                // Never dropped half-way: that would leave the session in an unknown state.
                answer.await
            }
        }
    }
}

/// The values of a row, for a person.
fn keys(row: &Row) -> String {
    let value = |value: Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Texts(texts) => format!("{} values", texts.len()),
        Value::Ints(numbers) => format!("{} values", numbers.len()),
    };
    row.values().map(value).collect::<Vec<_>>().join(", ")
}
