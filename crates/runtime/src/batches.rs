use std::time::Duration;

use kernel::StoreError;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{panics, throttle::Throttle};

/// The shortest pause between batches, in which other transactions get the locked rows.
const PAUSE: Duration = Duration::from_millis(20);

/// Cleans up one batch per commit. Ends when a batch is not full or `stop` is cancelled.
pub struct Cleanup<'a> {
    /// What the rows are called in the log, in the plural.
    pub rows: &'static str,
    pub size: usize,
    /// Reduces the load while there are many pushes.
    pub throttle: &'a Throttle,
    pub stop: &'a CancellationToken,
}

impl Cleanup<'_> {
    /// Repeats `batch`. It gets the size of a batch, and returns the number of cleaned up rows.
    pub async fn run<F>(&self, mut batch: impl FnMut(usize) -> F) -> Result<(), StoreError>
    where
        F: Future<Output = Result<usize, StoreError>>,
    {
        let mut total = 0;
        let result = loop {
            if self.stop.is_cancelled() {
                break Ok(());
            }
            let (start, size) = (Instant::now(), self.throttle.sweep_size(self.size));
            match panics::caught(batch(size)).await {
                Ok(count) => {
                    total += count;
                    if count < size {
                        break Ok(());
                    }
                }
                Err(error) => break Err(error),
            }
            let pause = self.throttle.sweep_pause(start.elapsed()).max(PAUSE);
            self.stop.run_until_cancelled(sleep(pause)).await;
        };
        if total > 0 {
            tracing::info!(total, "{} were deleted", self.rows);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::{future::ready, sync::Arc};

    use super::*;

    async fn batches(mut rows: usize, is_busy: bool, stop_after: usize) -> Vec<usize> {
        let (stop, mut sizes) = (CancellationToken::new(), Vec::new());
        let throttle = Throttle(Arc::new(move || is_busy));
        let cleanup = Cleanup {
            rows: "rows",
            size: 100,
            throttle: &throttle,
            stop: &stop,
        };
        let cleaned = cleanup.run(|size| {
            let count = rows.min(size);
            rows -= count;
            sizes.push(count);
            if sizes.len() == stop_after {
                stop.cancel();
            }
            ready(Ok(count))
        });
        cleaned.await.unwrap();
        sizes
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_with_a_batch_that_is_not_full_or_when_it_is_asked_to() {
        assert_eq!(batches(250, false, 9).await, [100, 100, 50]);
        assert_eq!(batches(200, false, 9).await, [100, 100, 0]);
        assert_eq!(batches(250, false, 1).await, [100]);
        assert_eq!(batches(15, true, 9).await, [6, 6, 3], "while many push");
    }
}
