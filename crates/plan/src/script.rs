//! The rendered form of a plan: what a dry run shows, and the only thing that is executed.

use serde::{Deserialize, Serialize};
use trueup_schema::DialectId;

use crate::{Budgets, OpId};

/// A plan as SQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// The engine.
    pub dialect: DialectId,
    /// FNV-1a 64 of the plan, as sixteen hex digits.
    pub plan_hash: String,
    /// Session settings before the first segment, outside any transaction.
    pub setup: Vec<Statement>,
    /// The plan's segments.
    pub segments: Vec<ScriptSegment>,
    /// What puts the session settings back, run whatever happened.
    pub teardown: Vec<Statement>,
    /// Data checks of the plan's operations.
    pub checks: Vec<CheckQuery>,
    /// Counts that say how much is lost.
    pub losses: Vec<LossQuery>,
    /// Operations that cannot be run, rendered as comments.
    pub blocked: Vec<String>,
}

/// Steps that share a transaction, or one step that can have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptSegment {
    /// Whether it runs in a transaction.
    pub transactional: bool,
    /// Its steps, in order.
    pub steps: Vec<ScriptStep>,
}

/// One step as SQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptStep {
    /// The operations it carries out.
    pub operations: Vec<OpId>,
    /// Its statements, in order.
    pub statements: Vec<Statement>,
    /// Its time limits.
    pub budgets: Budgets,
    /// What it may leave where it fails, as it is no transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leftover: Option<Leftover>,
}

/// What a step that failed may leave, and how it goes away. The step can then be tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    /// A query whose one value is true where something is left.
    pub question: String,
    /// The statement that takes it away.
    pub sql: String,
}

/// One SQL string.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The text, without a semicolon at its end.
    pub sql: String,
    /// Where it is a question: what to say when its one value is not true (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assert: Option<String>,
    /// What is run in its place where the engine refuses to do it as cheaply as it asserts: the first of these that is granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
}

impl Statement {
    /// A statement to run.
    #[must_use]
    pub fn run(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), assert: None, instead: Vec::new() }
    }

    /// A query whose one value must be true or 1; otherwise the run stops with `message`.
    #[must_use]
    pub fn assert(sql: impl Into<String>, message: impl Into<String>) -> Self {
        Self { sql: sql.into(), assert: Some(message.into()), instead: Vec::new() }
    }
}

/// A data check as SQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckQuery {
    /// The operation that needs it.
    pub operation: OpId,
    /// The table asked.
    pub table: String,
    /// The rule, for a person: `no NULL in email`.
    pub rule: String,
    /// A query that returns one row: the number of violations.
    pub count: String,
    /// A query that returns up to five rows of key values of violating rows, each as text columns; none where there is no key.
    pub sample: Option<String>,
}

/// A loss probe as SQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossQuery {
    /// The operation that loses it.
    pub operation: OpId,
    /// What is counted, for a person: `rows of users`.
    pub what: String,
    /// A query that returns one number.
    pub count: String,
}

/// What the checks and probes found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckReport {
    /// Findings of data checks.
    pub checks: Vec<CheckFinding>,
    /// Sizes of losses by operation.
    pub losses: Vec<LossFinding>,
}

/// What one data check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckFinding {
    /// The operation.
    pub operation: OpId,
    /// The table.
    pub table: String,
    /// The rule.
    pub rule: String,
    /// The answer.
    pub answer: CheckAnswer,
}

/// The answer to a data check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckAnswer {
    /// No violation.
    Passed,
    /// This many violations, with keys of some of them.
    Violated {
        /// How many.
        count: u64,
        /// Key values of up to five violating rows.
        sample: Vec<String>,
    },
    /// Not known: it ran out of time or could not be asked.
    Unknown {
        /// Why.
        why: String,
    },
    /// Not asked, by request.
    Skipped,
}

/// How much one operation loses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossFinding {
    /// The operation.
    pub operation: OpId,
    /// What was counted.
    pub what: String,
    /// How many; `None` where the count could not be had in time.
    pub count: Option<u64>,
}
