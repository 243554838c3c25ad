//! The turns of lanes that give way to pushes.

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
pub(super) struct Turns {
    is_busy: Box<dyn Fn() -> bool + Send + Sync>,
    free: Arc<Semaphore>,
    lanes: u32,
    few: usize,
}

/// A turn, until it is dropped.
pub(super) struct Turn {
    few: usize,
    is_alone: bool,
    start: Instant,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// Turns for so many lanes. While pushes are many, a batch has `few` lines at most.
    pub fn new(is_busy: Box<dyn Fn() -> bool + Send + Sync>, lanes: usize, few: usize) -> Self {
        let lanes = u32::try_from(lanes).unwrap_or(u32::MAX).max(1);
        Self {
            is_busy,
            free: Arc::new(Semaphore::new(lanes as usize)),
            lanes,
            few: few.max(1),
        }
    }

    /// Waits for a turn of one lane.
    pub async fn next(&self) -> Turn {
        let is_alone = (self.is_busy)();
        let lanes = if is_alone { self.lanes } else { 1 };
        // It is never closed.
        let permit = Arc::clone(&self.free).acquire_many_owned(lanes).await.ok();
        Turn {
            few: self.few,
            is_alone,
            start: Instant::now(),
            _permit: permit,
        }
    }
}

impl Turn {
    /// The size of the turn's batch, of `most` at most.
    pub fn batch(&self, most: usize) -> usize {
        if self.is_alone {
            most.min(self.few)
        } else {
            most
        }
    }

    /// Ends the turn after its commit.
    pub async fn end(self) {
        if self.is_alone {
            sleep(self.start.elapsed().min(LONGEST_PAUSE)).await;
        }
    }
}
