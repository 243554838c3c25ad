//! What a periodic job is.

use std::time::Duration;

use async_trait::async_trait;
use kernel::StoreError;
use runtime::Cleanup;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::parts::WorkerParts;

/// A job that is done at intervals.
#[async_trait]
pub(super) trait Job: Send {
    /// What waits for the next time when it fails, for the log.
    fn subject(&self) -> &'static str;

    /// The time between two runs.
    fn every(&self, parts: &WorkerParts) -> Duration {
        parts.settings.forget_every
    }

    /// Does all that is due, until it is asked to stop.
    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError>;
}

impl WorkerParts {
    /// The earlier of this machine's time and the store's, so that a clock that is ahead deletes
    /// nothing that is still kept.
    pub(super) async fn earliest_now(&self) -> Result<OffsetDateTime, StoreError> {
        let of_store = self.store_clock.time().await?;
        let now = (self.clock)();
        Ok(of_store.map_or(now, |of_store| of_store.min(now)))
    }

    /// A cleanup of these rows, of which a commit deletes so many.
    pub(super) fn cleanup<'a>(
        &'a self,
        rows: &'static str,
        size: usize,
        stop: &'a CancellationToken,
    ) -> Cleanup<'a> {
        Cleanup {
            rows,
            size,
            throttle: &self.throttle,
            stop,
        }
    }
}
