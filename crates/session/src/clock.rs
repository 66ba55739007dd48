//! Waiting and local deadlines, injectable so that tests need no real time.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

/// Monotonic local time. Never used to judge leases: there the database's clock decides.
#[async_trait]
pub trait Clock: Send + Sync + fmt::Debug {
    /// Time since an arbitrary fixed start, never going back.
    fn now(&self) -> Duration;
    /// Waits for `duration`.
    async fn sleep(&self, duration: Duration);
}

/// The machine's own clock; its start is when it was made. Needs a tokio runtime with time.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "two clocks of different starts are not the same default")]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_clock_goes_forward() {
        let clock = SystemClock::new();
        let before = clock.now();
        clock.sleep(Duration::from_millis(5)).await;
        assert!(clock.now() >= before + Duration::from_millis(5));
    }
}
