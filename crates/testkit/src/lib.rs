//! Throw-away servers, fault-injecting sessions and a case runner for trueup's own tests.
//!
//! A live test takes its servers from [`servers::postgres`], [`servers::mariadb`] or [`servers::mysql`], which answer
//! only under `cargo xtask test`; elsewhere they fail with a message that says so, and never skip.

#[cfg(feature = "session")]
mod database;
#[cfg(feature = "session")]
mod fault;
#[cfg(feature = "session")]
mod proxy;
pub mod servers;

#[cfg(feature = "session")]
pub use database::TestDatabase;
#[cfg(feature = "session")]
pub use fault::{Call, Failure, FaultConnector, FaultPlan, FaultSession, Side};
#[cfg(feature = "session")]
pub use proxy::Proxy;
