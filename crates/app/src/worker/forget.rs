//! Deletes drafts that were not used for a long time.

use std::{sync::Arc, time::Duration};

use domain::{enrichment::DraftCache, store::StoreError};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{clock::Clock, panics, waits};

/// How long a draft is kept after it was last used.
const KEPT: time::Duration = time::Duration::days(90);
/// How many are forgotten in one commit.
const BATCH: usize = 256;

/// Deletes old drafts at intervals.
pub(super) struct Forgetting {
    pub drafts: Arc<dyn DraftCache>,
    pub clock: Clock,
    pub every: Duration,
}

impl Forgetting {
    pub async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.sweep(&stop).await {
                tracing::warn!(%error, "old drafts wait for the next sweep");
            }
            tokio::select! {
                () = sleep(waits::jittered(self.every)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    async fn sweep(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        while !stop.is_cancelled() {
            let before = (self.clock)() - KEPT;
            let forgotten = panics::caught(self.drafts.forget(before, BATCH)).await?;
            if forgotten < BATCH as u64 {
                return Ok(());
            }
        }
        Ok(())
    }
}
