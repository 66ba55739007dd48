//! Which lock, ledger and clock a pipeline uses: the usual ones, or the embedder's.

use std::sync::Arc;

use trueup_execute::{ControlTables, LedgerStore, TwoKeyLock};
use trueup_lock::{LockStore, canonical_scope};
use trueup_schema::DialectId;
use trueup_session::{Clock, Connector, DatabaseUrl, Session, SystemClock, connector};

use crate::{Error, Options, Pipeline};

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

    /// What is waited for after each part of a run.
    pub(crate) fn replicas(&self) -> Result<Vec<Arc<dyn Connector>>, Error> {
        let Options { replicas, ledger, .. } = &self.options;
        if replicas.is_empty() {
            return Ok(Vec::new());
        }
        if ledger.is_some() {
            return Err(Error::Replicas("they show what they have by the control tables, and this ledger keeps none"));
        }
        if self.target().url().scheme() == DialectId::Sqlite {
            return Err(Error::Replicas("a file has none"));
        }
        let connect = |url: &DatabaseUrl| Ok(Arc::from(connector(url.clone())?));
        replicas.iter().map(connect).collect()
    }

    /// What waits are measured by.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.options.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::new()))
    }
}
