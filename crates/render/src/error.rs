//! Why a plan could not be said in SQL.

use trueup_plan::{OpId, PlanHashError};
use trueup_schema::DialectId;

/// Why a plan has no script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The plan was made for another engine.
    #[error("a plan for `{plan}` cannot be rendered for `{dialect}`")]
    OtherDialect {
        /// The plan's engine.
        plan: DialectId,
        /// The engine asked for.
        dialect: DialectId,
    },
    /// A step names an operation that the plan does not list.
    #[error("a step names operation `{0}`, which the plan does not list")]
    UnknownOperation(OpId),
    /// The engine has no statement for a change that the plan wants done in place.
    #[error("`{subject}` cannot be rendered for `{dialect}`: {why}")]
    Unsupported {
        /// The engine.
        dialect: DialectId,
        /// The operation or object.
        subject: String,
        /// What is missing.
        why: &'static str,
    },
    /// The plan cannot be hashed.
    #[error("the script has no plan hash")]
    Hash(#[from] PlanHashError),
}
