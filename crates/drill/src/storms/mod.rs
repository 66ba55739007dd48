//! Drills of one thing each: a holder that sleeps, a queue behind a lock, a pooler, a secret, a full disk, a primary that dies,
//! a replica that lags, a lease of another node, a cluster whose nodes all write.

mod canary;
mod cluster;
mod convoy;
mod elsewhere;
mod failover;
mod full;
mod pooler;
mod replicas;
mod steal;
mod storm;

pub(crate) use storm::{Storm, run};
