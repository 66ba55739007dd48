//! Schema migration engine: declare a schema, plan, refuse what is unsafe, apply under a lock, prove.
//!
//! [`Pipeline`] is the happy path. Every crate behind it can be used alone and is re-exported here.

mod compare;
mod declared;
mod desire;
mod error;
mod live;
mod options;
mod pipeline;
mod rehearsal;

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

pub use compare::Side;
pub use declared::Declared;
pub use error::Error;
pub use options::Options;
pub use pipeline::{ApplyRequest, Drifted, Inspected, Pipeline, Planned, Silence, Standing};
pub use rehearsal::RehearseRequest;
