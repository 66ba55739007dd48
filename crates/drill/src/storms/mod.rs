//! Drills of one thing each: a holder that sleeps, a queue behind a lock, a pooler, a secret, a full disk, a primary that dies,
//! a cluster.

mod canary;
mod cluster;
mod convoy;
mod failover;
mod full;
mod pooler;
mod steal;
mod storm;

pub(crate) use storm::{Storm, run};
