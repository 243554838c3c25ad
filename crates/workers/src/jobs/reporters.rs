//! Erases the names and addresses of readers whose reports were decided long ago.

use async_trait::async_trait;
use kernel::StoreError;
use time::OffsetDateTime;

use super::job::Deletion;
use crate::parts::WorkerParts;

pub(super) struct Reporters;

#[async_trait]
impl Deletion for Reporters {
    const ROWS: &'static str = "names and addresses of reporters";
    const BATCH: usize = 500;

    async fn before(
        &self,
        parts: &WorkerParts,
        now: OffsetDateTime,
    ) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(Some(now - parts.settings.keep_reporters))
    }

    async fn delete(
        &self,
        parts: &WorkerParts,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        parts.stores.reports.forget_reporters(before, limit).await
    }
}
