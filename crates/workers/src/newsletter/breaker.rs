use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use newsletter::subscriber::{Account, provider::ProviderError};
use outbound::{Call, CircuitBreaker};
use runtime::RetryPolicy;
use runtime::waits;
use tokio::time::Instant;

use crate::metrics;

/// Long pauses, because a refused key stays refused until an operator replaces it.
const PAUSES: RetryPolicy = RetryPolicy::doubling(Duration::from_secs(10), Duration::from_mins(10));

/// The pause after a rate limit that requests no pause. Such limits count requests per minute.
const LIMITED: Duration = Duration::from_mins(1);

/// Failed calls for this many subscribers, without a success in between, count as an outage.
const OUTAGE: usize = 3;

/// If calls for a subscriber are refused this often while calls for others succeed, the subscriber
/// is the cause, not the key.
const LOCKINGS: u32 = 3;

/// The largest number of subscribers whose refusals are counted.
const MOST_LOCKING: usize = 1_000;

#[derive(Default)]
pub(super) struct Breakers([AccountBreaker; Account::ALL.len()]);

impl Breakers {
    pub const fn of(&self, account: Account) -> &AccountBreaker {
        &self.0[account as usize]
    }
}

pub(super) struct AccountBreaker {
    breaker: CircuitBreaker,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    failing: HashSet<String>,
    /// Subscribers whose calls were refused since their last successful call.
    locking: HashMap<String, Locking>,
}

#[derive(Default)]
struct Locking {
    times: u32,
    /// Whether a call for another subscriber has succeeded since the last refusal.
    others_succeeded: bool,
}

impl Record {
    fn succeeded(&mut self, whom: &str) {
        self.failing.clear();
        self.locking.remove(whom);
        for locking in self.locking.values_mut() {
            locking.others_succeeded = true;
        }
    }

    fn is_alone_in_locking(&mut self, whom: &str) -> bool {
        if self.locking.len() >= MOST_LOCKING {
            self.locking.clear();
        }
        let locking = self.locking.entry(whom.to_owned()).or_default();
        if locking.times == 0 || locking.others_succeeded {
            locking.times += 1;
            locking.others_succeeded = false;
        }
        let is_alone = locking.times >= LOCKINGS;
        if is_alone {
            self.locking.remove(whom);
        }
        is_alone
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BreakerEffect {
    Nothing,
    Closed,
    Opened(Duration),
    OneSubscriber,
}

impl Default for AccountBreaker {
    fn default() -> Self {
        Self {
            breaker: CircuitBreaker::new(PAUSES),
            record: Mutex::default(),
        }
    }
}

impl AccountBreaker {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn open_until(&self) -> Option<Instant> {
        self.breaker.open_until(now()).map(Instant::from_std)
    }

    pub fn begin(&self) -> Option<Call> {
        self.breaker.begin(now()).ok()
    }

    /// Continues a pause that another process or an earlier run began.
    pub fn adopt(&self, account: Account, pause: Duration) {
        self.breaker.pause(pause, now());
        metrics::provider_paused(account, true);
    }

    /// Opens or closes the breaker after an answer. Calls that began before it opened do not count.
    pub fn note<T>(
        &self,
        account: Account,
        whom: &str,
        call: Call,
        result: &Result<T, ProviderError>,
    ) -> BreakerEffect {
        let mut record = self.record();
        if !self.breaker.is_current(call) {
            return BreakerEffect::Nothing;
        }
        let failed = || self.breaker.failed(call, None, now()).unwrap_or_default();
        let (pause, error) = match result {
            Ok(_) => {
                record.succeeded(whom);
                metrics::provider_paused(account, false);
                if !self.breaker.succeeded(call) {
                    return BreakerEffect::Nothing;
                }
                tracing::info!(%account, "the account answers again");
                return BreakerEffect::Closed;
            }
            Err(error @ ProviderError::Limited { after, .. }) => {
                let pause = after.unwrap_or_else(|| LIMITED.max(waits::jittered(LIMITED)));
                if pause.is_zero() {
                    return BreakerEffect::Nothing;
                }
                self.breaker.limited(call, pause, now());
                (pause, error)
            }
            Err(ProviderError::Locked(_)) if record.is_alone_in_locking(whom) => {
                return BreakerEffect::OneSubscriber;
            }
            Err(error @ ProviderError::Locked(_)) => (failed(), error),
            Err(error @ ProviderError::Retry { .. }) => {
                record.failing.insert(whom.to_owned());
                if record.failing.len() < OUTAGE {
                    return BreakerEffect::Nothing;
                }
                (failed(), error)
            }
            Err(ProviderError::Permanent(_)) => return BreakerEffect::Nothing,
        };
        metrics::provider_paused(account, true);
        let seconds = pause.as_secs_f64();
        tracing::warn!(%account, %error, seconds, "the account is paused");
        BreakerEffect::Opened(pause)
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep_until};

    use super::*;

    fn locked() -> ProviderError {
        ProviderError::Locked("401".to_owned())
    }

    fn limited(after: Option<Duration>) -> ProviderError {
        let message = "429".to_owned();
        ProviderError::Limited { message, after }
    }

    fn failed() -> ProviderError {
        ProviderError::Retry {
            message: "503".to_owned(),
            after: Some(Duration::from_hours(24)),
        }
    }

    async fn call(
        breaker: &AccountBreaker,
        whom: &str,
        result: Result<(), ProviderError>,
    ) -> Option<u64> {
        let began = breaker.begin().unwrap();
        advance(Duration::from_millis(1)).await;
        breaker.note(Account::Old, whom, began, &result);
        pause(breaker)
    }

    fn pause(breaker: &AccountBreaker) -> Option<u64> {
        let until = breaker.open_until()?;
        Some((until - Instant::now()).as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_close_it_for_longer_and_longer() {
        let breaker = AccountBreaker::default();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            pauses.extend(call(&breaker, "a", Err(locked())).await);
            sleep_until(breaker.open_until().unwrap()).await;
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 600, 600]);
        assert_eq!(call(&breaker, "a", Ok(())).await, None);
        let again = call(&breaker, "a", Err(locked())).await;
        assert_eq!(again, Some(10), "a success starts again");
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_were_under_way_together_are_one_refusal() {
        let breaker = AccountBreaker::default();
        let began = breaker.begin().unwrap();
        advance(Duration::from_secs(1)).await;
        let refused: Result<(), _> = Err(locked());
        for whom in ["a", "b", "c", "d"] {
            breaker.note(Account::Old, whom, began, &refused);
        }
        assert_eq!(pause(&breaker), Some(10));
        // A success of a call that began before the refusals does not close the breaker, either.
        let noted = breaker.note(Account::Old, "e", began, &Ok::<(), ProviderError>(()));
        assert_eq!(noted, BreakerEffect::Nothing);
    }

    #[tokio::test(start_paused = true)]
    async fn too_many_requests_close_it_with_and_without_a_wait() {
        for (after, least, most) in [
            (Some(Duration::from_secs(90)), 90, 90),
            (Some(Duration::from_secs(5)), 5, 5),
            (None, 60, 120),
        ] {
            let breaker = AccountBreaker::default();
            let seconds = call(&breaker, "a", Err(limited(after))).await.unwrap();
            assert!((least..=most).contains(&seconds), "{after:?} {seconds}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_person_s_failures_close_nothing() {
        let breaker = AccountBreaker::default();
        for _ in 0..100 {
            assert_eq!(call(&breaker, "a", Err(failed())).await, None);
        }
        for whom in ["a", "b", "c", "d"] {
            let odd = ProviderError::Permanent("404".to_owned());
            assert_eq!(call(&breaker, whom, Err(odd)).await, None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_is_refused_for_only_one_person_is_not_locked() {
        let breaker = AccountBreaker::default();
        let opened = async || {
            if let Some(until) = breaker.open_until() {
                sleep_until(until).await;
            }
        };
        let note = async |whom: &str, result: Result<(), ProviderError>| {
            opened().await;
            let began = breaker.begin().unwrap();
            advance(Duration::from_millis(1)).await;
            breaker.note(Account::Old, whom, began, &result)
        };
        // Without successes for others in between, the cause is the key.
        for _ in 0..5 {
            assert!(matches!(
                note("a", Err(locked())).await,
                BreakerEffect::Opened(_)
            ));
        }
        for expect_pause in [true, false] {
            note("b", Ok(())).await;
            let noted = note("a", Err(locked())).await;
            assert_eq!(
                matches!(noted, BreakerEffect::Opened(_)),
                expect_pause,
                "{noted:?}"
            );
            assert_eq!(noted == BreakerEffect::OneSubscriber, !expect_pause);
        }
        // A success for the same subscriber resets the count.
        for _ in 0..4 {
            assert!(matches!(
                note("c", Err(locked())).await,
                BreakerEffect::Opened(_)
            ));
            note("b", Ok(())).await;
            note("c", Ok(())).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failures_of_several_people_in_a_row_are_an_outage() {
        let breaker = AccountBreaker::default();
        assert_eq!(call(&breaker, "a", Err(failed())).await, None);
        assert_eq!(call(&breaker, "b", Err(failed())).await, None);
        assert_eq!(call(&breaker, "c", Ok(())).await, None);
        assert_eq!(call(&breaker, "c", Err(failed())).await, None);
        assert_eq!(call(&breaker, "b", Err(failed())).await, None);
        assert_eq!(call(&breaker, "a", Err(failed())).await, Some(10));
        // The outage lasts until a call succeeds.
        sleep_until(breaker.open_until().unwrap()).await;
        assert_eq!(call(&breaker, "a", Err(failed())).await, Some(20));
        sleep_until(breaker.open_until().unwrap()).await;
        assert_eq!(call(&breaker, "a", Ok(())).await, None);
        assert_eq!(call(&breaker, "a", Err(failed())).await, None);
    }
}
