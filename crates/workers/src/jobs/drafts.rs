use async_trait::async_trait;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use super::job::Deletion;
use crate::parts::WorkerParts;

pub(super) struct Drafts;

#[async_trait]
impl Deletion for Drafts {
    const ROWS: &'static str = "old drafts";
    const BATCH: usize = 256;
    const KEPT: Duration = Duration::days(90);

    async fn delete(
        &self,
        parts: &WorkerParts,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let forgotten = parts.stores.drafts.forget(before, limit).await?;
        Ok(usize::try_from(forgotten).unwrap_or(limit))
    }
}
