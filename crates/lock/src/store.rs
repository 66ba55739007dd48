//! The port: what excludes other runs.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use trueup_session::{ConnectOptions, Connector, Session};

use crate::{Holder, LeaseStanding, LockError, Wait};

/// Who asks for a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The project's scope name, canonical: runs of one scope in one database exclude each other.
    pub scope: String,
    /// Who runs.
    pub owner: String,
    /// The run's own id, which no other run ever has.
    pub run: String,
    /// How long the lock lasts without a heartbeat, where it runs out.
    pub time: Duration,
}

/// What excludes other runs: by default an advisory lock of the executing session, and a lease in a table.
///
/// An embedder whose framework has a lock already (a leader's election, a lock service) implements this and [`LockGuard`]. All
/// runs of a scope must use the same kind: two kinds do not know of each other.
///
/// # The contract
/// 1. **Acquire, look, plan, take, write, give back, release**, in this order. Until [`LockGuard::take`] a run only reads, and one
///    that is refused ends there: so [`LockStore::acquire`] and [`LockGuard::look`] leave no trace in the database.
/// 2. **One holder.** Between `acquire` and `release` nobody else acquires the same scope, unless the lock runs out or is
///    [taken away](LockStore::evict).
/// 3. **Epochs.** `take` gives a number that is higher than any before it in this scope. It goes into the ledger.
/// 4. **The fence.** A holder that was stopped for long and wakes up does not know that it has lost the lock. [`LockGuard::fence`]
///    is asked as the first thing in every transaction of the run, and before each statement that can have none. It fails once a
///    higher epoch was given; and where it can, it keeps a higher one from being given before the transaction ends: by a
///    row lock in the database that is changed, say.
/// 5. **The heartbeat.** [`LockGuard::renew`] comes every third of [`Claim::time`] while the run writes, beside its work. Once it
///    says that the lock is lost, or has not succeeded for four fifths of that time, no further statement begins.
///
/// # What is lost without a fence
/// A store outside of the database cannot reach into its transactions. It should ask its service in `fence`, and a stale run
/// then stops at the next statement. But a transaction that had passed the fence when the lock was lost can still commit what it did,
/// beside the next run: of the statements of a plan one at a time may be carried out by a stale run. What each did is in
/// the live schema, from which every run plans anew and by which it is proven; but what the next run had planned may fail,
/// or not converge, and has to be run again. On SQLite there is nothing to lose: a run is one write transaction of the file, opened
/// by the run itself under any lock.
#[async_trait]
pub trait LockStore: Send + Sync + fmt::Debug {
    /// Takes the lock, or waits for it: one deadline, with the holder named once through `wait.on_busy`. `session` is the one
    /// that carries the run out, outside of any transaction, and stays so; but on SQLite the lock may be its open
    /// write transaction.
    ///
    /// # Errors
    /// [`LockError::Timeout`] that names the holder, [`LockError::Store`], or the server's words.
    async fn acquire(
        &self,
        session: &mut dyn Session,
        claim: &Claim,
        wait: &Wait<'_>,
    ) -> Result<Box<dyn LockGuard>, LockError>;

    /// Makes what the lock keeps in the database, if it keeps anything there and that is missing. Called when something is sure to be
    /// written. In the open transaction if there is one, else committed.
    ///
    /// # Errors
    /// [`LockError::Store`], or the server's words.
    async fn prepare(&self, session: &mut dyn Session) -> Result<(), LockError>;

    /// Who holds the lock of `scope` now. Takes nothing.
    ///
    /// # Errors
    /// [`LockError::Store`], or the server's words.
    async fn standing(&self, session: &mut dyn Session, scope: &str) -> Result<LockStanding, LockError>;

    /// Takes the lock of `scope` away from whoever has it, for an operator: ends the sessions in `standing`, or tells the service.
    /// It need not be free when this returns; it is acquired next.
    ///
    /// # Errors
    /// [`LockError::NoSession`] where this is not possible, [`LockError::Store`], or the server's words.
    async fn evict(&self, session: &mut dyn Session, scope: &str, standing: &LockStanding) -> Result<(), LockError>;
}

/// A lock that is held. Dropping it need not release it: a run that dies leaves its lock to run out, or to end with its
/// session.
#[async_trait]
pub trait LockGuard: Send + Sync + fmt::Debug {
    /// Waits for whoever may be running although the lock is held (through another node of a cluster, whose locks are not seen
    /// here), within the deadline that began with the acquisition, and remembers the epoch that was given last: what is planned
    /// from now on is older than any later one. Whether it had to wait for anybody, now or when it was acquired: a peer may have done
    /// the work.
    ///
    /// # Errors
    /// As [`LockStore::acquire`].
    async fn look(&mut self, session: &mut dyn Session, wait: &Wait<'_>) -> Result<bool, LockError>;

    /// Whether the lock is still held, as far as can be told without the epoch: asked before a transaction begins.
    ///
    /// # Errors
    /// [`LockError::NotHeld`], [`LockError::Pooler`], [`LockError::Store`], or the server's words.
    async fn verify(&self, session: &mut dyn Session) -> Result<(), LockError>;

    /// The next epoch, under which the run writes; `None` if another one was given since [`LockGuard::look`], so that the plan is
    /// stale. With `is_forced`, for an operator, it is given in any case.
    ///
    /// # Errors
    /// [`LockError::Stolen`], [`LockError::Store`], or the server's words.
    async fn take(&mut self, session: &mut dyn Session, is_forced: bool) -> Result<Option<i64>, LockError>;

    /// Whether the epoch is still the last one. In a transaction it also keeps the next one from being given before that ends, if
    /// the store can.
    ///
    /// # Errors
    /// [`LockError::Stolen`], [`LockError::Missing`], [`LockError::Store`], or the server's words.
    async fn fence(&self, session: &mut dyn Session) -> Result<(), LockError>;

    /// An SQL condition that is true while the epoch is the last one, for a statement that brings its own fence; `None` where the
    /// database does not know of epochs. `scope` is the SQL text of the scope: a column or a parameter.
    fn condition(&self, scope: &str) -> Option<String>;

    /// One heartbeat: the lock lasts [`Claim::time`] from now on. A store whose locks do not run out asks here whether it still
    /// has it, or does nothing. The future is dropped if it takes longer than a third of that time.
    ///
    /// # Errors
    /// [`LockError::Stolen`] or [`LockError::Missing`] if it is lost; [`LockError::Store`] or the server's words if nobody knows: it
    /// is tried again.
    async fn renew(&self, line: &mut Line<'_>) -> Result<(), LockError>;

    /// The run writes no more: the epoch's work is over. In the transaction that records the end of the run, where there is one.
    ///
    /// # Errors
    /// As [`LockGuard::fence`]: what somebody else has taken over is not touched.
    async fn give_back(&self, session: &mut dyn Session) -> Result<(), LockError>;

    /// Lets others in. Called after the run, whatever came of it.
    ///
    /// # Errors
    /// [`LockError::NotHeld`], [`LockError::Store`], or the server's words.
    async fn release(self: Box<Self>, session: &mut dyn Session) -> Result<(), LockError>;
}

/// The heartbeat's own connection, opened when somebody asks for it.
#[derive(Debug)]
pub struct Line<'a> {
    connector: &'a dyn Connector,
    session: Option<Box<dyn Session>>,
}

impl<'a> Line<'a> {
    /// One that `connector` opens.
    #[must_use]
    pub const fn new(connector: &'a dyn Connector) -> Self {
        Self { connector, session: None }
    }

    /// The session: the one that was [kept](Line::keep), or a new one. A session in an unknown state is dropped, not kept.
    ///
    /// # Errors
    /// The server's words.
    pub async fn session(&mut self) -> Result<Box<dyn Session>, LockError> {
        if let Some(session) = self.session.take() {
            return Ok(session);
        }
        let options = ConnectOptions { application_name: "trueup heartbeat".to_owned(), ..ConnectOptions::default() };
        self.connector.connect(&options).await.map_err(LockError::database("connect for the heartbeat"))
    }

    /// Keeps a session that is in order for the next time.
    pub fn keep(&mut self, session: Box<dyn Session>) {
        self.session = Some(session);
    }

    /// Ends the session that was kept.
    pub(crate) async fn close(self) {
        if let Some(session) = self.session
            && let Err(error) = session.close().await
        {
            tracing::debug!(error = &error as &dyn std::error::Error, "the heartbeat's connection broke at its end");
        }
    }
}

/// Who holds the locks of a scope now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LockStanding {
    /// The session, or whoever else, that excludes others now.
    pub holder: Option<Holder>,
    /// What the lease says; `None` before the first run, and without one.
    pub lease: Option<LeaseStanding>,
    /// Whether the session that took the lease is still there; `None` without an owner, and where it cannot be told.
    pub is_owner_alive: Option<bool>,
}

impl LockStanding {
    /// Whether a session that is not seen from here may hold the lease: through another node of a cluster.
    #[must_use]
    pub fn may_be_elsewhere(&self) -> bool {
        self.is_owner_alive.is_none()
            && self.lease.as_ref().is_some_and(|lease| lease.owner.is_some() && lease.expires_in_ms > 0)
    }

    /// Whether nobody holds anything.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.holder.is_none() && self.lease.as_ref().is_none_or(|lease| lease.owner.is_none())
    }
}
