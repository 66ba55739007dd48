//! Waiting and local deadlines, injectable so that tests need no real time.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

/// Monotonic local time. Never used to judge leases: there the database's clock decides.
#[async_trait]
pub trait Clock: Send + Sync + fmt::Debug {
    /// Time since an arbitrary fixed start, never going back.
    fn now(&self) -> Duration;
    /// Waits for `duration`.
    async fn sleep(&self, duration: Duration);
}
