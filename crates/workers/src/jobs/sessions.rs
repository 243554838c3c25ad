//! Deletes links and sessions of the console that ended.

use async_trait::async_trait;
use kernel::StoreError;
use time::Duration;
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::parts::WorkerParts;

/// How long they are kept after their end, so that a clock that is ahead ends none too early.
const KEPT: Duration = Duration::DAY;
/// The number of them that are deleted in one commit.
const BATCH: usize = 500;

pub(super) struct Sessions;

#[async_trait]
impl Job for Sessions {
    fn subject(&self) -> &'static str {
        "old sessions"
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let before = (parts.clock)() - KEPT;
        let cleanup = parts.cleanup(self.subject(), BATCH, stop);
        cleanup
            .run(|limit| parts.sign_in_tokens.forget_tokens(before, limit))
            .await
    }
}
