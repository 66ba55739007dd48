//! What must make way for a change, and come back after it.
//!
//! For every change that the engine won't carry out under its dependents, all live dependents are taken, transitively. Each gets
//! one drop and one creation, however many changes it stands in the way of. What trueup may not drop is a refusal.

mod dependents;
mod existing;
mod restore;
mod run;

pub(crate) use restore::part_uses as uses;
pub(crate) use run::close;
