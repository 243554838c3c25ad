//! A semaphore by which lanes of imports give way to pushes.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep},
};

/// The longest pause after a commit. A commit that took longer waited for something else.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Gives pushes priority. While there are many pushes, import lanes share one running commit, which
/// is as small as a commit of pushes. After it they pause for its duration. So import lanes keep a
/// share under any load.
pub(super) struct PrioritySemaphore {
    is_busy: Box<dyn Fn() -> bool + Send + Sync>,
    free: Arc<Semaphore>,
    lanes: u32,
    few: usize,
}

pub(super) struct Permit {
    is_exclusive: bool,
    start: Instant,
    _lanes: Option<OwnedSemaphorePermit>,
}

impl PrioritySemaphore {
    /// Permits for this many lanes. While there are many pushes, a batch has at most `few` lines.
    pub fn new(is_busy: Box<dyn Fn() -> bool + Send + Sync>, lanes: usize, few: usize) -> Self {
        let lanes = u32::try_from(lanes).unwrap_or(u32::MAX).max(1);
        Self {
            is_busy,
            free: Arc::new(Semaphore::new(lanes as usize)),
            lanes,
            few: few.max(1),
        }
    }

    pub fn batch(&self, most: usize) -> usize {
        if (self.is_busy)() {
            most.min(self.few)
        } else {
            most
        }
    }

    pub async fn acquire(&self) -> Permit {
        let is_exclusive = (self.is_busy)();
        let lanes = if is_exclusive { self.lanes } else { 1 };
        // The semaphore is never closed.
        let permit = Arc::clone(&self.free).acquire_many_owned(lanes).await.ok();
        Permit {
            is_exclusive,
            start: Instant::now(),
            _lanes: permit,
        }
    }
}

impl Permit {
    pub async fn release(self) {
        if self.is_exclusive {
            sleep(self.start.elapsed().min(LONGEST_PAUSE)).await;
        }
    }
}
