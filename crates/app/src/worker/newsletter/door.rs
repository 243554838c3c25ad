//! When an account is left alone.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use newsletter::subscriber::{Account, provider::ProviderError};
use tokio::time::Instant;

use super::super::door::{self, Pauses};
use crate::{metrics, waits};

/// A key that is refused stays refused until somebody sees to it.
const PAUSES: Pauses = Pauses {
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

/// The doors of both accounts.
#[derive(Default)]
pub(super) struct Doors {
    old: Door,
    new: Door,
}

impl Doors {
    pub const fn of(&self, account: Account) -> &Door {
        match account {
            Account::Old => &self.old,
            Account::New => &self.new,
        }
    }
}

/// An account's circuit breaker: nothing is sent while it is closed to calls.
pub(super) struct Door {
    door: door::Door,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    /// Whose calls failed since one succeeded.
    failing: HashSet<String>,
    /// For whom the key was refused since a call about them succeeded.
    locking: HashMap<String, Locking>,
    /// When it closed last.
    closed_at: Option<Instant>,
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

impl Default for Door {
    fn default() -> Self {
        Self {
            door: door::Door::new(PAUSES),
            record: Mutex::default(),
        }
    }
}

impl Door {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when it is closed, if it is.
    pub fn closed_until(&self) -> Option<Instant> {
        self.door.closed_until()
    }

    /// Takes over a pause that another process or an earlier run began.
    pub fn adopt(&self, account: Account, pause: Duration) {
        self.door.leave_alone(pause);
        metrics::provider_paused(account, true);
    }

    /// Takes in what a call about a person, which began at this time, was answered. Closes after
    /// an answer that asks for it. What was under way while it closed says nothing new.
    pub fn note<T>(
        &self,
        account: Account,
        whom: &str,
        began: Instant,
        result: &Result<T, ProviderError>,
    ) -> Noted {
        let mut record = self.record();
        if record.closed_at.is_some_and(|closed_at| closed_at >= began) {
            return Noted::Nothing;
        }
        let (pause, error) = match result {
            Ok(_) => {
                record.succeeded(whom);
                metrics::provider_paused(account, false);
                if !self.door.answered() {
                    return Noted::Nothing;
                }
                tracing::info!(%account, "the account answers again");
                return Noted::Again;
            }
            Err(error @ ProviderError::Limited { after, .. }) => {
                let pause = after.unwrap_or_else(|| LIMITED.max(waits::about(LIMITED)));
                self.door.leave_alone(pause);
                (pause, error)
            }
            Err(ProviderError::Locked(_)) if record.is_alone_in_locking(whom) => {
                return Noted::TheirOwn;
            }
            Err(error @ ProviderError::Locked(_)) => (self.door.refused(None), error),
            Err(error @ ProviderError::Retry { .. }) => {
                record.failing.insert(whom.to_owned());
                if record.failing.len() < OUTAGE {
                    return Noted::Nothing;
                }
                (self.door.refused(None), error)
            }
            Err(ProviderError::Permanent(_)) => return Noted::Nothing,
        };
        if pause.is_zero() {
            return Noted::Nothing;
        }
        record.closed_at = Some(Instant::now());
        metrics::provider_paused(account, true);
        tracing::warn!(%account, %error, ?pause, "the account is left alone");
        Noted::Pause(pause)
    }
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
    async fn call(door: &Door, whom: &str, result: Result<(), ProviderError>) -> Option<u64> {
        let began = Instant::now();
        advance(Duration::from_millis(1)).await;
        door.note(Account::Old, whom, began, &result);
        pause(door)
    }

    fn pause(door: &Door) -> Option<u64> {
        let until = door.closed_until()?;
        Some((until - Instant::now()).as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_close_it_for_longer_and_longer() {
        let door = Door::default();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            pauses.extend(call(&door, "a", Err(locked())).await);
            sleep_until(door.closed_until().unwrap()).await;
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 600, 600]);
        assert_eq!(call(&door, "a", Ok(())).await, None);
        let again = call(&door, "a", Err(locked())).await;
        assert_eq!(again, Some(10), "a success starts anew");
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_were_under_way_together_are_one_refusal() {
        let door = Door::default();
        let began = Instant::now();
        advance(Duration::from_secs(1)).await;
        let refused: Result<(), _> = Err(locked());
        for whom in ["a", "b", "c", "d"] {
            door.note(Account::Old, whom, began, &refused);
        }
        assert_eq!(pause(&door), Some(10));
        // Nor does an answer from before mean that it takes calls again.
        let noted = door.note(Account::Old, "e", began, &Ok::<(), ProviderError>(()));
        assert_eq!(noted, Noted::Nothing);
    }

    #[tokio::test(start_paused = true)]
    async fn too_many_requests_close_it_with_and_without_a_wait() {
        for (after, least, most) in [
            (Some(Duration::from_secs(90)), 90, 90),
            (Some(Duration::from_secs(5)), 5, 5),
            (None, 60, 120),
        ] {
            let door = Door::default();
            let seconds = call(&door, "a", Err(limited(after))).await.unwrap();
            assert!((least..=most).contains(&seconds), "{after:?} {seconds}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_person_s_failures_close_nothing() {
        let door = Door::default();
        for _ in 0..100 {
            assert_eq!(call(&door, "a", Err(failed())).await, None);
        }
        for whom in ["a", "b", "c", "d"] {
            let odd = ProviderError::Permanent("404".to_owned());
            assert_eq!(call(&door, whom, Err(odd)).await, None);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_that_is_refused_for_one_person_alone_is_theirs() {
        let door = Door::default();
        let opened = async || {
            if let Some(until) = door.closed_until() {
                sleep_until(until).await;
            }
        };
        let note = async |whom: &str, result: Result<(), ProviderError>| {
            opened().await;
            let began = Instant::now();
            advance(Duration::from_millis(1)).await;
            door.note(Account::Old, whom, began, &result)
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
        let door = Door::default();
        assert_eq!(call(&door, "a", Err(failed())).await, None);
        assert_eq!(call(&door, "b", Err(failed())).await, None);
        assert_eq!(call(&door, "c", Ok(())).await, None);
        assert_eq!(call(&door, "c", Err(failed())).await, None);
        assert_eq!(call(&door, "b", Err(failed())).await, None);
        assert_eq!(call(&door, "a", Err(failed())).await, Some(10));
        // It stays one until a call succeeds.
        sleep_until(door.closed_until().unwrap()).await;
        assert_eq!(call(&door, "a", Err(failed())).await, Some(20));
        sleep_until(door.closed_until().unwrap()).await;
        assert_eq!(call(&door, "a", Ok(())).await, None);
        assert_eq!(call(&door, "a", Err(failed())).await, None);
    }
}
