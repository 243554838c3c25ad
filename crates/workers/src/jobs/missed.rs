//! Deletes records of postings that imports of their catalogues missed, once nobody asks for them.

use async_trait::async_trait;
use kernel::StoreError;
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::parts::WorkerParts;

/// The number of records that are deleted in one commit.
const BATCH: usize = 5_000;

pub(super) struct Missed;

#[async_trait]
impl Job for Missed {
    fn subject(&self) -> &'static str {
        "old misses of catalogues"
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let cleanup = parts.cleanup(self.subject(), BATCH, stop);
        cleanup
            .run(|limit| parts.catalogues.forget_missed(limit))
            .await
    }
}
