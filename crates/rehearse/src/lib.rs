//! Rehearsal of a plan on a throw-away branch of the live schema.
//!
//! [`rehearse`] is pure orchestration over injected [`Steps`]: make a branch, check that it looks like the database, plan, apply, plan
//! again, drop the branch, report. [`make_branch`] knows how each engine copies a database.

mod branch;
mod rehearse;
mod report;

pub use branch::{Branch, BranchError, drop_branch, make_branch};
pub use rehearse::{Branched, StepError, Steps, Tried, rehearse};
pub use report::{Outcome, RehearsalReport, RehearsedOperation};
