//! Reads an account's list before the account's first sync, and every night.
//!
//! Afterwards the account's content is known, so that only differences are written to it. A walk
//! that is interrupted starts over, because its position is not stored. Once the list is read to
//! the end, subscribers who are missing from it are looked up.

use std::{sync::Arc, time::Duration};

use futures_util::future::join;
use kernel::StoreError;
use newsletter::{
    store::AccountState,
    subscriber::{
        Account,
        provider::{Cursor, Page, Provider as _, ProviderError},
        reconciliation::ConcurrentWrites,
    },
    usecase,
};
use runtime::{decide_again, panics, waits};
use time::{OffsetDateTime, Time, macros::time};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    super::tasks::Tasks,
    comparison::{Known, ListComparison},
    job::CONFLICTS,
    leased::LeasedProvider,
};

/// When the nightly walk begins, in UTC.
const NIGHT: Time = time!(02:00);

/// A list read within this time before the nightly walk is not read again.
const RECENT: time::Duration = time::Duration::hours(12);

/// The wait after a page that could not be read or recorded.
const RETRY_WAIT: Duration = Duration::from_secs(30);

/// The failures in a row after which the walk starts over, as its cursor may have become invalid.
const MAX_FAILURES: u32 = 5;

/// The largest number of unreadable entries that a walk logs.
const MAX_LOGGED: usize = 20;

/// Reads the list of one account.
pub(super) struct Listing {
    pub account: Account,
    pub provider: Arc<LeasedProvider>,
    pub tasks: Tasks,
}

/// The results of a walk.
#[derive(Debug, Default)]
struct Walked {
    pages: u64,
    people: u64,
    changed: usize,
    odd: usize,
}

impl Listing {
    /// Runs the walks when they are due, until it is stopped.
    pub async fn run(self, stop: CancellationToken) {
        stop.run_until_cancelled(self.keep_walking()).await;
    }

    async fn keep_walking(&self) {
        loop {
            let Some((state, now)) = self.state().await else {
                sleep(waits::jittered(RETRY_WAIT)).await;
                continue;
            };
            if state.reconciled_at.is_some() {
                self.provider.listed(self.account);
            }
            let due = due(state.reconciled_at, now);
            sleep(Duration::try_from(due - now).unwrap_or_default()).await;
            let (walked, comparison) = self.walk().await;
            let Walked {
                pages,
                people,
                changed,
                odd,
            } = walked;
            let account = self.account;
            let missing = self.look_for_missing(&comparison).await;
            tracing::info!(
                %account, pages, people, changed, odd, missing, "the account's list was read"
            );
            self.finished().await;
            self.provider.listed(account);
        }
    }

    /// The account's state, and the time that it goes by.
    async fn state(&self) -> Option<(AccountState, OffsetDateTime)> {
        let account = self.account;
        let state = panics::caught(async {
            let now = self.tasks.store_now().await?;
            Ok::<_, StoreError>((self.tasks.parts.accounts.account_state(account).await?, now))
        });
        state
            .await
            .inspect_err(|error| tracing::warn!(%account, %error, "its list is not read yet"))
            .ok()
    }

    /// Stores the time of the finished walk. Best effort: another walk does no harm.
    async fn finished(&self) {
        let account = self.account;
        let kept = panics::caught(async {
            let state = AccountState {
                reconciled_at: Some(self.tasks.store_now().await?),
                ..self.tasks.parts.accounts.account_state(account).await?
            };
            self.tasks
                .parts
                .accounts
                .keep_account_state(account, &state)
                .await
        });
        if let Err(error) = kept.await {
            tracing::warn!(%account, %error, "its list will be read again");
        }
    }

    /// Reads all pages. The next one is requested while one is recorded.
    async fn walk(&self) -> (Walked, ListComparison) {
        let (mut walked, mut failures) = (Walked::default(), 0);
        let mut comparison = ListComparison::new(self.tasks.now());
        let (mut cursor, mut read) = (None, None);
        loop {
            let (next, recorded) = join(
                self.page_behind(cursor.as_ref(), read.as_ref()),
                self.record(read.as_ref()),
            )
            .await;
            let page = match (next, recorded) {
                (Ok(page), Some(changed)) => {
                    walked.changed += changed;
                    failures = 0;
                    page
                }
                (next, _) => {
                    if let Err(error) = next {
                        let account = self.account;
                        tracing::warn!(%account, %error, "a page of its list was not read");
                    }
                    failures += 1;
                    if failures > MAX_FAILURES {
                        (walked, failures, cursor, read) = (Walked::default(), 0, None, None);
                        comparison = ListComparison::new(self.tasks.now());
                    }
                    sleep(waits::jittered(RETRY_WAIT)).await;
                    continue;
                }
            };
            let Some(page) = page else {
                return (walked, comparison);
            };
            comparison.note(&page);
            walked.pages += 1;
            walked.people += page.people.len() as u64;
            for odd in &page.odd {
                if walked.odd < MAX_LOGGED {
                    tracing::warn!(odd, "of the account's list something is not understood");
                }
                walked.odd += 1;
            }
            cursor.clone_from(&page.next);
            read = Some(page);
        }
    }

    /// Requests lookups of missing subscribers, and returns their number. Best effort: the next
    /// walk misses them, too.
    async fn look_for_missing(&self, comparison: &ListComparison) -> usize {
        let known = Known {
            account: self.account,
            subscribers: self.tasks.parts.subscribers.as_ref(),
            store: self.tasks.parts.newsletter.as_ref(),
            clock: &self.tasks.parts.clock,
        };
        let missing = panics::caught(comparison.missing(&known, false)).await;
        missing.unwrap_or_else(|error| {
            let account = self.account;
            tracing::warn!(%account, %error, "who is missing on its list is not known");
            0
        })
    }

    /// The page at a cursor; `None` after the last one.
    async fn page_behind(
        &self,
        cursor: Option<&Cursor>,
        read: Option<&Page>,
    ) -> Result<Option<Page>, ProviderError> {
        if read.is_some() && cursor.is_none() {
            return Ok(None);
        }
        self.provider.ready(&[self.account]).await;
        self.provider.page(self.account, cursor).await.map(Some)
    }

    /// Records a page. Returns the number of changed subscribers; `None` if that failed.
    async fn record(&self, page: Option<&Page>) -> Option<usize> {
        let Some(page) = page else {
            return Some(0);
        };
        let (store, people) = (self.tasks.parts.newsletter.as_ref(), &page.people);
        // Until the account is listed, only withdrawals write to it.
        let concurrent = if self.provider.is_listed(self.account) {
            ConcurrentWrites::Possible
        } else {
            ConcurrentWrites::Excluded
        };
        let attempt =
            || usecase::reconcile(store, self.account, people, concurrent, self.tasks.now());
        let recorded = panics::caught(decide_again(CONFLICTS, attempt)).await;
        recorded
            .inspect_err(|error| tracing::warn!(%error, "a page of a list was not recorded"))
            .ok()
    }
}

/// When a list is due to be read again.
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
