//! Runs through other nodes of a cluster, whose advisory locks are not seen here: the lease row is what all nodes share.

use std::time::Duration;

use trueup_lock::{Lease, LeaseRequest, LeaseStanding, LockError};
use trueup_schema::DialectId;
use trueup_session::{DbErrorKind, Session};

use crate::control::FORMAT;
use crate::run::Run;
use crate::{Event, ExecuteError};

/// Pause between two looks at a lease that is held elsewhere.
const PAUSE: Duration = Duration::from_millis(200);

/// The epoch of the last holder when a run began to look: what it plans from is older than any later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen(i64);

impl Run<'_> {
    /// Waits until nobody holds the lease through another node, within the one deadline; `waited` becomes true if it had to.
    pub(crate) async fn others(&self, session: &mut dyn Session, waited: &mut bool) -> Result<Seen, ExecuteError> {
        if !self.store.control.are_there(session).await? {
            return Ok(Seen(0));
        }
        let table = self.store.control.lease_table()?;
        let mut is_told = false;
        while let Some(standing) = table.held_elsewhere(session, &self.store.scope).await? {
            let holder = words(&standing);
            if self.ports.clock.now().saturating_sub(self.started) >= self.request.lock_wait {
                return Err(LockError::Timeout { waited: self.request.lock_wait, holder }.into());
            }
            if !is_told {
                self.hear(&Event::WaitingForLock { holder });
                is_told = true;
            }
            self.pause(PAUSE).await;
        }
        let standing = table.standing(session, &self.store.scope).await?;
        *waited |= is_told;
        Ok(Seen(standing.map_or(0, |standing| standing.epoch)))
    }

    /// The lease under the epoch that comes after the one that was seen; `None` if somebody was faster through another node.
    pub(crate) async fn take_lease(
        &self,
        session: &mut dyn Session,
        seen: Seen,
    ) -> Result<Option<Lease>, ExecuteError> {
        let table = self.store.control.lease_table()?;
        if table.held_elsewhere(session, &self.store.scope).await?.is_some() {
            return Ok(None);
        }
        let request = LeaseRequest {
            scope: &self.store.scope,
            owner: &self.request.applied_by,
            run: &self.id,
            format: FORMAT,
            time: self.request.lease,
        };
        let lease = match table.take(session, &request).await.map_err(ExecuteError::from) {
            Ok(lease) => lease,
            Err(error) if self.is_lost_race(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        if lease.epoch() == seen.0.saturating_add(1) {
            return Ok(Some(lease));
        }
        // Somebody came and went: the plan is older than what was done.
        lease.release(session).await?;
        Ok(None)
    }

    /// Whether an error says that another node wrote the row first.
    pub(crate) fn is_lost_race(&self, error: &ExecuteError) -> bool {
        let is_clustered = matches!(self.store.control.dialect, DialectId::MySql | DialectId::MariaDb);
        let is_beaten = matches!(error, ExecuteError::Lock(error) if matches!(**error, LockError::Stolen { .. }))
            || matches!(
                error.database_kind(),
                Some(DbErrorKind::Deadlock | DbErrorKind::SerializationFailure | DbErrorKind::UniqueViolation)
            );
        is_clustered && is_beaten
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
