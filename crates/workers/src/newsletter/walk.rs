//! Walks of an account's whole list, page by page.
//!
//! A walk records the state of each entry. It requests a lookup for each missing subscriber,
//! because entries move between pages and may be skipped.

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
    time::Duration,
};

use kernel::StoreError;
use newsletter::{
    store::{Store, SubscriberQuery, SubscriberReader},
    subscriber::{
        Account, Subscriber,
        provider::{Cursor, Page, Provider, ProviderError},
        reconciliation::{ConcurrentWrites, listed_as},
    },
    usecase::{self, ListCounts, TaskError},
};
use runtime::{Clock, decide_again};
use time::OffsetDateTime;
use tokio::time::sleep;

const DEADLINE: Duration = Duration::from_secs(10);

const MAX_ATTEMPTS: u32 = 5;

/// The wait before a retry, unless the provider requests a different wait.
const RETRY_WAIT: Duration = Duration::from_secs(10);

const PAGE: usize = 1_000;

/// The largest number of lookups of one walk. More missing entries are probably a faulty answer.
/// The next walk looks up the rest.
const MAX_LOOKUPS: u64 = 10_000;

pub struct ListWalk<'a> {
    pub account: Account,
    pub concurrent: ConcurrentWrites,
    pub is_dry: bool,
    pub provider: &'a dyn Provider,
    pub store: &'a dyn Store,
    pub subscribers: &'a dyn SubscriberReader,
    pub clock: &'a Clock,
}

/// Hashes of the ids on the list, because there can be hundreds of thousands.
#[derive(Default)]
struct Shown {
    ids: HashSet<u64>,
    hasher: RandomState,
}

impl ListWalk<'_> {
    /// Runs the walk and returns the counts. After each page, `tell` gets the page and the counts.
    pub async fn run(
        &self,
        mut tell: impl FnMut(&ListCounts, &Page) + Send,
    ) -> Result<ListCounts, TaskError> {
        let since = (self.clock)();
        let (mut counts, mut shown) = (ListCounts::default(), Shown::default());
        let mut cursor = None;
        loop {
            let page = self.record(cursor.as_ref(), &mut counts).await?;
            let there = page.people.iter().filter(|one| !one.found.is_deleted);
            let hashes = there.map(|one| shown.hasher.hash_one(&one.found.id.0));
            shown.ids.extend(hashes);
            tell(&counts, &page);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        let mut attempt = 1;
        counts.missing = loop {
            match self.look_for_missing(since, &shown).await {
                Err(_) if attempt < MAX_ATTEMPTS => sleep(RETRY_WAIT).await,
                missing => break missing?,
            }
            attempt += 1;
        };
        Ok(counts)
    }

    async fn record(
        &self,
        cursor: Option<&Cursor>,
        counts: &mut ListCounts,
    ) -> Result<Page, TaskError> {
        let mut attempt = 1;
        loop {
            let wait = match self.try_record(cursor, counts).await {
                Err(TaskError::Store(_)) if attempt < MAX_ATTEMPTS => RETRY_WAIT,
                Err(TaskError::Provider(
                    ProviderError::Retry { after, .. } | ProviderError::Limited { after, .. },
                )) if attempt < MAX_ATTEMPTS => after.unwrap_or(RETRY_WAIT),
                result => return result,
            };
            attempt += 1;
            sleep(wait).await;
        }
    }

    async fn try_record(
        &self,
        cursor: Option<&Cursor>,
        counts: &mut ListCounts,
    ) -> Result<Page, TaskError> {
        let (account, concurrent) = (self.account, self.concurrent);
        let page = self.provider.page(account, cursor).await?;
        let attempt = || {
            let now = (self.clock)();
            usecase::reconcile(self.store, account, &page, concurrent, self.is_dry, now)
        };
        *counts += decide_again(DEADLINE, attempt).await?;
        Ok(page)
    }

    async fn look_for_missing(
        &self,
        since: OffsetDateTime,
        shown: &Shown,
    ) -> Result<u64, StoreError> {
        let (mut after, mut missing) = (None, 0);
        while missing < MAX_LOOKUPS {
            let query = SubscriberQuery {
                after,
                limit: PAGE,
                ..SubscriberQuery::default()
            };
            let page = self.subscribers.list(&query).await?;
            let is_missing = |one: &&Subscriber| {
                let id = listed_as(one, self.account, since);
                id.is_some_and(|id| !shown.ids.contains(&shown.hasher.hash_one(&id.0)))
            };
            let ids: Vec<_> = page.iter().filter(is_missing).map(|one| one.id).collect();
            missing += if self.is_dry || ids.is_empty() {
                ids.len() as u64
            } else {
                let (store, account) = (self.store, self.account);
                let attempt = || usecase::look_for(store, account, &ids, since, (self.clock)());
                decide_again(DEADLINE, attempt).await?
            };
            if page.len() < PAGE {
                break;
            }
            after = page.into_iter().last().map(|last| last.email);
        }
        Ok(missing)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kernel::testing::{hours, noon};
    use newsletter::{
        subscriber::{SubscriberStatus, provider::ProviderStatus},
        testing::{Failing, MemoryProvider, MemoryStore, email, report},
        usecase::{find_subscriber, put_subscribers},
    };

    use super::*;

    const ALL: [&str; 3] = ["a@x.example", "b@x.example", "c@x.example"];

    async fn store() -> MemoryStore {
        let store = MemoryStore::new();
        let puts = ALL.map(|address| report(address, "{}"));
        put_subscribers(&store, &puts, noon()).await.unwrap();
        store
    }

    async fn walk(
        store: &MemoryStore,
        provider: &MemoryProvider,
        is_dry: bool,
        later: i64,
    ) -> ListCounts {
        let clock: Clock = Arc::new(move || noon() + hours(later));
        let walk = ListWalk {
            account: Account::Old,
            concurrent: ConcurrentWrites::Possible,
            is_dry,
            provider,
            store,
            subscribers: store,
            clock: &clock,
        };
        walk.run(|_, _| {}).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_list_shows_is_counted_and_recorded() {
        let (store, provider) = (store().await, MemoryProvider::new());
        for (address, status) in [
            (ALL[0], ProviderStatus::Unsubscribed),
            (ALL[1], ProviderStatus::Active),
            ("stranger@x.example", ProviderStatus::Junk),
        ] {
            provider.set(Account::Old, &email(address), status);
        }
        // The first attempt to read the page fails.
        let limited = ProviderError::Limited {
            message: "429".to_owned(),
            after: None,
        };
        provider.fail(1, Failing::Before, limited);
        let expect = ListCounts {
            people: 3,
            unknown: 1,
            suppressed: 2,
            // `b` will be synced anyway, so it does not count as different.
            different: 1,
            odd: 0,
            missing: 0,
        };
        for (is_dry, status) in [
            (true, SubscriberStatus::Active),
            (false, SubscriberStatus::Unsubscribed),
        ] {
            assert_eq!(walk(&store, &provider, is_dry, 1).await, expect);
            let known = find_subscriber(&store, &email(ALL[0])).await;
            assert_eq!(known.unwrap().unwrap().status, status);
        }
        assert_eq!(walk(&store, &provider, true, 1).await.different, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_there_once_and_is_not_on_the_list_is_looked_up() {
        let (store, provider) = (store().await, MemoryProvider::new());
        for address in &ALL[..2] {
            provider.set(Account::Old, &email(address), ProviderStatus::Active);
        }
        // The third subscriber has never been in the account.
        assert_eq!(walk(&store, &provider, false, 1).await.missing, 0);
        provider.delete(Account::Old, &email(ALL[0]));
        for is_dry in [true, true, false] {
            let counts = walk(&store, &provider, is_dry, 2).await;
            assert_eq!((counts.people, counts.missing), (1, 1));
        }
        let known = find_subscriber(&store, &email(ALL[0])).await;
        let subscriber = known.unwrap().unwrap();
        assert!(subscriber.needs_sync());
        let status = subscriber.status;
        assert_eq!(status, SubscriberStatus::Active, "a list is no proof");
    }
}
