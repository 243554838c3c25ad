//! Reads an account's list before its first sync and every night, so only differences are written.
//!
//! An interrupted walk starts again. After a complete walk, missing people are looked up.

use std::{sync::Arc, time::Duration};

use newsletter::{
    store::AccountState,
    subscriber::{
        Account,
        provider::{Call, Page, Provider, ProviderError, Relay},
        reconciliation::ConcurrentWrites,
    },
    usecase::{ListCounts, TaskError},
};
use runtime::{panics, waits};
use time::{OffsetDateTime, Time, macros::time};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    leased::{LeasedProvider, account_state},
    walk::ListWalk,
};

/// The time of the nightly read, in UTC.
const NIGHT: Time = time!(02:00);

/// A list that was read within this time is not read again at night.
const RECENT: time::Duration = time::Duration::hours(12);

/// The wait after a failed walk.
const RETRY_WAIT: Duration = Duration::from_secs(30);

/// The largest number of unreadable entries that a walk logs.
const MAX_LOGGED: usize = 20;

pub(super) struct Listing {
    pub account: Account,
    pub provider: Arc<LeasedProvider>,
}

impl Listing {
    pub async fn run(self, stop: CancellationToken) {
        stop.run_until_cancelled(self.keep_walking()).await;
    }

    async fn keep_walking(&self) {
        loop {
            let account = self.account;
            let (state, now) = match account_state(&self.provider.tasks, account).await {
                Ok(state) => state,
                Err(error) => {
                    tracing::warn!(%account, %error, "the account's list is not read yet");
                    sleep(waits::jittered(RETRY_WAIT)).await;
                    continue;
                }
            };
            if state.reconciled_at.is_some() {
                self.provider.listed(self.account);
            }
            let due = due(state.reconciled_at, now);
            sleep(Duration::try_from(due - now).unwrap_or_default()).await;
            match panics::caught(Box::pin(self.walk())).await {
                Ok(counts) => {
                    let ListCounts {
                        people,
                        different,
                        odd,
                        missing,
                        ..
                    } = counts;
                    tracing::info!(
                        %account, people, different, odd, missing, "the account's list was read"
                    );
                    let finished = |state: &mut AccountState, now| state.reconciled_at = Some(now);
                    self.provider.keep(account, finished).await;
                    self.provider.listed(account);
                }
                Err(error) => {
                    tracing::warn!(%account, %error, "the account's list was not read to the end");
                    sleep(waits::jittered(RETRY_WAIT)).await;
                }
            }
        }
    }

    async fn walk(&self) -> Result<ListCounts, TaskError> {
        let (provider, parts) = (Patient(&self.provider), &self.provider.tasks.parts);
        let walk = ListWalk {
            account: self.account,
            // Until the account's list was read, only withdrawals write to the account.
            concurrent: if self.provider.is_listed(self.account) {
                ConcurrentWrites::Possible
            } else {
                ConcurrentWrites::Excluded
            },
            is_dry: false,
            provider: &provider,
            store: parts.stores.newsletter.as_ref(),
            subscribers: parts.stores.subscribers.as_ref(),
            clock: &parts.clock,
        };
        let mut logged = 0;
        let tell = |_: &ListCounts, page: &Page| {
            for odd in &page.odd {
                if logged < MAX_LOGGED {
                    tracing::warn!(odd, "an entry of the account's list cannot be read");
                }
                logged += 1;
            }
        };
        walk.run(tell).await
    }
}

struct Patient<'a>(&'a LeasedProvider);

impl Relay for Patient<'_> {
    fn behind(&self) -> &dyn Provider {
        self.0
    }

    async fn pass_on<T: Send>(
        &self,
        call: Call<'_>,
        answer: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        self.0.ready(&[call.account]).await;
        answer.await.map_err(|error| match error {
            ProviderError::Locked(message) => ProviderError::Retry {
                message,
                after: None,
            },
            error => error,
        })
    }
}

fn due(read_at: Option<OffsetDateTime>, now: OffsetDateTime) -> OffsetDateTime {
    let Some(read_at) = read_at else {
        return now;
    };
    let next = (read_at + RECENT).replace_time(NIGHT);
    if next < read_at + RECENT {
        next + time::Duration::DAY
    } else {
        next
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn lists_are_read_at_first_and_every_night() {
        let now = datetime!(2026-03-01 12:00 UTC);
        assert_eq!(due(None, now), now);
        for (read_at, expect) in [
            (
                datetime!(2026-03-01 02:34 UTC),
                datetime!(2026-03-02 02:00 UTC),
            ),
            (
                datetime!(2026-03-01 12:00 UTC),
                datetime!(2026-03-02 02:00 UTC),
            ),
            (
                datetime!(2026-03-01 14:00 UTC),
                datetime!(2026-03-02 02:00 UTC),
            ),
            (
                datetime!(2026-03-01 20:00 UTC),
                datetime!(2026-03-03 02:00 UTC),
            ),
        ] {
            assert_eq!(due(Some(read_at), now), expect, "{read_at}");
        }
    }
}
