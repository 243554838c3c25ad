use async_trait::async_trait;
use kernel::StoreError;
use time::OffsetDateTime;

use super::job::Deletion;
use crate::{metrics, parts::WorkerParts};

pub(super) struct Texts;

#[async_trait]
impl Deletion for Texts {
    const ROWS: &'static str = "texts of expired postings";
    const BATCH: usize = 500;

    async fn before(
        &self,
        parts: &WorkerParts,
        now: OffsetDateTime,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(parts.settings.keep_expired_texts.map(|keep| now - keep))
    }

    async fn delete(
        &self,
        parts: &WorkerParts,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let count = parts.stores.retention.drop_texts(before, limit).await?;
        metrics::texts_dropped(count as u64);
        Ok(count)
    }
}
