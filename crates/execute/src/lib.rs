//! Runs an approved script under the lock: ledger, history, recovery, convergence proof.
//!
//! [`run`] is the flow. [`Ports`] is what it is given, [`RunRequest`] what it is asked for, [`Applied`] what it returns.
//! [`reached`], [`read_records`] and [`read_ledger`] only read. [`run_checks`] asks the rows what a plan depends on.

mod checks;
mod control;
mod error;
mod execute;
mod history;
mod ledger;
mod operate;
mod others;
mod outcome;
mod ports;
mod recover;
mod run;
mod statements;
mod store;
mod watch;

pub use checks::run_checks;
pub use control::{HISTORY, LEDGER, LOCK, OBJECTS, TABLES, default_control_namespace};
pub use error::{ExecuteError, NeedsHuman, RunState, StepFailure};
pub use history::{HistoryEntry, Records};
pub use ledger::{LedgerStep, StepState, read_ledger};
pub use operate::{
    LedgerFinding, LockBroken, LockStanding, OperatorPorts, OperatorRequest, StepDecision, abandon_run, break_lock,
    inspect_ledger, lock_standing, resolve_ledger,
};
pub use ports::{Applied, Event, Listener, Observe, Planner, PlannerError, Ports, Prepared, RunRequest, RunStatus};
pub use recover::Evidence;
pub use run::run;
pub use store::{reached, read_records};
pub use watch::Stop;
