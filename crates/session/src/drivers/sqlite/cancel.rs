//! Stopping a statement from outside: the engine asks a flag every so often whether to go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;

use crate::{CancelHandle, DbError};

/// Steps of the engine between two questions. A thousand is well below a millisecond and costs nothing to notice.
pub(super) const STEPS: i32 = 1000;

/// Set by the handle, cleared by the session when its next statement begins.
#[derive(Debug, Clone, Default)]
pub(super) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[async_trait]
impl CancelHandle for Cancel {
    async fn cancel(&self) -> Result<(), DbError> {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}
