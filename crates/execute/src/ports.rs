//! What a run needs from outside.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use trueup_lock::LockStore;
use trueup_plan::{CheckReport, Consent, Pair, Plan, Script};
use trueup_schema::{ObjectRef, Schema};
use trueup_session::{Clock, Connector, Session};

use crate::{LedgerStore, Stop};

/// Any error of the planner, carried through.
pub type PlannerError = Box<dyn std::error::Error + Send + Sync>;

/// Reads the live schema: what an unfinished step's effects are judged by.
#[async_trait]
pub trait Observe: Send + Sync + fmt::Debug {
    /// Reads the live schema on `session`, without planning. Opens no transaction: the caller did, where there is one.
    ///
    /// # Errors
    /// Whatever stands in the way of an answer.
    async fn observe(&self, session: &mut dyn Session) -> Result<Schema, PlannerError>;
}

/// Makes a plan against the live database. Called under the lock, and once more as the proof.
#[async_trait]
pub trait Planner: Observe {
    /// Reads the live schema on `session` and plans. Opens no transaction: the caller did, where there is one.
    ///
    /// # Errors
    /// Whatever stands in the way of an answer. A refusal is not an error: it is in the plan.
    async fn prepare(&self, session: &mut dyn Session) -> Result<Prepared, PlannerError>;
}

/// A plan with its script.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// The plan as SQL.
    pub script: Script,
    /// Fingerprint of the declared schema.
    pub declared: String,
    /// Fingerprint of the live schema in the managed scope.
    pub live: String,
    /// Every object that is both declared and live, with its live hash: what the tracked list becomes after success.
    pub tracked: BTreeMap<ObjectRef, String>,
    /// Texts that are known to mean the same, those recorded before included: what the recorded pairs become after success.
    pub pairs: Vec<Pair>,
}

/// Hears what happens, for progress. Must return at once.
pub trait Listener: Send + Sync + fmt::Debug {
    /// Something happened.
    fn hear(&self, event: &Event);

    /// What the listener may ask the run to end with; `None` where it never does.
    fn stop(&self) -> Option<&Stop> {
        None
    }
}

/// What a run reports while it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Somebody else holds the lock.
    WaitingForLock {
        /// Who, as far as the server tells: process id, application, since when.
        holder: String,
    },
    /// The lock is ours.
    Locked,
    /// An unfinished run was found and is being settled.
    Recovering {
        /// Its id.
        run: String,
    },
    /// The plan is made.
    Planned {
        /// How many operations.
        operations: usize,
    },
    /// A step begins.
    StepStarted {
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// Its first operation.
        operation: String,
    },
    /// The statement of a step waits for others.
    Blocked {
        /// The step's first operation.
        operation: String,
        /// Who is in its way: process, application, since when.
        by: Vec<String>,
    },
    /// A transient failure; the statement or transaction is tried again.
    Retrying {
        /// What failed.
        operation: String,
        /// The server's words.
        error: String,
        /// How long until the next attempt.
        after: Duration,
    },
    /// The proof begins.
    Proving,
    /// A replica does not show yet what was done.
    WaitingForReplica {
        /// Where it is.
        replica: String,
    },
}

/// What a run is given.
#[derive(Debug)]
pub struct Ports<'a> {
    /// Opens further sessions to the same database: heartbeat, cancellation.
    pub connector: &'a dyn Connector,
    /// Makes plans.
    pub planner: &'a dyn Planner,
    /// Excludes other runs.
    pub lock: &'a dyn LockStore,
    /// Where the run is written down.
    pub ledger: &'a dyn LedgerStore,
    /// Servers that follow this one. After each part that was committed, and at the end, the run waits until they have it.
    pub replicas: &'a [Arc<dyn Connector>],
    /// Waits.
    pub clock: &'a dyn Clock,
    /// Hears of progress.
    pub listener: &'a dyn Listener,
}

/// What to run.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// What the caller agrees to lose.
    pub consent: Consent,
    /// Do not ask the rows; a check that was not asked counts as passed.
    pub skip_data_checks: bool,
    /// Time for each data check.
    pub check_timeout: Duration,
    /// Refuse unless the plan made under the lock has this hash: a saved plan that was approved.
    pub expected_plan: Option<String>,
    /// The project's scope name: part of the lock key and of every control row.
    pub scope: String,
    /// One deadline over all waits for the lock.
    pub lock_wait: Duration,
    /// Lease time; the heartbeat comes every third of it.
    pub lease: Duration,
    /// Longest wait for the replicas after each part.
    pub replica_wait: Duration,
    /// Run even if a peer reached the same declared schema meanwhile.
    pub force: bool,
    /// The key of what this run wants: declared fingerprint and every option that shapes the result.
    pub run_key: String,
    /// Who runs it, for the history.
    pub applied_by: String,
    /// A note for the history.
    pub note: Option<String>,
    /// The environment's name, for the history.
    pub environment: Option<String>,
    /// Where the declaration came from, for the history.
    pub source: String,
    /// Held-back work is expected: the plan was made in safe mode.
    pub safe: bool,
}

/// How a run ended, errors aside.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The status.
    pub status: RunStatus,
    /// The plan that was made under the lock; absent when nothing was looked at.
    pub plan: Option<Plan>,
    /// Its script.
    pub script: Option<Script>,
    /// What the data checks found.
    pub report: CheckReport,
    /// Every reason of a refusal.
    pub refusals: Vec<trueup_plan::Refusal>,
    /// What remains, where it did not converge or safe mode kept work back.
    pub residual: Vec<trueup_plan::OpId>,
    /// How many statements ran.
    pub statements: usize,
}

/// The word for how a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// Nothing was to be done.
    UpToDate,
    /// The history says so; nothing was looked at.
    UpToDateByHistory,
    /// Done and proven.
    Synced,
    /// Somebody else did it while this run waited.
    SyncedByPeer,
    /// Something stands in the way; nothing was touched.
    Refused,
    /// Done but for what safe mode keeps back.
    HeldBack,
    /// Done, but planning again still finds work.
    NotConverged,
}

impl RunStatus {
    /// The word in output and in the history.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UpToDate => "up-to-date",
            Self::UpToDateByHistory => "up-to-date (by history, not looked at)",
            Self::Synced => "synced",
            Self::SyncedByPeer => "synced-by-peer",
            Self::Refused => "refused",
            Self::HeldBack => "held-back",
            Self::NotConverged => "not-converged",
        }
    }
}
