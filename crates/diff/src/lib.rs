//! From a live and a desired schema to a classified, ordered, grouped plan.
//!
//! [`diff`] is the way in. Its steps, each a module: hints give old objects their new names (`hints`, `project`), texts that mean the
//! same are made alike (`texts`), what is on both sides is paired (`matching`) and compared (`compare`), every change gets its cost
//! (`classify`, `checks`), and what a person has to decide is blocked (`ambiguous`, `ownership`). Then everything that must make way
//! is added (`closure`), one graph orders it all (`graph`), and what belongs together becomes a step (`steps`).

mod ambiguous;
mod checks;
mod classify;
mod closure;
mod compare;
mod diff;
mod draft;
mod effects;
mod follow_up;
mod graph;
mod hints;
mod inherit;
mod interpret;
mod matching;
mod online;
mod ownership;
mod project;
mod safe_mode;
mod spelling;
mod steps;
mod taken;
#[cfg(test)]
mod test_dialect;
#[cfg(test)]
mod test_schema;
#[cfg(test)]
mod tests;
mod texts;

pub use diff::diff;
pub use effects::effects;
pub use interpret::{InterpretError, interpret};
