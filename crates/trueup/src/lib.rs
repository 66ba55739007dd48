//! Schema migration engine: declare a schema, plan, refuse what is unsafe, apply under a lock, prove.
//!
//! [`Pipeline`] is the happy path. Every crate behind it can be used alone and is re-exported here.
//!
//! ```
//! use trueup::execute::RunStatus;
//! use trueup::plan::{Consent, PlanStatus};
//! use trueup::schema::builder::{bigint, text};
//! use trueup::schema::{DialectId, Schema};
//! use trueup::session::DatabaseUrl;
//! use trueup::{ApplyRequest, Declared, Options, Pipeline, Silence};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run())
//! # }
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let mut shop = Schema::build(DialectId::Sqlite);
//! let mut customers = shop.table("customers");
//! customers.column("id", bigint()).primary_key();
//! customers.column("mail", text()).not_null().unique();
//! let declared = Declared::built(shop.finish()?);
//!
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("shop.db");
//! let url = DatabaseUrl::parse(&format!("sqlite://{}", file.display()))?;
//! let pipeline = Pipeline::new(url, None, Options::new()?)?;
//!
//! // a plan is data, and changes nothing
//! let planned = pipeline.plan(&declared).await?;
//! assert_eq!(planned.status(), PlanStatus::Pending);
//! println!("{}", planned.script.to_sql());
//!
//! // an apply plans again under the lock, and proves that nothing is left to do
//! let applied = pipeline.apply(&declared, Consent::None, ApplyRequest::default(), &Silence).await?;
//! assert_eq!(applied.status, RunStatus::Synced);
//! assert_eq!(pipeline.plan(&declared).await?.status(), PlanStatus::UpToDate);
//! # Ok(())
//! # }
//! ```
//!
//! - A plan that loses data needs a [`Consent`](plan::Consent) for each loss, or one for all; a plan that cannot be carried out
//!   safely is [refused](Planned::refusals). Neither is an [`Error`].
//! - [`Declared`] comes from SQL files, from a document or from the [builder](schema::Schema::build).
//! - Libraries of trueup read no environment and print nothing: [`Options`] says everything, a
//!   [`Listener`](execute::Listener) hears what goes on.
//!
//! # A lock, a ledger, a clock of your own
//!
//! A framework that has a lock already gives it in [`Options::lock`]; [`Options::ledger`] is where runs are written down, and
//! [`Options::clock`] what waits are measured by. The contracts are on [`LockStore`](lock::LockStore) and
//! [`LedgerStore`](execute::LedgerStore). Here is the lock of a program that is alone with its database:
//!
//! ```
//! use std::sync::Arc;
//!
//! use tokio::sync::{Mutex, OwnedMutexGuard};
//! use trueup::Options;
//! use trueup::lock::{Claim, Line, LockError, LockGuard, LockStanding, LockStore, Wait};
//! use trueup::session::Session;
//!
//! /// One run at a time in this process; the number is the last epoch.
//! #[derive(Debug, Default)]
//! struct Alone(Arc<Mutex<i64>>);
//!
//! #[derive(Debug)]
//! struct Turn {
//!     epoch: OwnedMutexGuard<i64>,
//!     waited: bool,
//! }
//!
//! #[async_trait::async_trait]
//! impl LockStore for Alone {
//!     async fn acquire(
//!         &self,
//!         _session: &mut dyn Session,
//!         _claim: &Claim,
//!         wait: &Wait<'_>,
//!     ) -> Result<Box<dyn LockGuard>, LockError> {
//!         if let Ok(epoch) = Arc::clone(&self.0).try_lock_owned() {
//!             return Ok(Box::new(Turn { epoch, waited: false }));
//!         }
//!         let holder = "another task of this program";
//!         (wait.on_busy)(holder);
//!         tokio::select! {
//!             epoch = Arc::clone(&self.0).lock_owned() => Ok(Box::new(Turn { epoch, waited: true })),
//!             () = wait.clock.sleep(wait.deadline) => {
//!                 Err(LockError::Timeout { waited: wait.deadline, holder: holder.to_owned() })
//!             }
//!         }
//!     }
//!     async fn prepare(&self, _: &mut dyn Session) -> Result<(), LockError> {
//!         Ok(()) // nothing is kept in the database
//!     }
//!     async fn standing(&self, _: &mut dyn Session, _scope: &str) -> Result<LockStanding, LockError> {
//!         Ok(LockStanding::default())
//!     }
//!     async fn evict(&self, _: &mut dyn Session, _scope: &str, _: &LockStanding) -> Result<(), LockError> {
//!         Err(LockError::NoSession)
//!     }
//! }
//!
//! /// What is held as long as the guard lives is neither lost nor stolen: there is nothing to ask.
//! #[async_trait::async_trait]
//! impl LockGuard for Turn {
//!     async fn look(&mut self, _: &mut dyn Session, _: &Wait<'_>) -> Result<bool, LockError> {
//!         Ok(self.waited)
//!     }
//!     async fn verify(&self, _: &mut dyn Session) -> Result<(), LockError> {
//!         Ok(())
//!     }
//!     async fn take(&mut self, _: &mut dyn Session, _is_forced: bool) -> Result<Option<i64>, LockError> {
//!         *self.epoch += 1;
//!         Ok(Some(*self.epoch))
//!     }
//!     async fn fence(&self, _: &mut dyn Session) -> Result<(), LockError> {
//!         Ok(())
//!     }
//!     fn condition(&self, _scope: &str) -> Option<String> {
//!         None
//!     }
//!     async fn renew(&self, _: &mut Line<'_>) -> Result<(), LockError> {
//!         Ok(())
//!     }
//!     async fn give_back(&self, _: &mut dyn Session) -> Result<(), LockError> {
//!         Ok(())
//!     }
//!     async fn release(self: Box<Self>, _: &mut dyn Session) -> Result<(), LockError> {
//!         Ok(()) // dropped
//!     }
//! }
//!
//! # use trueup::execute::RunStatus;
//! # use trueup::plan::Consent;
//! # use trueup::session::DatabaseUrl;
//! # use trueup::{ApplyRequest, Declared, Pipeline, Silence};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run())
//! # }
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = DatabaseUrl::parse(&format!("sqlite://{}", folder.path().join("shop.db").display()))?;
//! let mut options = Options::new()?;
//! options.lock = Some(Arc::new(Alone::default()));
//! # let declared = Declared::sql("shop.sql", "CREATE TABLE customers (id INTEGER PRIMARY KEY);");
//! let pipeline = Pipeline::new(url, None, options)?;
//! let applied = pipeline.apply(&declared, Consent::None, ApplyRequest::default(), &Silence).await?;
//! assert_eq!(applied.status, RunStatus::Synced);
//! # Ok(())
//! # }
//! ```

mod cache;
mod compare;
mod declared;
mod desire;
mod elsewhere;
mod error;
mod live;
mod operator;
mod options;
mod pipeline;
mod rehearsal;
mod stores;
mod understood;

pub use trueup_dialect as dialect;
pub use trueup_diff as diff;
pub use trueup_execute as execute;
pub use trueup_introspect as introspect;
pub use trueup_load as load;
pub use trueup_lock as lock;
pub use trueup_plan as plan;
pub use trueup_rehearse as rehearse;
pub use trueup_render as render;
pub use trueup_schema as schema;
pub use trueup_session as session;
pub use trueup_snapshot as snapshot;

pub use cache::CompileCache;
pub use compare::{Side, compare_documents};
pub use declared::Declared;
pub use error::Error;
pub use operator::{LedgerReport, LockReport};
pub use options::Options;
pub use pipeline::{ApplyRequest, Drifted, Inspected, Pipeline, Planned, Silence, Standing};
pub use rehearsal::RehearseRequest;
