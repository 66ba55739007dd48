//! The vocabulary of typed plan values.
//!
//! Values cross crate borders here: [`Live`] and [`Desired`] go into a diff, a [`Plan`] of [`Operation`]s comes out; it is rendered
//! to a [`Script`]; [`approve`] turns a script with a [`CheckReport`] and a [`Consent`] into the [`ApprovedScript`] that alone is
//! executed. All of them are owned and serialisable: a plan may be saved, shown, and applied elsewhere.
//!
//! Start at [`Change`], then [`Operation`].

mod approve;
mod change;
mod class;
mod holds;
mod input;
mod operation;
mod predicate;
mod print;
#[cfg(any(test, feature = "testing"))]
pub mod samples;
mod script;

pub use approve::{ApprovedScript, Consent, Refused, approve, objections};
pub use change::{
    AttributeChange, Change, ColumnPosition, DomainChange, EnumPosition, Flavor, Object, TableColumn, TableIndex,
    type_words, unnamed_constraint,
};
pub use class::{CheckRule, Class, DataCheck, Hazard, HazardCode, LossProbe};
pub use input::{
    CastContext, Desired, Hints, Live, LiveFacts, Ownership, Pair, PlanOptions, RenameHint, Scope, Server, TableSize,
    Tracked, Unmanaged,
};
pub use operation::{
    Budgets, ColumnSource, Effects, Expected, OpId, Operation, Plan, PlanHashError, PlanStatus, Rebuild, Refusal,
    Segment, Step, StepForm, TxClass,
};
pub use predicate::{ColumnAspect, DomainState, Predicate};
pub use script::{
    CheckAnswer, CheckFinding, CheckQuery, CheckReport, Leftover, LossFinding, LossQuery, Script, ScriptSegment,
    ScriptStep, Statement,
};
