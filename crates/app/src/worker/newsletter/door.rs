//! When an account is to be left alone.

use std::time::Duration;

use domain::subscriber::{Account, provider::ProviderError};
use tokio::time::Instant;

use super::super::door::{self, Pauses};
use crate::metrics;

/// A key that is refused stays refused until somebody sees to it.
const PAUSES: Pauses = Pauses {
    first: Duration::from_secs(10),
    longest: Duration::from_mins(10),
};

/// How long an account that has had too many requests is left alone when it does not say: the
/// limit counts by the minute.
const LIMITED: Duration = Duration::from_mins(1);

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

/// An account's door: calls go through it one by one, and none while it is closed.
pub(super) struct Door {
    /// Held by the call that is under way.
    pub turn: tokio::sync::Mutex<()>,
    door: door::Door,
}

impl Default for Door {
    fn default() -> Self {
        Self {
            turn: tokio::sync::Mutex::default(),
            door: door::Door::new(PAUSES),
        }
    }
}

impl Door {
    /// Until when it is closed, if it is.
    pub fn closed_until(&self) -> Option<Instant> {
        self.door.closed_until()
    }

    /// Closes after an answer that asks for it.
    pub fn note<T>(&self, account: Account, result: &Result<T, ProviderError>) {
        let pause = match result {
            Ok(_) => {
                if self.door.answered() {
                    tracing::info!(%account, "the account answers again");
                }
                metrics::provider_paused(account, false);
                return;
            }
            Err(ProviderError::Retry {
                after: Some(after), ..
            }) => {
                self.door.leave_alone(*after);
                *after
            }
            Err(ProviderError::Limited { after, .. }) => {
                let pause = after.unwrap_or(LIMITED);
                self.door.leave_alone(pause);
                pause
            }
            Err(ProviderError::Locked(_)) => self.door.refused(None),
            Err(ProviderError::Retry { after: None, .. } | ProviderError::Permanent(_)) => return,
        };
        if pause.is_zero() {
            return;
        }
        metrics::provider_paused(account, true);
        if let Err(error) = result {
            tracing::warn!(%account, %error, ?pause, "the account is left alone");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep_until;

    use super::*;

    fn locked() -> Result<(), ProviderError> {
        Err(ProviderError::Locked("401".to_owned()))
    }

    fn busy(after: Option<Duration>) -> Result<(), ProviderError> {
        let message = "429".to_owned();
        Err(ProviderError::Retry { message, after })
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
            door.note(Account::Old, &locked());
            pauses.push(pause(&door).unwrap());
            sleep_until(door.closed_until().unwrap()).await;
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 600, 600]);
        door.note(Account::Old, &Ok(()));
        assert_eq!(pause(&door), None);
        door.note(Account::Old, &locked());
        assert_eq!(pause(&door), Some(10), "a success starts anew");
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_was_asked_for_closes_it_that_long() {
        let door = Door::default();
        let start = Instant::now();
        door.note(Account::New, &busy(Some(Duration::from_secs(90))));
        door.note(Account::New, &busy(Some(Duration::from_secs(30))));
        assert_eq!(pause(&door), Some(90));
        sleep_until(start + Duration::from_secs(90)).await;
        assert_eq!(pause(&door), None);
    }

    #[tokio::test(start_paused = true)]
    async fn too_many_requests_close_it_without_a_wait_too() {
        for (after, seconds) in [(None, 60), (Some(Duration::from_secs(5)), 5)] {
            let door = Door::default();
            let message = "429".to_owned();
            let limited = ProviderError::Limited { message, after };
            door.note(Account::New, &Err::<(), _>(limited));
            assert_eq!(pause(&door), Some(seconds));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn other_failures_leave_it_open() {
        let door = Door::default();
        for result in [
            busy(None),
            busy(Some(Duration::ZERO)),
            Err(ProviderError::Permanent("422".to_owned())),
        ] {
            door.note(Account::New, &result);
            assert_eq!(pause(&door), None, "{result:?}");
        }
    }
}
