//! Moves many subscribers, for an operator who launches the new account.
//!
//! The launch records moves, and a worker with the accounts' keys carries them out. The launch
//! respects the old account's rate limit, so that other moves are not delayed. Because moves cannot
//! be undone, the launch stops if too many fail (see [`MoveMonitor`]).

use std::{num::NonZeroU32, time::Duration};

use kernel::{StoreError, outbox::Outbox};
use newsletter::{
    store::Store,
    subscriber::{Email, MigrationSource},
    usecase::{self, Migration, MoveMonitor, Moves, People},
};
use runtime::{COMMAND_PATIENCE, Clock, decide_again};
use tokio::time::{Instant, sleep_until};

const BATCH: u32 = 500;
const MAX_BATCHES_IN_PROGRESS: usize = 10;
/// While too many moves are in progress, progress is checked this often.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// The requests to the old account: one finds the subscriber, one removes them.
const REQUESTS_PER_MOVE: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchEnd {
    Complete,
    Stopped,
    TooManyFailed(Moves),
}

#[derive(Clone, Copy, Debug)]
struct RateLimiter {
    batch: usize,
    wait: Duration,
}

impl RateLimiter {
    fn new(requests_per_minute: NonZeroU32) -> Self {
        let limit = requests_per_minute.get();
        let batch = (limit / REQUESTS_PER_MOVE).clamp(1, BATCH);
        Self {
            batch: usize::try_from(batch).unwrap_or(1),
            wait: Duration::from_mins(1) * REQUESTS_PER_MOVE / limit,
        }
    }
}

pub struct Launch<'a> {
    pub store: &'a dyn Store,
    pub outbox: &'a dyn Outbox,
    pub clock: Clock,
    pub source: MigrationSource,
    pub requests_per_minute: NonZeroU32,
}

impl Launch<'_> {
    /// Records moves until none is left, too many moves fail, or `stop` is ready between two
    /// batches. Workers may be at most [`MAX_BATCHES_IN_PROGRESS`] batches behind.
    pub async fn run(
        &self,
        mut people: People<'_>,
        stop: impl Future<Output = ()>,
        mut settle: impl FnMut(&Email, Migration),
    ) -> Result<LaunchEnd, StoreError> {
        tokio::pin!(stop);
        let limiter = RateLimiter::new(self.requests_per_minute);
        let mut monitor = MoveMonitor::new(self.store, self.outbox);
        let mut batch = people.next(limiter.batch).await?;
        while !batch.is_empty() {
            let begun = Instant::now();
            let attempt = || usecase::migrate(self.store, &batch, self.source, (self.clock)());
            let answers = decide_again(COMMAND_PATIENCE, attempt).await?;
            let mut moved = Vec::new();
            for (email, migration) in batch.iter().zip(answers) {
                if migration == Migration::Started {
                    moved.push(email.clone());
                }
                settle(email, migration);
            }
            monitor.watch(&moved).await?;
            batch = people.next(limiter.batch).await?;
            if batch.is_empty() {
                break;
            }
            let count = u32::try_from(moved.len()).unwrap_or(u32::MAX);
            let mut next = begun + limiter.wait * count;
            loop {
                tokio::select! {
                    biased;
                    () = &mut stop => return Ok(LaunchEnd::Stopped),
                    () = sleep_until(next) => {}
                }
                let outcome = monitor.check().await?;
                if outcome.exceed_failure_limit() {
                    return Ok(LaunchEnd::TooManyFailed(outcome));
                }
                if outcome.under_way <= MAX_BATCHES_IN_PROGRESS * limiter.batch {
                    break;
                }
                next = Instant::now() + POLL_INTERVAL;
            }
        }
        Ok(LaunchEnd::Complete)
    }
}

#[cfg(test)]
mod tests;
