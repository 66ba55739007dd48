//! Runs an approved script under the lock: ledger, history, recovery, convergence proof.
//!
//! [`run`] is the flow. [`Ports`] is what it is given, [`RunRequest`] what it is asked for, [`Applied`] what it returns.
//! [`LedgerStore`] is where a run writes down what it does, by default [`ControlTables`]; what excludes other runs is a
//! [`LockStore`](trueup_lock::LockStore), by default their [`TwoKeyLock`].
//! [`reached`], [`read_records`] and [`read_ledger`] only read. [`run_checks`] asks the rows what a plan depends on.

mod checks;
mod control;
mod error;
mod execute;
mod history;
mod ledger;
mod operate;
mod outcome;
mod ports;
mod records;
mod recover;
mod replicas;
mod run;
mod statements;
mod stores;
mod two_keys;
mod watch;

pub use checks::run_checks;
pub use control::{ControlTables, HISTORY, LEDGER, LOCK, OBJECTS, TABLES, default_control_namespace};
pub use error::{ExecuteError, NeedsHuman, RunState, StepFailure};
pub use history::{HistoryEntry, Records};
pub use ledger::{LedgerStep, StepState, read_ledger};
pub use operate::{
    LedgerFinding, LockBroken, OperatorPorts, OperatorRequest, StepDecision, abandon_run, break_lock, inspect_ledger,
    resolve_ledger,
};
pub use ports::{Applied, Event, Listener, Observe, Planner, PlannerError, Ports, Prepared, RunRequest, RunStatus};
pub use records::{reached, read_records};
pub use recover::Evidence;
pub use run::run;
pub use stores::{LedgerStore, NewEntry, NewRun};
pub use trueup_lock::LockStanding;
pub use two_keys::TwoKeyLock;
pub use watch::Stop;

pub(crate) use history::is_reached;
