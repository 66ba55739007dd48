//! The usual lock: an advisory lock on the executing session, and a lease in a control table.

use std::time::Duration;

use async_trait::async_trait;
use trueup_lock::{
    Advisory, Claim, Lease, LeaseRequest, LeaseStanding, LeaseTable, Line, LockError, LockGuard, LockKey, LockStanding,
    LockStore, Wait, acquire, end_holder, full_jitter, holder, is_alive,
};
use trueup_schema::{DialectId, Ident};
use trueup_session::{Clock, DbErrorKind, Session, SystemClock};

use crate::ExecuteError;
use crate::control::{Control, FORMAT};
use crate::recover::terminate;

/// How often a lease is given back that DDL of another node keeps, and the first and longest pause before that.
const GIVING_BACK: (u32, Duration, Duration) = (5, Duration::from_millis(20), Duration::from_millis(500));

/// Pause between two looks at a lease that is held elsewhere.
const PAUSE: Duration = Duration::from_millis(200);

/// The lock that a run takes if nobody brings another. The advisory lock lives on the session that runs the statements and vanishes
/// with it; the lease is a row of `_trueup_lock` that says who writes, under an epoch that only rises: it is what all nodes
/// of a cluster share, and what fences transactions.
///
/// On SQLite the open write transaction is the lock.
#[derive(Debug, Clone)]
pub struct TwoKeyLock {
    /// As the caller gave it: it is part of the lock's name.
    namespace: Option<Ident>,
    control: Control,
    makes_table: bool,
}

impl TwoKeyLock {
    /// The lock beside a ledger that is kept elsewhere: its own table is made when it is first needed.
    #[must_use]
    pub fn new(dialect: DialectId, control_namespace: Option<&Ident>) -> Self {
        Self {
            namespace: control_namespace.cloned(),
            control: Control::lock_alone(dialect, control_namespace),
            makes_table: true,
        }
    }

    /// The lock whose table is one of the control tables, and is made with them.
    pub(crate) fn beside(control: &Control, namespace: Option<&Ident>) -> Self {
        Self { namespace: namespace.cloned(), control: control.clone(), makes_table: false }
    }

    fn key(&self, session: &dyn Session, scope: &str) -> LockKey {
        LockKey::new(&session.server().database, scope, self.namespace.as_ref())
    }

    fn table(&self) -> Result<LeaseTable, LockError> {
        self.control.lease_table().map_err(lock_error)
    }
}

/// As the port says it.
fn lock_error(error: ExecuteError) -> LockError {
    if let ExecuteError::NewerFormat { found, known } = error {
        return LockError::NewerFormat { found, known };
    }
    if let ExecuteError::Database { doing, source } = error {
        return LockError::Database { doing, source };
    }
    LockError::store("use the lock's table", error)
}

#[async_trait]
impl LockStore for TwoKeyLock {
    async fn acquire(
        &self,
        session: &mut dyn Session,
        claim: &Claim,
        wait: &Wait<'_>,
    ) -> Result<Box<dyn LockGuard>, LockError> {
        let start = wait.clock.now();
        let key = self.key(session, &claim.scope);
        let advisory = acquire(session, &key, wait).await?;
        let (waited, claim) = (advisory.waited, claim.clone());
        Ok(Box::new(TwoKeys { lock: self.clone(), claim, advisory, start, waited, seen: 0, lease: None }))
    }

    async fn prepare(&self, session: &mut dyn Session) -> Result<(), LockError> {
        if self.makes_table {
            self.control.make(session).await.map_err(lock_error)?;
        }
        Ok(())
    }

    async fn standing(&self, session: &mut dyn Session, scope: &str) -> Result<LockStanding, LockError> {
        let key = self.key(session, scope);
        let holder = holder(session, &key).await?;
        if !self.control.are_there(session).await.map_err(lock_error)? {
            return Ok(LockStanding { holder, lease: None, is_owner_alive: None });
        }
        let lease = self.table()?.standing(session, scope).await?;
        let is_owner_alive = match &lease {
            Some(LeaseStanding { owner: Some(_), backend: (id, started), .. }) => {
                is_alive(session, *id, started).await?
            }
            _ => None,
        };
        Ok(LockStanding { holder, lease, is_owner_alive })
    }

    async fn evict(&self, session: &mut dyn Session, scope: &str, standing: &LockStanding) -> Result<(), LockError> {
        if standing.holder.is_some() {
            let key = self.key(session, scope);
            end_holder(session, &key).await?;
        }
        if let (Some(true), Some(lease)) = (standing.is_owner_alive, &standing.lease) {
            terminate(session, &lease.backend).await;
        }
        Ok(())
    }
}

/// Both keys, or the first of them.
#[derive(Debug)]
struct TwoKeys {
    lock: TwoKeyLock,
    claim: Claim,
    advisory: Advisory,
    /// When the wait began, by the local clock.
    start: Duration,
    /// Whether somebody else held either of them first.
    waited: bool,
    /// The epoch of the last holder at the last look: what is planned from then on is older than any later one.
    seen: i64,
    lease: Option<Lease>,
}

impl TwoKeys {
    fn lease(&self) -> Result<&Lease, LockError> {
        self.lease.as_ref().ok_or(LockError::NotHeld)
    }

    /// Whether an error says that another node wrote the row first.
    fn is_lost_race(&self, error: &LockError) -> bool {
        is_clustered(self.lock.control.dialect) && is_beaten(error)
    }
}

/// Whether runs may go on through several nodes that do not see each other's advisory locks.
pub(crate) const fn is_clustered(dialect: DialectId) -> bool {
    matches!(dialect, DialectId::MySql | DialectId::MariaDb)
}

/// Whether somebody else was faster.
pub(crate) fn is_beaten(error: &LockError) -> bool {
    matches!(error, LockError::Stolen { .. }) || error.database_error().is_some_and(|error| is_conflict(error.kind))
}

/// Whether somebody else wrote the same row at the same time.
pub(crate) const fn is_conflict(kind: DbErrorKind) -> bool {
    matches!(kind, DbErrorKind::Deadlock | DbErrorKind::SerializationFailure | DbErrorKind::UniqueViolation)
}

#[async_trait]
impl LockGuard for TwoKeys {
    async fn look(&mut self, session: &mut dyn Session, wait: &Wait<'_>) -> Result<bool, LockError> {
        self.seen = 0;
        if !self.lock.control.are_there(session).await.map_err(lock_error)? {
            return Ok(self.waited);
        }
        let table = self.lock.table()?;
        let mut is_told = false;
        while let Some(standing) = table.held_elsewhere(session, &self.claim.scope).await? {
            let holder = words(&standing);
            if wait.clock.now().saturating_sub(self.start) >= wait.deadline {
                return Err(LockError::Timeout { waited: wait.deadline, holder });
            }
            if !is_told {
                (wait.on_busy)(&holder);
                is_told = true;
            }
            wait.clock.sleep(PAUSE).await;
        }
        let standing = table.standing(session, &self.claim.scope).await?;
        self.waited |= is_told;
        self.seen = standing.map_or(0, |standing| standing.epoch);
        Ok(self.waited)
    }

    async fn verify(&self, session: &mut dyn Session) -> Result<(), LockError> {
        self.advisory.verify(session).await
    }

    async fn take(&mut self, session: &mut dyn Session, is_forced: bool) -> Result<Option<i64>, LockError> {
        let table = self.lock.table()?;
        if !is_forced && table.held_elsewhere(session, &self.claim.scope).await?.is_some() {
            return Ok(None);
        }
        let request = LeaseRequest {
            scope: &self.claim.scope,
            owner: &self.claim.owner,
            run: &self.claim.run,
            format: FORMAT,
            time: self.claim.time,
            // What was planned is older than what anybody did who came since.
            after: (!is_forced).then_some(self.seen),
        };
        let lease = match table.take(session, &request).await {
            Ok(lease) => lease,
            Err(error) if !is_forced && self.is_lost_race(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let epoch = lease.epoch();
        self.lease = Some(lease);
        Ok(Some(epoch))
    }

    async fn fence(&self, session: &mut dyn Session) -> Result<(), LockError> {
        let lease = self.lease()?;
        if session.in_transaction() { lease.fence(session).await } else { lease.check(session).await }
    }

    fn condition(&self, scope: &str) -> Option<String> {
        self.lease.as_ref().map(|lease| lease.condition(scope))
    }

    async fn renew(&self, line: &mut Line<'_>) -> Result<(), LockError> {
        let mut session = line.session().await?;
        self.lease()?.refresh(session.as_mut()).await?;
        line.keep(session);
        Ok(())
    }

    async fn give_back(&self, session: &mut dyn Session) -> Result<(), LockError> {
        let lease = self.lease()?;
        let mut tries = 0;
        loop {
            match lease.release(session).await {
                // DDL of another node of a cluster aborted it; nothing of it is there.
                Err(error)
                    if !session.in_transaction()
                        && tries < GIVING_BACK.0
                        && error.database_error().is_some_and(|error| error.kind == DbErrorKind::Deadlock) =>
                {
                    SystemClock::new().sleep(full_jitter(GIVING_BACK.1, GIVING_BACK.2, tries)).await;
                    tries += 1;
                }
                answer => return answer,
            }
        }
    }

    async fn release(self: Box<Self>, session: &mut dyn Session) -> Result<(), LockError> {
        self.advisory.release(session).await
    }
}

fn words(standing: &LeaseStanding) -> String {
    format!(
        "held by `{}` through another node of the cluster since {} s, its lease lasts {} s more",
        standing.owner.as_deref().unwrap_or_default(),
        standing.taken_ms_ago / 1000,
        standing.expires_in_ms / 1000
    )
}
