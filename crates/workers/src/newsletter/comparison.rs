//! Finds subscribers who are missing from an account's list.
//!
//! A walk of the list notes the ids that it shows. For each other subscriber whom the account has
//! shown before, a lookup is requested: absence from the list is no proof, as entries move between
//! pages while it is read.

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
    time::Duration,
};

use kernel::StoreError;
use newsletter::{
    store::{Store, SubscriberQuery, SubscriberReader},
    subscriber::{
        Account, Subscriber, SubscriberId,
        provider::{Page, ProviderId},
        reconciliation,
    },
    usecase,
};
use runtime::{Clock, decide_again};
use time::OffsetDateTime;

/// How long a request for lookups is decided again after conflicts.
const DEADLINE: Duration = Duration::from_secs(10);

/// Subscribers in memory at a time.
const PAGE: usize = 1_000;

/// Lookups that are requested after one walk at most. A larger number is more likely a faulty
/// answer than removed subscribers, and the next walk continues.
const MAX_LOOKUPS: usize = 10_000;

/// The ids that a walk of a list has shown.
pub struct ListComparison {
    since: OffsetDateTime,
    /// Hashes instead of ids: there can be hundreds of thousands.
    shown: HashSet<u64>,
    hasher: RandomState,
}

/// The stored subscribers that a list is compared with.
pub struct Known<'a> {
    /// The account whose list it is.
    pub account: Account,
    /// Lists them.
    pub subscribers: &'a dyn SubscriberReader,
    /// Where lookups are requested.
    pub store: &'a dyn Store,
    /// The time of a request.
    pub clock: &'a Clock,
}

impl ListComparison {
    /// Starts for a walk that begins now.
    pub fn new(since: OffsetDateTime) -> Self {
        Self {
            since,
            shown: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// Notes the ids on a page, except of deleted subscribers.
    pub fn note(&mut self, page: &Page) {
        let there = page.people.iter().filter(|one| !one.found.is_deleted);
        let digests = there.map(|one| self.hasher.hash_one(&one.found.id.0));
        self.shown.extend(digests);
    }

    fn shows(&self, id: &ProviderId) -> bool {
        self.shown.contains(&self.hasher.hash_one(&id.0))
    }

    /// Requests a lookup of each subscriber missing from a list that was read to its end, and
    /// returns their number. A dry run only counts.
    pub async fn missing(&self, known: &Known<'_>, is_dry: bool) -> Result<usize, StoreError> {
        let (mut after, mut missing) = (None, 0);
        while missing < MAX_LOOKUPS {
            let query = SubscriberQuery {
                after,
                limit: PAGE,
                ..SubscriberQuery::default()
            };
            let page = known.subscribers.list(&query).await?;
            let is_missing = |one: &&Subscriber| {
                let id = reconciliation::listed_as(one, known.account, self.since);
                id.is_some_and(|id| !self.shows(id))
            };
            let ids: Vec<_> = page.iter().filter(is_missing).map(|one| one.id).collect();
            missing += if is_dry {
                ids.len()
            } else {
                self.look_for(known, &ids).await?
            };
            if page.len() < PAGE {
                break;
            }
            after = page.into_iter().last().map(|last| last.email);
        }
        Ok(missing)
    }

    async fn look_for(
        &self,
        known: &Known<'_>,
        people: &[SubscriberId],
    ) -> Result<usize, StoreError> {
        if people.is_empty() {
            return Ok(0);
        }
        let (account, since) = (known.account, self.since);
        let attempt = || usecase::look_for(known.store, account, people, since, (known.clock)());
        decide_again(DEADLINE, attempt).await
    }
}
