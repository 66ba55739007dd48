//! The port: where steps, finished runs and tracked objects are written down.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use async_trait::async_trait;
use trueup_lock::LockGuard;
use trueup_plan::Pair;
use trueup_schema::ObjectRef;
use trueup_session::Session;

use crate::{ExecuteError, HistoryEntry, LedgerStep, Records, StepState, is_reached};

/// Where a run writes down what it does: by default the control tables ([`crate::ControlTables`]) of the database that it changes.
///
/// # The contract
/// - **A write goes with the transaction of `session`.** Where one is open, what is written in it counts once it is committed, and
///   never happened if it is not: so a step is done exactly when the ledger says so, and a run that is in the history is in the
///   schema. A store in the same database has this by writing through `session`. A store elsewhere keeps such writes back until
///   [`LedgerStore::ended`]. Without an open transaction a write counts when the method returns.
/// - **Every step is written down before the first runs**, its [intent](LedgerStore::intend) before a step that can have no
///   transaction, and [what became of it](LedgerStore::mark) after it. The run that follows one that was cut off asks for the
///   steps whose intent is written and nothing after it, and looks at the live schema for what became of each.
/// - Everything is kept by `scope`, which is canonical, and by database: a store that serves several databases tells them apart by what
///   [`Session::server`] says.
/// - All calls that write come from a run that holds the scope's lock. Reading may happen at any time, also in a transaction that must
///   not be broken by a failing statement.
///
/// # What is lost outside of the database
/// If the process dies between a commit and [`LedgerStore::ended`], the schema is changed and the store does not know: the next run finds
/// nothing left to do, and records that. What the dead run dropped or tracked is judged by the list from before it. A
/// restored backup takes its own control tables along; a store elsewhere goes on from what is no longer there, which the next run
/// finds out in the same way.
#[async_trait]
pub trait LedgerStore: Send + Sync + fmt::Debug {
    /// Whether anything was ever prepared. Creates nothing.
    ///
    /// # Errors
    /// [`ExecuteError::NewerFormat`], [`ExecuteError::Ledger`], or the server's words.
    async fn is_there(&self, session: &mut dyn Session) -> Result<bool, ExecuteError>;

    /// Makes what is missing: in the open transaction if there is one, else committed. Called once something is sure to be
    /// written: a refused run leaves no trace.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`], or the server's words.
    async fn prepare(&self, session: &mut dyn Session, scope: &str) -> Result<(), ExecuteError>;

    /// Takes away what [`LedgerStore::prepare`] made, if nothing was ever recorded: a first run has come to nothing. A failure changes
    /// nothing.
    async fn retract(&self, session: &mut dyn Session);

    /// Everything that is known of a scope, with the newest `history_limit` entries; `None` if nothing was ever prepared.
    ///
    /// # Errors
    /// As [`LedgerStore::is_there`]; [`ExecuteError::Damaged`] for what cannot be read.
    async fn records(
        &self,
        session: &mut dyn Session,
        scope: &str,
        history_limit: usize,
    ) -> Result<Option<Records>, ExecuteError>;

    /// The newest `limit` entries, newest first. Only after [`LedgerStore::is_there`] or [`LedgerStore::prepare`].
    ///
    /// # Errors
    /// As [`LedgerStore::records`].
    async fn history(
        &self,
        session: &mut dyn Session,
        scope: &str,
        limit: usize,
    ) -> Result<Vec<HistoryEntry>, ExecuteError>;

    /// Whether the last finished run reached `run_key`, and none is unfinished.
    ///
    /// # Errors
    /// As [`LedgerStore::records`].
    async fn reached(&self, session: &mut dyn Session, scope: &str, run_key: &str) -> Result<bool, ExecuteError> {
        let records = self.records(session, scope, 1).await?.filter(|records| !records.unfinished);
        let latest = records.as_ref().and_then(|records| records.history.first());
        Ok(latest.is_some_and(|latest| is_reached(&latest.status) && latest.run_key == run_key))
    }

    /// Every step of unfinished runs, in order. Only after [`LedgerStore::is_there`].
    ///
    /// # Errors
    /// As [`LedgerStore::records`].
    async fn steps(&self, session: &mut dyn Session, scope: &str) -> Result<Vec<LedgerStep>, ExecuteError>;

    /// Writes every step of a run down, before the first of them begins.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`], or the server's words.
    async fn record_steps(&self, session: &mut dyn Session, scope: &str, run: &NewRun) -> Result<(), ExecuteError>;

    /// Says that `step`, a run's id and the step's number, is about to begin. With [`LockGuard::condition`] one statement can decide that the lock still
    /// holds and write; the caller asks for the fence in any case, before the step begins.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`], or the server's words.
    async fn intend(
        &self,
        session: &mut dyn Session,
        scope: &str,
        step: (&str, i64),
        lock: &dyn LockGuard,
    ) -> Result<(), ExecuteError>;

    /// Says what became of the steps `numbers` of `run`.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`], or the server's words.
    async fn mark(
        &self,
        session: &mut dyn Session,
        scope: &str,
        run: &str,
        numbers: RangeInclusive<i64>,
        state: StepState,
    ) -> Result<(), ExecuteError>;

    /// Takes the steps of `run` out, or with `None` those of every run.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`], or the server's words.
    async fn forget(&self, session: &mut dyn Session, scope: &str, run: Option<&str>) -> Result<(), ExecuteError>;

    /// Adds to the history, under a number higher than all before it.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`], or the server's words.
    async fn add_entry(&self, session: &mut dyn Session, scope: &str, entry: &NewEntry) -> Result<(), ExecuteError>;

    /// Makes the tracked objects and recorded pairs what `hashes` and `pairs` say.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`], or the server's words.
    async fn track(
        &self,
        session: &mut dyn Session,
        scope: &str,
        hashes: &BTreeMap<ObjectRef, String>,
        pairs: &[Pair],
    ) -> Result<(), ExecuteError>;

    /// For stores outside of the database: the transaction in which writes were kept back was committed, or was not and they
    /// never happened. Called more often than there is anything kept back. A store in the same database does nothing.
    ///
    /// # Errors
    /// [`ExecuteError::Ledger`]: the schema is changed, and that could not be written down. The next run finds out.
    async fn ended(&self, scope: &str, is_committed: bool) -> Result<(), ExecuteError> {
        let _ = (scope, is_committed);
        Ok(())
    }
}

/// The steps of a run that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// The run's id.
    pub run: String,
    /// The epoch under which it runs.
    pub epoch: i64,
    /// The hash of the plan that it carries out.
    pub plan_hash: String,
    /// Its steps, in order.
    pub steps: Vec<LedgerStep>,
}

/// A history entry to be written; number and time come from the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// The status word: how a run ended, or what an operator did.
    pub status: &'static str,
    /// Fingerprint of the declared schema.
    pub declared: String,
    /// Fingerprint of the live schema after it.
    pub live: String,
    /// Key of what the run wanted.
    pub run_key: String,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// Who ran it.
    pub applied_by: String,
    /// The environment's name.
    pub environment: Option<String>,
    /// Where the declaration came from.
    pub source: String,
    /// A note.
    pub note: Option<String>,
    /// Ids of its operations.
    pub operations: Vec<String>,
    /// Ids of what it left undone.
    pub residual: Vec<String>,
}
