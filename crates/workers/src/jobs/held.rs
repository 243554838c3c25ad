//! Ends expired holds on content that is not a job ad.

use std::time::Duration;

use async_trait::async_trait;
use domain::usecase;
use kernel::StoreError;
use runtime::Cleanup;
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::parts::WorkerParts;

const BATCH: usize = 256;

pub(super) struct Held;

#[async_trait]
impl Job for Held {
    fn subject(&self) -> &'static str {
        "expired holds on content"
    }

    fn every(&self, parts: &WorkerParts) -> Duration {
        parts.settings.sweep_every
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let cleanup = Cleanup {
            rows: self.subject(),
            size: BATCH,
            throttle: &parts.throttle,
            stop,
        };
        let end = async |limit| {
            let now = (parts.clock)();
            let before = now - parts.settings.hold_content;
            usecase::end_holds(&*parts.stores.store, before, limit, now).await
        };
        cleanup.run(end).await
    }
}
