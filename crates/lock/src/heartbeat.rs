//! Keeping a lease while the work goes on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use trueup_session::{Clock, Connector, DbError, DbErrorKind};

use crate::{Line, LockError, LockGuard};

/// Shortest time between two beats.
const SHORTEST: Duration = Duration::from_secs(1);

/// What the heartbeat tells the work, and the work the heartbeat.
#[derive(Debug)]
pub struct Pulse {
    scope: String,
    /// Local time after which no statement may start: counted from before the last good beat was sent.
    deadline_micros: AtomicU64,
    time: Duration,
    lost: Mutex<Option<LockError>>,
    is_stopping: AtomicBool,
    stop: Notify,
}

impl Pulse {
    /// The pulse of a lock of `scope` that lasts `time` and was taken after `sent` on the local clock.
    #[must_use]
    pub fn new(scope: &str, time: Duration, sent: Duration) -> Self {
        let pulse = Self {
            scope: scope.to_owned(),
            deadline_micros: AtomicU64::new(0),
            time,
            lost: Mutex::new(None),
            is_stopping: AtomicBool::new(false),
            stop: Notify::new(),
        };
        pulse.renew(sent);
        pulse
    }

    /// Whether the work may start another statement at local time `now`.
    ///
    /// # Errors
    /// What the heartbeat found, once; [`LockError::Expired`] if it could not renew the lease in time.
    pub fn check(&self, now: Duration) -> Result<(), LockError> {
        if let Some(error) = self.lost.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        if micros(now) > self.deadline_micros.load(Ordering::SeqCst) {
            return Err(LockError::Expired { scope: self.scope.clone() });
        }
        Ok(())
    }

    /// The work is over. The heartbeat ends when a beat that is under way has been answered.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        self.stop.notify_one();
    }

    /// A fifth of the time is kept back for clocks that run at different speeds.
    fn renew(&self, sent: Duration) {
        self.deadline_micros.store(micros(sent.saturating_add(self.time.saturating_mul(4) / 5)), Ordering::SeqCst);
    }

    /// Whether the lease could not be renewed in time.
    fn is_over(&self, now: Duration) -> bool {
        micros(now) > self.deadline_micros.load(Ordering::SeqCst)
    }

    fn lose(&self, error: LockError) {
        // From now on every check fails, the first one with the reason.
        self.deadline_micros.store(0, Ordering::SeqCst);
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Renews a lock beside the work: a future to be polled with it, at most one beat at a time.
#[derive(Debug)]
pub struct Heartbeat<'a> {
    /// Opens a connection of its own, when a beat asks for one.
    pub connector: &'a dyn Connector,
    /// Waits.
    pub clock: &'a dyn Clock,
    /// What to renew.
    pub held: &'a dyn LockGuard,
}

impl Heartbeat<'_> {
    /// Beats until [`Pulse::stop`], or until the lease is lost. A beat that the server does not answer is no loss by itself:
    /// it is tried again.
    ///
    /// # Errors
    /// [`LockError::Silent`] when no beat was answered until the lease could no longer be trusted: waiting for the work
    /// makes no sense then, as its connection is as dead as all others. A lease that is lost is told by [`Pulse::check`].
    pub async fn beat(&self, pulse: &Pulse) -> Result<(), LockError> {
        let pause = (pulse.time / 3).max(SHORTEST);
        let mut line = Line::new(self.connector);
        while !pulse.is_stopping.load(Ordering::SeqCst) {
            tokio::select! {
                () = self.clock.sleep(pause) => {}
                () = pulse.stop.notified() => break,
            }
            let sent = self.clock.now();
            let answer = tokio::select! {
                answer = self.held.renew(&mut line) => answer,
                () = self.clock.sleep(pause) => Err(unanswered()),
            };
            match answer {
                Ok(()) => pulse.renew(sent),
                Err(LockError::Database { source, .. }) => {
                    tracing::warn!(
                        error = source.as_ref() as &dyn std::error::Error,
                        "a heartbeat failed, the next one may not"
                    );
                    let is_silent = matches!(source.kind, DbErrorKind::ConnectionLost | DbErrorKind::CannotConnect);
                    if is_silent && pulse.is_over(self.clock.now()) {
                        return Err(LockError::Silent { scope: pulse.scope.clone(), time: pulse.time });
                    }
                }
                Err(error @ LockError::Store { .. }) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "a heartbeat failed, the next one may not"
                    );
                }
                Err(lost) => {
                    pulse.lose(lost);
                    break;
                }
            }
        }
        line.close().await;
        Ok(())
    }
}

fn unanswered() -> LockError {
    let source = DbError::new(DbErrorKind::ConnectionLost, "the server did not answer");
    LockError::database("renew the lease")(source)
}
