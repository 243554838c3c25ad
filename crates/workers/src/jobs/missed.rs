use async_trait::async_trait;
use kernel::StoreError;
use time::OffsetDateTime;

use super::job::Deletion;
use crate::parts::WorkerParts;

pub(super) struct Missed;

#[async_trait]
impl Deletion for Missed {
    const ROWS: &'static str = "old misses of catalogues";
    const BATCH: usize = 5_000;

    async fn delete(
        &self,
        parts: &WorkerParts,
        _: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        parts.stores.catalogues.forget_missed(limit).await
    }
}
