use async_trait::async_trait;
use kernel::StoreError;
use time::{Duration, OffsetDateTime};

use super::job::Deletion;
use crate::parts::WorkerParts;

pub(super) struct Sessions;

#[async_trait]
impl Deletion for Sessions {
    const ROWS: &'static str = "old sessions";
    const BATCH: usize = 500;
    const KEPT: Duration = Duration::DAY;

    async fn delete(
        &self,
        parts: &WorkerParts,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        parts
            .stores
            .sign_in_tokens
            .forget_tokens(before, limit)
            .await
    }
}
