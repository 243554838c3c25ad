use std::{slice, time::Duration};

use async_trait::async_trait;
use domain::usecase;
use kernel::{SourceIdentifier, StoreError};
use runtime::{Recent, panics};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::{parts::WorkerParts, split::Misses};

const BATCH: usize = 256;
/// How often a sweep is retried after conflicts.
const CONFLICTS: u32 = 4;
/// The largest number of postponed postings. Others are retried in each sweep.
const MOST_STUCK: usize = 1_000;
/// The number of sweeps that skip a posting that could not be written.
const SWEEPS_PUT_OFF: u32 = 3;

#[derive(Default)]
pub(super) struct Expiry {
    /// Postings that the next sweeps skip, for example because their rows are locked for hours.
    stuck: Recent<SourceIdentifier>,
}

#[async_trait]
impl Job for Expiry {
    fn subject(&self) -> &'static str {
        "overdue postings"
    }

    fn every(&self, parts: &WorkerParts) -> Duration {
        parts.settings.sweep_every
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        self.stuck.forget_old();
        let mut conflicts = 0;
        while parts.settings.lifetime.is_limited() && !stop.is_cancelled() {
            let (start, now) = (Instant::now(), (parts.clock)());
            let batch = parts.throttle.sweep_size(BATCH);
            let overdue = self.overdue(parts, batch, now).await?;
            if overdue.is_empty() {
                return Ok(());
            }
            match expire(parts, &overdue, now).await {
                Ok(()) => tracing::info!(overdue = overdue.len(), "lifetimes ended"),
                Err(StoreError::Conflict) if conflicts < CONFLICTS => {
                    conflicts += 1;
                    continue;
                }
                Err(error) => {
                    tracing::debug!(%error, "lifetimes are ended one by one");
                    self.one_by_one(parts, &overdue, now).await?;
                }
            }
            if overdue.len() < batch {
                return Ok(());
            }
            let pause = sleep(parts.throttle.sweep_pause(start.elapsed()));
            stop.run_until_cancelled(pause).await;
        }
        Ok(())
    }
}

impl Expiry {
    /// The postings that are overdue longest, without the postponed ones.
    async fn overdue(
        &self,
        parts: &WorkerParts,
        limit: usize,
        now: OffsetDateTime,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let stuck = &self.stuck;
        let mut overdue = parts.stores.store.overdue(now, limit + stuck.len()).await?;
        overdue.retain(|posting| !stuck.has(posting));
        overdue.truncate(limit);
        Ok(overdue)
    }

    /// Expires the postings of a failed batch one by one. Postpones those that cannot be written.
    async fn one_by_one(
        &mut self,
        parts: &WorkerParts,
        overdue: &[SourceIdentifier],
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut misses = Misses::of_batch(overdue.len());
        for posting in overdue {
            let Err(error) = expire(parts, slice::from_ref(posting), now).await else {
                misses.end();
                continue;
            };
            tracing::warn!(%error, %posting, "a lifetime cannot be ended now");
            let time = parts.settings.sweep_every * SWEEPS_PUT_OFF;
            if self.stuck.len() < MOST_STUCK {
                self.stuck.remember(posting.clone(), time);
            }
            if misses.count() && error != StoreError::Conflict {
                return Err(error);
            }
        }
        Ok(())
    }
}

async fn expire(
    parts: &WorkerParts,
    overdue: &[SourceIdentifier],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    panics::caught(usecase::expire(parts.stores.store.as_ref(), overdue, now)).await
}
