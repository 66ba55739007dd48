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
pub use compare::Side;
pub use declared::Declared;
pub use error::Error;
pub use operator::{LedgerReport, LockReport};
pub use options::Options;
pub use pipeline::{ApplyRequest, Drifted, Inspected, Pipeline, Planned, Silence, Standing};
pub use rehearsal::RehearseRequest;
