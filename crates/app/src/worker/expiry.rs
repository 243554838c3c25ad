//! Ends lifetimes.

use std::{sync::Arc, time::Duration};

use domain::{
    store::{Store, StoreError},
    usecase,
};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{clock::Clock, panics, waits};

/// How many postings expire in one commit.
const BATCH: usize = 256;
/// How often a sweep is tried again when others change the same postings.
const CONFLICTS: u32 = 4;

/// Expires postings whose lifetime has ended, every now and then.
pub(super) struct Expiry {
    pub store: Arc<dyn Store>,
    pub clock: Clock,
    pub every: Duration,
}

impl Expiry {
    pub async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.sweep(&stop).await {
                tracing::warn!(%error, "overdue postings wait for the next sweep");
            }
            tokio::select! {
                () = sleep(waits::about(self.every)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Expires everything that is overdue now.
    async fn sweep(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        let mut conflicts = 0;
        while !stop.is_cancelled() {
            let now = (self.clock)();
            match panics::caught(usecase::expire_overdue(self.store.as_ref(), BATCH, now)).await {
                Ok(0) => return Ok(()),
                Ok(overdue) => {
                    tracing::info!(overdue, "lifetimes ended");
                    if overdue < BATCH {
                        return Ok(());
                    }
                }
                Err(StoreError::Conflict) if conflicts < CONFLICTS => conflicts += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
