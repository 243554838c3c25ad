//! Expires postings whose lifetime has ended.

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{store::Store, usecase};
use kernel::{SourceIdentifier, StoreError};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::throttle::Throttle;
use crate::{clock::Clock, panics, waits};

/// Postings per commit.
const BATCH: usize = 256;
/// Retries of a sweep after conflicts with other writers.
const CONFLICTS: u32 = 4;
/// Consecutive postings that cannot be written that mean that the store is away.
const MISSES: usize = 2;
/// Postings put off at most; any more are tried again with each sweep.
const MOST_STUCK: usize = 1_000;
/// Sweeps that leave out a posting that could not be written.
const SWEEPS_PUT_OFF: u32 = 3;

/// Sweeps the overdue postings at intervals.
pub(super) struct Expiry {
    pub store: Arc<dyn Store>,
    pub clock: Clock,
    pub every: Duration,
    pub throttle: Throttle,
}

/// Postings that could not be written alone, each with the end of its being left out: a row may
/// stay locked for hours, and is always among the longest overdue.
#[derive(Default)]
struct Stuck(HashMap<SourceIdentifier, Instant>);

impl Stuck {
    fn forget_old(&mut self) {
        let now = Instant::now();
        self.0.retain(|_, until| *until > now);
    }

    fn put_off(&mut self, posting: &SourceIdentifier, time: Duration) {
        if self.0.len() < MOST_STUCK {
            self.0.insert(posting.clone(), Instant::now() + time);
        }
    }
}

impl Expiry {
    pub async fn run(self, stop: CancellationToken) {
        let mut stuck = Stuck::default();
        while !stop.is_cancelled() {
            stuck.forget_old();
            if let Err(error) = self.sweep(&mut stuck, &stop).await {
                tracing::warn!(%error, "overdue postings wait for the next sweep");
            }
            tokio::select! {
                () = sleep(waits::jittered(self.every)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Expires all postings that are overdue now.
    async fn sweep(&self, stuck: &mut Stuck, stop: &CancellationToken) -> Result<(), StoreError> {
        let mut conflicts = 0;
        while !stop.is_cancelled() {
            let (start, now) = (Instant::now(), (self.clock)());
            let batch = self.throttle.sweep_size(BATCH);
            let overdue = self.overdue(batch, stuck, now).await?;
            if overdue.is_empty() {
                return Ok(());
            }
            match self.expire(&overdue, now).await {
                Ok(()) => tracing::info!(overdue = overdue.len(), "lifetimes ended"),
                Err(StoreError::Conflict) if conflicts < CONFLICTS => {
                    conflicts += 1;
                    continue;
                }
                Err(error) => {
                    tracing::debug!(%error, "lifetimes are ended one by one");
                    self.one_by_one(&overdue, stuck, now).await?;
                }
            }
            if overdue.len() < batch {
                return Ok(());
            }
            tokio::select! {
                () = sleep(self.throttle.sweep_pause(start.elapsed())) => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(())
    }

    /// The longest overdue postings without those that are put off.
    async fn overdue(
        &self,
        limit: usize,
        stuck: &Stuck,
        now: OffsetDateTime,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let overdue = self.store.overdue(now, limit + stuck.0.len());
        let mut overdue = panics::caught(overdue).await?;
        overdue.retain(|posting| !stuck.0.contains_key(posting));
        overdue.truncate(limit);
        Ok(overdue)
    }

    async fn expire(
        &self,
        overdue: &[SourceIdentifier],
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        panics::caught(usecase::expire(self.store.as_ref(), overdue, now)).await
    }

    /// Expires the postings of a failed batch one by one, and puts off those that cannot be
    /// written.
    async fn one_by_one(
        &self,
        overdue: &[SourceIdentifier],
        stuck: &mut Stuck,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut misses = 0;
        for posting in overdue {
            let Err(error) = self.expire(std::slice::from_ref(posting), now).await else {
                misses = 0;
                continue;
            };
            tracing::warn!(%error, ?posting, "a lifetime cannot be ended now");
            stuck.put_off(posting, self.every * SWEEPS_PUT_OFF);
            misses += 1;
            if misses >= MISSES.min(overdue.len()) && error != StoreError::Conflict {
                return Err(error);
            }
        }
        Ok(())
    }
}
