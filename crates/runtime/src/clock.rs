//! The current time, which callers pass to use cases.
//!
//! Times that several processes compare (of leases, attempts, lifetimes and expiry) come from the
//! store's clock. [`now`] returns this time, and [`follow`] measures its offset at intervals.
//! [`machine`] is for other times, such as those of log lines.

use std::{
    sync::{Arc, LazyLock, PoisonError, RwLock},
    time::{Duration, Instant},
};

use kernel::{StoreError, health::StoreClock};
use time::OffsetDateTime;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

pub type Clock = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;

const MEASURE_EVERY: Duration = Duration::from_secs(10);

/// The tolerated difference between this machine's clock and the store's.
pub const TOLERANCE: time::Duration = time::Duration::seconds(5);

/// A measurement's error grows by its age divided by this number. The clocks of machines drift by
/// less than 200 parts in a million.
const DRIFT: i32 = 1_000;

static OF_STORE: LazyLock<StoreTime> =
    LazyLock::new(|| StoreTime::new(Arc::new(machine), Arc::new(steady)));

/// The time by the store's clock, truncated to the precision of stores. It is this machine's time
/// if the store has no clock of its own, or before the first measurement.
pub fn now() -> OffsetDateTime {
    OF_STORE.now()
}

pub fn system() -> Clock {
    Arc::new(now)
}

pub fn machine() -> OffsetDateTime {
    fields::microseconds(OffsetDateTime::now_utc())
}

/// This machine's time at the first call; afterwards, a monotonic clock advances it.
fn steady() -> OffsetDateTime {
    static START: LazyLock<(OffsetDateTime, Instant)> =
        LazyLock::new(|| (machine(), Instant::now()));
    fields::microseconds(START.0 + START.1.elapsed())
}

/// Measures once how far this machine's clock is ahead of the store's, if the store has one.
pub async fn measure(store: &dyn StoreClock) -> Result<Option<time::Duration>, StoreError> {
    OF_STORE.measure(store).await
}

pub fn follow(store: &Arc<dyn StoreClock>) -> AbortOnDropHandle<()> {
    let store = Arc::clone(store);
    AbortOnDropHandle::new(tokio::spawn(async move { OF_STORE.follow(&*store).await }))
}

pub struct StoreTime {
    machine: Clock,
    /// A monotonic clock, which adjustments of the machine's clock do not change.
    steady: Clock,
    lead: RwLock<Option<Lead>>,
}

#[derive(Clone, Copy)]
struct Lead {
    ahead: time::Duration,
    /// The possible error of `ahead`.
    doubt: time::Duration,
    /// The time of the measurement, by `steady`.
    at: OffsetDateTime,
}

impl StoreTime {
    pub const fn new(machine: Clock, steady: Clock) -> Self {
        Self {
            machine,
            steady,
            lead: RwLock::new(None),
        }
    }

    pub fn now(&self) -> OffsetDateTime {
        match self.lead() {
            Some(lead) => (self.steady)() - lead.ahead,
            None => (self.machine)(),
        }
    }

    fn lead(&self) -> Option<Lead> {
        *self.lead.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how far this machine's clock is ahead of the store's, if the store has one.
    ///
    /// Assumes that the store read its clock half-way between request and answer. A slow answer
    /// replaces a quick earlier answer only if the two disagree.
    pub async fn measure(
        &self,
        store: &dyn StoreClock,
    ) -> Result<Option<time::Duration>, StoreError> {
        let asked = (self.steady)();
        let Some(theirs) = store.time().await? else {
            return Ok(None);
        };
        let at = (self.steady)();
        let doubt: time::Duration = (at - asked) / 2;
        let ahead: time::Duration = asked + doubt - theirs;
        let is_better = self.lead().is_none_or(|last| {
            let last_doubt = last.doubt + (at - last.at) / DRIFT;
            doubt <= last_doubt || (ahead - last.ahead).abs() > doubt + last_doubt
        });
        if is_better {
            let mut lead = self.lead.write().unwrap_or_else(PoisonError::into_inner);
            *lead = Some(Lead { ahead, doubt, at });
        }
        Ok(Some((self.machine)() - self.now()))
    }

    /// Measures at intervals while polled. Logs when the clocks begin or cease to differ.
    pub async fn follow(&self, store: &dyn StoreClock) {
        let mut differs = false;
        loop {
            match self.measure(store).await {
                Ok(Some(ahead)) => {
                    let seconds = ahead.as_seconds_f64();
                    let did_differ = std::mem::replace(&mut differs, ahead.abs() > TOLERANCE);
                    if differs && !did_differ {
                        tracing::warn!(
                            seconds,
                            "this machine's clock is ahead of the database's by that much \
                             (behind, if negative); leases and lifetimes go by the database's; \
                             set both by NTP"
                        );
                    } else if did_differ && !differs {
                        tracing::info!(seconds, "this machine's clock agrees with the database's");
                    }
                }
                Ok(None) => return,
                Err(error) => tracing::debug!(%error, "the store's clock was not read"),
            }
            sleep(MEASURE_EVERY).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use kernel::testing::noon;

    use super::*;

    const fn seconds(many: i64) -> time::Duration {
        time::Duration::seconds(many)
    }

    #[derive(Default)]
    struct Clocks {
        machine: Mutex<i64>,
        steady: Mutex<i64>,
        store: Mutex<i64>,
        way: Mutex<i64>,
    }

    impl Clocks {
        fn pass(&self, seconds: i64) {
            for clock in [&self.machine, &self.steady, &self.store] {
                *clock.lock().unwrap() += seconds;
            }
        }

        fn time(self: &Arc<Self>) -> StoreTime {
            let clock = |which: fn(&Self) -> &Mutex<i64>| -> Clock {
                let clocks = Arc::clone(self);
                Arc::new(move || noon() + seconds(*which(&clocks).lock().unwrap()))
            };
            StoreTime::new(clock(|it| &it.machine), clock(|it| &it.steady))
        }
    }

    #[async_trait]
    impl StoreClock for Clocks {
        async fn time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
            let way = *self.way.lock().unwrap();
            self.pass(way / 2);
            let time = noon() + seconds(*self.store.lock().unwrap());
            self.pass(way - way / 2);
            Ok(Some(time))
        }
    }

    #[tokio::test]
    async fn the_time_follows_the_store_and_not_the_machine() {
        let clocks = Arc::new(Clocks::default());
        let time = clocks.time();
        for clock in [&clocks.machine, &clocks.steady] {
            *clock.lock().unwrap() = 40;
        }
        assert_eq!(time.now(), noon() + seconds(40), "it was not asked yet");
        assert_eq!(time.measure(&*clocks).await, Ok(Some(seconds(40))));
        assert_eq!(time.now(), noon());
        *clocks.machine.lock().unwrap() += 3_600;
        clocks.pass(7);
        assert_eq!(
            time.now(),
            noon() + seconds(7),
            "the machine's clock stepped"
        );
    }

    #[tokio::test]
    async fn a_slow_answer_replaces_a_quick_one_only_if_they_contradict() {
        let clocks = Arc::new(Clocks::default());
        let time = clocks.time();
        let lead = || time.lead().unwrap().doubt;
        *clocks.way.lock().unwrap() = 8;
        time.measure(&*clocks).await.unwrap();
        assert_eq!((time.now(), lead()), (noon() + seconds(8), seconds(4)));
        *clocks.way.lock().unwrap() = 2;
        time.measure(&*clocks).await.unwrap();
        assert_eq!(lead(), seconds(1));
        *clocks.way.lock().unwrap() = 90;
        time.measure(&*clocks).await.unwrap();
        assert_eq!(lead(), seconds(1), "it agrees, and is less certain");
        *clocks.store.lock().unwrap() += 600;
        time.measure(&*clocks).await.unwrap();
        assert_eq!(lead(), seconds(45), "another server, with another clock");
        assert_eq!(time.now(), noon() + seconds(*clocks.store.lock().unwrap()));
    }

    struct NoClock;

    impl StoreClock for NoClock {}

    #[tokio::test]
    async fn a_store_without_a_clock_leaves_the_machines() {
        let clocks = Arc::new(Clocks::default());
        let time = clocks.time();
        *clocks.machine.lock().unwrap() = 5;
        assert_eq!(time.measure(&NoClock).await, Ok(None));
        time.follow(&NoClock).await;
        assert_eq!(time.now(), noon() + seconds(5));
    }
}
