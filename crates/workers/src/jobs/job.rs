use std::time::Duration;

use async_trait::async_trait;
use kernel::StoreError;
use tokio_util::sync::CancellationToken;

use crate::parts::WorkerParts;

#[async_trait]
pub(super) trait Job: Send {
    /// The work of the job, as the log names it.
    fn subject(&self) -> &'static str;

    fn every(&self, parts: &WorkerParts) -> Duration {
        parts.settings.forget_every
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError>;
}
