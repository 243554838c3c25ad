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

/// A job that deletes what is over, a batch in a commit.
#[async_trait]
pub(super) trait Deletion: Send + Sync {
    /// What is deleted, in the plural.
    const ROWS: &'static str;
    /// How many are deleted in one commit.
    const BATCH: usize;
    /// How long they are kept.
    const KEPT: time::Duration = time::Duration::ZERO;

    /// The time before which they are deleted; `None` if none is. `now` is the earlier of this
    /// machine's time and the store's, so that a clock that is ahead deletes nothing too early.
    async fn before(
        &self,
        _: &WorkerParts,
        now: OffsetDateTime,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(Some(now - Self::KEPT))
    }

    /// Deletes a batch, and returns its size.
    async fn delete(
        &self,
        parts: &WorkerParts,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

#[async_trait]
impl<D: Deletion> Job for D {
    fn subject(&self) -> &'static str {
        D::ROWS
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let now = (parts.clock)().min((parts.machine_clock)());
        let Some(before) = self.before(parts, now).await? else {
            return Ok(());
        };
        let cleanup = Cleanup {
            rows: D::ROWS,
            size: D::BATCH,
            throttle: &parts.throttle,
            stop,
        };
        cleanup.run(|limit| self.delete(parts, before, limit)).await
    }
}
