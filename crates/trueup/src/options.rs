//! A caller's choices for a pipeline.

use std::sync::Arc;
use std::time::Duration;

use trueup_execute::LedgerStore;
use trueup_load::Allowances;
use trueup_lock::LockStore;
use trueup_plan::PlanOptions;
use trueup_schema::Ident;
use trueup_session::{Clock, DatabaseUrl};

use crate::CompileCache;

/// How to plan and run.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to compare and how far to go.
    pub plan: PlanOptions,
    /// What declared SQL may hold beyond the usual.
    pub allow: Allowances,
    /// The project's scope name: two projects in one database never touch each other's objects.
    pub scope: String,
    /// Where the control tables live (PostgreSQL).
    pub control_namespace: Ident,
    /// Time for each data check.
    pub check_timeout: Duration,
    /// Compare what was read of every table with what the server says of it, not only of those that are altered or adopted.
    pub verify: bool,
    /// Do not ask the rows.
    pub skip_data_checks: bool,
    /// One deadline over all waits for the lock.
    pub lock_wait: Duration,
    /// Lease time of a run.
    pub lease: Duration,
    /// Longest wait for a server to answer.
    pub connect_timeout: Duration,
    /// Who runs it, for the history.
    pub applied_by: String,
    /// A note for the history.
    pub note: Option<String>,
    /// The environment's name, for the history.
    pub environment: Option<String>,
    /// Where compiled declarations are kept between runs; none keeps nothing.
    pub cache: Option<Arc<dyn CompileCache>>,
    /// Servers that follow the target: after each part that was committed, and at the end, an apply waits until they have it. They show
    /// that by the control tables, which must be replicated with the rest.
    pub replicas: Vec<DatabaseUrl>,
    /// Longest wait for the replicas after each part; past that the run ends with an error, and the next one goes on.
    pub replica_wait: Duration,
    /// What excludes other runs; none is the usual lock in the database itself. All that change one database under one scope must say
    /// the same.
    pub lock: Option<Arc<dyn LockStore>>,
    /// Where steps, finished runs and tracked objects are written down; none are the control tables in the database itself. All that
    /// change one database under one scope must say the same.
    pub ledger: Option<Arc<dyn LedgerStore>>,
    /// What waits and deadlines are measured by; none is the machine's own clock, which needs a tokio runtime with time.
    pub clock: Option<Arc<dyn Clock>>,
}

impl Options {
    /// The usual choices: tracked ownership, five seconds a data check, a minute for the lock.
    ///
    /// # Errors
    /// Never in practice: the default control namespace is a valid name.
    pub fn new() -> Result<Self, trueup_schema::IdentError> {
        Ok(Self {
            plan: PlanOptions::default(),
            allow: Allowances::default(),
            scope: String::new(),
            control_namespace: Ident::new("trueup")?,
            check_timeout: Duration::from_secs(5),
            verify: false,
            skip_data_checks: false,
            lock_wait: Duration::from_secs(60),
            lease: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            applied_by: "trueup".to_owned(),
            note: None,
            environment: None,
            cache: None,
            replicas: Vec::new(),
            replica_wait: Duration::from_secs(600),
            lock: None,
            ledger: None,
            clock: None,
        })
    }
}
