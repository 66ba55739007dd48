//! Which lock, ledger and clock a pipeline uses: the usual ones, or the embedder's.

use std::sync::Arc;

use trueup_execute::{ControlTables, LedgerStore, TwoKeyLock};
use trueup_lock::{LockStore, canonical_scope};
use trueup_session::{Clock, Session, SystemClock};

use crate::{Options, Pipeline};

impl Options {
    /// The scope as every store knows it.
    pub(crate) fn canonical_scope(&self) -> &str {
        canonical_scope(&self.scope)
    }
}

impl Pipeline {
    /// What excludes other runs on the database behind `session`.
    pub(crate) fn lock(&self, session: &dyn Session) -> Arc<dyn LockStore> {
        if let Some(lock) = &self.options.lock {
            return Arc::clone(lock);
        }
        let (dialect, namespace) = (session.server().dialect, self.control_namespace(session));
        Arc::new(match self.options.ledger {
            Some(_) => TwoKeyLock::new(dialect, namespace.as_ref()),
            None => ControlTables::new(dialect, namespace.as_ref()).lock(),
        })
    }

    /// Where runs on the database behind `session` are written down.
    pub(crate) fn ledger_store(&self, session: &dyn Session) -> Arc<dyn LedgerStore> {
        if let Some(ledger) = &self.options.ledger {
            return Arc::clone(ledger);
        }
        let (dialect, namespace) = (session.server().dialect, self.control_namespace(session));
        Arc::new(match self.options.lock {
            Some(_) => ControlTables::beside_another_lock(dialect, namespace.as_ref()),
            None => ControlTables::new(dialect, namespace.as_ref()),
        })
    }

    /// What waits are measured by.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.options.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::new()))
    }
}
