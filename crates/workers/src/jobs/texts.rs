//! Deletes the texts of postings that expired long ago.

use async_trait::async_trait;
use kernel::StoreError;
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::{metrics, parts::WorkerParts};

/// The number of postings whose texts are deleted in one commit.
const BATCH: usize = 500;

pub(super) struct Texts;

#[async_trait]
impl Job for Texts {
    fn subject(&self) -> &'static str {
        "texts of expired postings"
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let Some(keep) = parts.settings.keep_expired_texts else {
            return Ok(());
        };
        let before = parts.earliest_now().await? - keep;
        let cleanup = parts.cleanup(self.subject(), BATCH, stop);
        cleanup
            .run(async |limit| {
                let count = parts.retention.drop_texts(before, limit).await?;
                metrics::texts_dropped(count as u64);
                Ok(count)
            })
            .await
    }
}
