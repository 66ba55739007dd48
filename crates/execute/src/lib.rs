//! Runs an approved script under the lock: ledger, history, recovery, convergence proof.
//!
//! [`Ports`] is what a run is given, [`RunRequest`] what it is asked for, [`Applied`] what it returns.

mod history;
mod ports;

pub use history::{HistoryEntry, Records};
pub use ports::{Applied, Event, Listener, Planner, PlannerError, Ports, Prepared, RunRequest, RunStatus};
