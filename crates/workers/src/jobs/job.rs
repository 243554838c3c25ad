use std::time::Duration;

use async_trait::async_trait;
use kernel::StoreError;
use runtime::Cleanup;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::parts::WorkerParts;

#[async_trait]
pub(super) trait Job: Send {
    /// The postponed work, for the log.
    fn subject(&self) -> &'static str;

    fn every(&self, parts: &WorkerParts) -> Duration {
        parts.settings.forget_every
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError>;
}

#[async_trait]
pub(super) trait Deletion: Send + Sync {
    const ROWS: &'static str;
    const BATCH: usize;
    const KEPT: time::Duration = time::Duration::ZERO;

    /// Older rows are deleted; `None` for none. `now` is the earlier of this machine's time and the
    /// store's, so that a fast clock deletes nothing too early.
    async fn before(
        &self,
        _: &WorkerParts,
        now: OffsetDateTime,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(Some(now - Self::KEPT))
    }

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
