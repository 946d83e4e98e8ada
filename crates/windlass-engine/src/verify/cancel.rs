//! Stopping work that is no longer wanted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::process::StopHandle;

/// Lets one thread stop what another one is running.
#[derive(Clone, Default)]
pub struct Cancel {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    cancelled: AtomicBool,
    unit: Mutex<Option<StopHandle>>,
}

impl Cancel {
    /// Asks what is running to end, and lets nothing new start. A second call kills.
    pub fn cancel(&self) {
        self.inner.cancelled.store(true, Ordering::SeqCst);
        if let Some(unit) = &*self.unit() {
            unit.stop();
        }
    }

    /// Returns whether the work is no longer wanted.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancelled.load(Ordering::SeqCst)
    }

    /// Says which process is running, so that it can be stopped.
    pub(crate) fn running(&self, unit: Option<StopHandle>) {
        let mut running = self.unit();
        // Cancelled between the last look and the start: the process ends as it began.
        if let Some(unit) = &unit
            && self.is_cancelled()
        {
            unit.stop();
        }
        *running = unit;
    }

    fn unit(&self) -> std::sync::MutexGuard<'_, Option<StopHandle>> {
        self.inner.unit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
