//! A semaphore on which the lanes of imports give way to pushes.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep},
};

/// The longest pause after a commit: one that took longer waited for something else.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Lets pushes go first. While they are many, the lanes of imports have one commit under way in
/// all, as small as one of pushes, and pause after it for as long as it took. So they keep a
/// share, whatever the load of pushes is.
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
    /// Permits for so many lanes. While pushes are many, a batch has `few` lines at most.
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
        // It is never closed.
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
