//! Deletes a model's drafts that were not used for a long time.

use async_trait::async_trait;
use kernel::StoreError;
use time::Duration;
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::parts::WorkerParts;

/// How long a draft is kept after it was last used.
const KEPT: Duration = Duration::days(90);
/// The number of drafts that are deleted in one commit.
const BATCH: usize = 256;

pub(super) struct Drafts;

#[async_trait]
impl Job for Drafts {
    fn subject(&self) -> &'static str {
        "old drafts"
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let before = (parts.clock)() - KEPT;
        let cleanup = parts.cleanup(self.subject(), BATCH, stop);
        cleanup
            .run(async |limit| {
                let forgotten = parts.drafts.forget(before, limit).await?;
                Ok(usize::try_from(forgotten).unwrap_or(limit))
            })
            .await
    }
}
