//! Deletes old records of what changes of postings replaced.

use async_trait::async_trait;
use kernel::StoreError;
use time::OffsetDateTime;

use super::job::Deletion;
use crate::parts::WorkerParts;

pub(super) struct Versions;

#[async_trait]
impl Deletion for Versions {
    const ROWS: &'static str = "old versions of postings";
    const BATCH: usize = 1_000;

    async fn before(
        &self,
        parts: &WorkerParts,
        now: OffsetDateTime,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(parts.settings.keep_versions.map(|keep| now - keep))
    }

    async fn delete(
        &self,
        parts: &WorkerParts,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        parts.stores.retention.forget_versions(before, limit).await
    }
}
