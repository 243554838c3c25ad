//! Deletes drafts that were not used for a long time, old events, texts of postings that expired
//! long ago, and links and sessions of the console that ended.

use std::{sync::Arc, time::Duration};

use access::sign_in::Passes;
use async_trait::async_trait;
use domain::store::{Retention, StoreClock};
use enrichment::DraftCache;
use kernel::{StoreError, event::EventLog};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::throttle::Throttle;
use crate::{clock::Clock, panics, waits};

/// How long a draft is kept after it was last used.
const KEPT: time::Duration = time::Duration::days(90);
/// The number of drafts that are deleted in one commit.
const DRAFTS: usize = 256;
/// The number of passes that are deleted in one commit.
const PASSES: usize = 500;
/// How long a pass is kept after its end, so that a clock that is ahead ends none too early.
const PASSES_KEPT: time::Duration = time::Duration::DAY;
/// The number of events that are deleted in one commit.
const EVENTS: usize = 5_000;
/// The number of postings whose texts are deleted in one commit.
const TEXTS: usize = 500;
/// The pause after a commit that deletes events or texts.
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

/// Deletes old drafts, and links and sessions of the console that ended.
pub(super) struct ForgottenRows {
    pub drafts: Arc<dyn DraftCache>,
    pub passes: Arc<dyn Passes>,
    pub clock: Clock,
}

#[async_trait]
impl Sweep for ForgottenRows {
    const ROWS: &'static str = "drafts and sessions";

    async fn sweep(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        let drafts = self.sweep_drafts(stop).await;
        self.sweep_passes(stop).await.and(drafts)
    }
}

impl ForgottenRows {
    async fn sweep_drafts(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        while !stop.is_cancelled() {
            let before = (self.clock)() - KEPT;
            let forgotten = panics::caught(self.drafts.forget(before, DRAFTS)).await?;
            if forgotten < DRAFTS as u64 {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn sweep_passes(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        while !stop.is_cancelled() {
            let before = (self.clock)() - PASSES_KEPT;
            let forgotten = panics::caught(self.passes.forget_passes(before, PASSES)).await?;
            if forgotten < PASSES {
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
    pub store_clock: Arc<dyn StoreClock>,
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
    /// The time by the earliest of three clocks: this machine's, the store's, and that of the
    /// writer of the newest event. One that is ahead must not delete the log. `None` without
    /// events.
    async fn now(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        let end = self.events.end().await?;
        let newest = self.events.events_at(&[end]).await?;
        let Some(newest) = newest.first() else {
            return Ok(None);
        };
        let now = (self.clock)().min(newest.event.at);
        let of_store = self.store_clock.time().await?;
        Ok(Some(of_store.map_or(now, |of_store| of_store.min(now))))
    }

    async fn delete(
        &self,
        stop: &CancellationToken,
        deleted: &mut usize,
    ) -> Result<(), StoreError> {
        let Some(now) = panics::caught(self.now()).await? else {
            return Ok(());
        };
        let before = now - self.keep;
        while !stop.is_cancelled() {
            let start = Instant::now();
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

/// Counts postings whose texts were deleted.
const DROPPED: &str = "posthaste_expired_texts_dropped_total";

/// Deletes the texts of postings that expired long ago.
pub(super) struct ForgottenTexts {
    pub retention: Arc<dyn Retention>,
    pub keep: Duration,
    pub clock: Clock,
    pub store_clock: Arc<dyn StoreClock>,
    pub throttle: Throttle,
}

#[async_trait]
impl Sweep for ForgottenTexts {
    const ROWS: &'static str = "texts of expired postings";

    async fn sweep(&self, stop: &CancellationToken) -> Result<(), StoreError> {
        let mut dropped = 0;
        let swept = self.delete(stop, &mut dropped).await;
        if dropped > 0 {
            tracing::info!(postings = dropped, "texts of expired postings were deleted");
        }
        swept
    }
}

impl ForgottenTexts {
    async fn delete(
        &self,
        stop: &CancellationToken,
        dropped: &mut usize,
    ) -> Result<(), StoreError> {
        // By the earlier of two clocks: one that is ahead must not delete what is still kept.
        let of_store = panics::caught(self.store_clock.time()).await?;
        let now = (self.clock)();
        let before = of_store.map_or(now, |of_store| of_store.min(now)) - self.keep;
        while !stop.is_cancelled() {
            let start = Instant::now();
            let limit = self.throttle.sweep_size(TEXTS);
            let count = panics::caught(self.retention.drop_texts(before, limit)).await?;
            *dropped += count;
            metrics::counter!(DROPPED).increment(count as u64);
            if count < limit {
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

#[cfg(test)]
mod tests {
    use domain::store::{Store as _, WriteSet};
    use kernel::{
        event::{Event, EventName, LogQuery, Subject},
        testing::{noon, uuid},
    };
    use newsletter::testing::MemoryStore;

    use super::*;

    const DAY: time::Duration = time::Duration::DAY;
    const TOLD: EventName = EventName::new("Told");

    /// A store's clock, if it has one.
    struct Server(Option<OffsetDateTime>);

    #[async_trait]
    impl StoreClock for Server {
        async fn time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
            Ok(self.0)
        }
    }

    /// The number of events that are left, of three: two days old, a day old, and one that was just
    /// written, by an author whose clock is ahead by some days. A day and a half is kept.
    async fn left(author: i32, worker: i32, server: Option<i32>) -> usize {
        let store = Arc::new(MemoryStore::new());
        for at in [noon() - 2 * DAY, noon() - DAY, noon() + author * DAY] {
            let mut writes = WriteSet::new(at);
            let (name, subject) = (TOLD, Subject::Other(uuid(1)));
            writes.tasks.events.push(Event {
                name,
                subject,
                at,
                trace: None,
            });
            store.commit(writes).await.unwrap();
        }
        let sweep = ForgottenEvents {
            events: Arc::clone(&store) as _,
            keep: Duration::from_hours(36),
            clock: Arc::new(move || noon() + worker * DAY),
            store_clock: Arc::new(Server(server.map(|server| noon() + server * DAY))),
            throttle: Throttle(Arc::new(|| false)),
        };
        sweep.sweep(&CancellationToken::new()).await.unwrap();
        let all = LogQuery {
            after: None,
            names: vec![TOLD],
            prefixes: kernel::Prefixes::ALL,
            limit: 9,
        };
        EventLog::read(&*store, &all).await.unwrap().events.len()
    }

    #[tokio::test]
    async fn one_clock_that_is_ahead_deletes_nothing_too_early() {
        assert_eq!(left(0, 0, None).await, 2);
        assert_eq!(left(0, 30, None).await, 2, "this machine's");
        assert_eq!(left(30, 0, Some(0)).await, 2, "an author's");
        assert_eq!(left(0, 0, Some(30)).await, 2, "the server's");
        assert_eq!(
            left(30, 30, Some(0)).await,
            2,
            "this machine's, which wrote"
        );
        assert_eq!(left(0, -30, Some(0)).await, 3, "behind");
    }

    #[tokio::test]
    async fn an_empty_log_has_nothing_to_delete() {
        let events = Arc::new(MemoryStore::new());
        let sweep = ForgottenEvents {
            events,
            keep: Duration::ZERO,
            clock: Arc::new(noon),
            store_clock: Arc::new(Server(None)),
            throttle: Throttle(Arc::new(|| false)),
        };
        let swept = sweep.sweep(&CancellationToken::new()).await;
        assert_eq!(swept, Ok(()));
    }
}
