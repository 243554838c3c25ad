//! The circuit breakers of the provider's accounts: which answers open one.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use newsletter::subscriber::{Account, provider::ProviderError};
use outbound::{Call, CircuitBreaker, RetryPolicy};
use tokio::time::Instant;

use crate::{metrics, waits};

/// A key that is refused stays refused until somebody sees to it.
const PAUSES: RetryPolicy = RetryPolicy {
    first: Duration::from_secs(10),
    longest: Duration::from_mins(10),
};

/// How long an account that has had too many requests is left alone when it does not say: the
/// limit counts by the minute.
const LIMITED: Duration = Duration::from_mins(1);

/// Calls about so many different people that failed, and none that succeeded in between, are an
/// outage of the account. One person's failures are that person's.
const OUTAGE: usize = 3;

/// So many refusals of the key for calls about one person, while calls about others succeeded
/// between any two of them, are not about the key.
const LOCKINGS: u32 = 3;

/// More people than this are not remembered for it.
const MOST_LOCKING: usize = 1_000;

/// The breakers of both accounts.
#[derive(Default)]
pub(super) struct Breakers {
    old: AccountBreaker,
    new: AccountBreaker,
}

impl Breakers {
    pub const fn of(&self, account: Account) -> &AccountBreaker {
        match account {
            Account::Old => &self.old,
            Account::New => &self.new,
        }
    }
}

/// An account's circuit breaker.
pub(super) struct AccountBreaker {
    breaker: CircuitBreaker,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    /// Whose calls failed since one succeeded.
    failing: HashSet<String>,
    /// For whom the key was refused since a call about them succeeded.
    locking: HashMap<String, Locking>,
}

/// Refusals of the key for calls about one person.
#[derive(Default)]
struct Locking {
    times: u32,
    /// Whether a call about somebody else succeeded since the last one.
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

    /// Whether the key is refused for this person alone.
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

/// What an answer means for the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noted {
    /// Nothing.
    Nothing,
    /// It takes calls again.
    Again,
    /// It is left alone for so long.
    Pause(Duration),
    /// Nothing, because it refuses the key for this person alone.
    TheirOwn,
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

    /// Until when it is open, if it is.
    pub fn open_until(&self) -> Option<Instant> {
        self.breaker.open_until(now()).map(Instant::from_std)
    }

    /// Begins a call; `None` while it is open.
    pub fn begin(&self) -> Option<Call> {
        self.breaker.begin(now()).ok()
    }

    /// Takes over a pause that another process or an earlier run began.
    pub fn adopt(&self, account: Account, pause: Duration) {
        self.breaker.pause(pause, now());
        metrics::provider_paused(account, true);
    }

    /// Takes in what a call about a person was answered. Opens after an answer that asks for it. What
    /// was under way while it opened says nothing new.
    pub fn note<T>(
        &self,
        account: Account,
        whom: &str,
        call: Call,
        result: &Result<T, ProviderError>,
    ) -> Noted {
        let mut record = self.record();
        if !self.breaker.is_current(call) {
            return Noted::Nothing;
        }
        let failed = || self.breaker.failed(call, None, now()).unwrap_or_default();
        let (pause, error) = match result {
            Ok(_) => {
                record.succeeded(whom);
                metrics::provider_paused(account, false);
                if !self.breaker.succeeded(call) {
                    return Noted::Nothing;
                }
                tracing::info!(%account, "the account answers again");
                return Noted::Again;
            }
            Err(error @ ProviderError::Limited { after, .. }) => {
                let pause = after.unwrap_or_else(|| LIMITED.max(waits::about(LIMITED)));
                if pause.is_zero() {
                    return Noted::Nothing;
                }
                self.breaker.limited(call, pause, now());
                (pause, error)
            }
            Err(ProviderError::Locked(_)) if record.is_alone_in_locking(whom) => {
                return Noted::TheirOwn;
            }
            Err(error @ ProviderError::Locked(_)) => (failed(), error),
            Err(error @ ProviderError::Retry { .. }) => {
                record.failing.insert(whom.to_owned());
                if record.failing.len() < OUTAGE {
                    return Noted::Nothing;
                }
                (failed(), error)
            }
            Err(ProviderError::Permanent(_)) => return Noted::Nothing,
        };
        metrics::provider_paused(account, true);
        tracing::warn!(%account, %error, ?pause, "the account is left alone");
        Noted::Pause(pause)
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

    /// A call that begins and is answered a moment later.
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
        assert_eq!(again, Some(10), "a success starts anew");
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
        // Nor does an answer from before mean that it takes calls again.
        let noted = breaker.note(Account::Old, "e", began, &Ok::<(), ProviderError>(()));
        assert_eq!(noted, Noted::Nothing);
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
    async fn a_key_that_is_refused_for_one_person_alone_is_theirs() {
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
        // Without a success of others between it is the key, however often.
        for _ in 0..5 {
            assert!(matches!(note("a", Err(locked())).await, Noted::Pause(_)));
        }
        for expect_pause in [true, false] {
            note("b", Ok(())).await;
            let noted = note("a", Err(locked())).await;
            assert_eq!(matches!(noted, Noted::Pause(_)), expect_pause, "{noted:?}");
            assert_eq!(noted == Noted::TheirOwn, !expect_pause);
        }
        // A success of their own begins anew.
        for _ in 0..4 {
            assert!(matches!(note("c", Err(locked())).await, Noted::Pause(_)));
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
        // It stays one until a call succeeds.
        sleep_until(breaker.open_until().unwrap()).await;
        assert_eq!(call(&breaker, "a", Err(failed())).await, Some(20));
        sleep_until(breaker.open_until().unwrap()).await;
        assert_eq!(call(&breaker, "a", Ok(())).await, None);
        assert_eq!(call(&breaker, "a", Err(failed())).await, None);
    }
}
