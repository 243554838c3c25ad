//! Deletes drafts that were not used for a long time, and old events.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{enrichment::DraftCache, event::EventLog, store::StoreError};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::throttle::Throttle;
use crate::{clock::Clock, panics, waits};

/// How long a draft is kept after it was last used.
const KEPT: time::Duration = time::Duration::days(90);
/// The number of drafts that are deleted in one commit.
const DRAFTS: usize = 256;
/// The number of events that are deleted in one commit.
const EVENTS: usize = 5_000;
/// The pause after such a commit.
const PAUSE: Duration = Duration::from_millis(20);

/// Deletes rows that are older than they are kept.
#[async_trait]
pub(super) trait Sweep: Send {
    /// The deleted rows, in the plural.
    const ROWS: &'static str;

    /// Deletes all old rows, in batches, until it is stopped.
    async fn sweep(&self, stop: &CancellationToken) -> Result<(), StoreError>;
}

/// Sweeps at intervals.
pub(super) async fn run(sweep: impl Sweep, every: Duration, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = sweep.sweep(&stop).await {
            tracing::warn!(%error, "old {} wait for the next sweep", rows(&sweep));
        }
        tokio::select! {
            () = sleep(waits::jittered(every)) => {}
            () = stop.cancelled() => {}
        }
    }
}

const fn rows<S: Sweep>(_: &S) -> &'static str {
    S::ROWS
}

/// Deletes old drafts.
pub(super) struct ForgottenDrafts {
    pub drafts: Arc<dyn DraftCache>,
    pub clock: Clock,
}

#[async_trait]
impl Sweep for ForgottenDrafts {
    const ROWS: &'static str = "drafts";

    async fn sweep(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        while !stop.is_cancelled() {
            let before = (self.clock)() - KEPT;
            let forgotten = panics::caught(self.drafts.forget(before, DRAFTS)).await?;
            if forgotten < DRAFTS as u64 {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Deletes old events.
pub(super) struct ForgottenEvents {
    pub events: Arc<dyn EventLog>,
    pub keep: Duration,
    pub clock: Clock,
    pub throttle: Throttle,
}

#[async_trait]
impl Sweep for ForgottenEvents {
    const ROWS: &'static str = "events";

    async fn sweep(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        let mut deleted = 0;
        let swept = self.delete(stop, &mut deleted).await;
        if deleted > 0 {
            tracing::info!(events = deleted, "old events were deleted");
        }
        swept
    }
}

impl ForgottenEvents {
    async fn delete(
        &self,
        stop: &CancellationToken,
        deleted: &mut usize,
    ) -> Result<(), StoreError> {
        while !stop.is_cancelled() {
            let (start, before) = (Instant::now(), (self.clock)() - self.keep);
            let limit = self.throttle.sweep_size(EVENTS);
            let forgotten = panics::caught(self.events.forget(before, limit)).await?;
            *deleted += forgotten;
            if forgotten < limit {
                break;
            }
            let pause = self.throttle.sweep_pause(start.elapsed()).max(PAUSE);
            tokio::select! {
                () = sleep(pause) => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(())
    }
}
