//! Moves many subscribers, for an operator who launches the new account.
//!
//! It records moves, and a worker with the accounts' keys carries them out. Two limits apply. Moves
//! are recorded no faster than the old account's rate limit allows, so that a launch does not delay
//! subscribers who confirm their own move meanwhile. And because there is no way back, it watches
//! the outcome of the moves and stops if too many fail, see [`MoveMonitor`].

use std::{num::NonZeroU32, time::Duration};

use kernel::{StoreError, outbox::Outbox};
use newsletter::{
    store::Store,
    subscriber::{Email, MigrationSource},
    usecase::{self, Migration, MoveMonitor, Moves, People},
};
use runtime::{COMMAND_PATIENCE, Clock, decide_again};
use tokio::time::{Instant, sleep_until};

/// Subscribers that are moved in one commit at most.
const BATCH: u32 = 500;
/// Batches whose moves are in progress at most.
const MAX_BATCHES_IN_PROGRESS: usize = 10;
/// The interval of looking for the workers' progress while too many moves are in progress.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Requests to the old account per move: find the subscriber, and remove them.
const REQUESTS_PER_MOVE: u32 = 2;

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchEnd {
    /// Everybody was moved, or had moved.
    Complete,
    /// A signal asked it to stop.
    Stopped,
    TooManyFailed(Moves),
}

/// The rate limit of moves.
#[derive(Clone, Copy, Debug)]
struct RateLimiter {
    batch: usize,
    /// The wait per move.
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

/// Records moves of subscribers.
pub struct Launch<'a> {
    /// The subscribers.
    pub store: &'a dyn Store,
    /// The tasks that carry out the moves.
    pub outbox: &'a dyn Outbox,
    /// The time of each move.
    pub clock: Clock,
    /// Why they move.
    pub source: MigrationSource,
    /// How many requests an account takes.
    pub requests_per_minute: NonZeroU32,
}

impl Launch<'_> {
    /// Moves subscribers batch by batch until there are no more, `stop` is ready between two
    /// batches, or too many moves fail. Only [`MAX_BATCHES_IN_PROGRESS`] batches are ahead of the
    /// workers, so that failures show before many more subscribers follow.
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
