//! Who ought to be on an account's list and is not.
//!
//! A walk of the list notes whom it shows. Of everybody else whom the account has shown before, a
//! look is asked for: a list is no proof, as people move on it while it is read.

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
};

use domain::store::StoreError;
use newsletter::{
    store::{Store, SubscriberQuery, SubscriberReader},
    subscriber::{
        Account, Subscriber, SubscriberId,
        provider::{Page, ProviderId},
        reconciliation,
    },
    usecase,
};
use time::OffsetDateTime;

use crate::{clock::Clock, conflicts::decide_again, newsletter_service};

/// People who are in memory at a time.
const PAGE: usize = 1_000;

/// A look is asked for at so many people for each walk at most: more than that are more likely an
/// odd answer than people who were removed, and the next walk goes on.
const MOST: usize = 10_000;

/// Whom a walk of a list has shown.
pub struct RollCall {
    since: OffsetDateTime,
    /// Digests of ids: hundreds of thousands are held at a time.
    shown: HashSet<u64>,
    hasher: RandomState,
}

/// Who ought to be on a list.
pub struct Known<'a> {
    pub account: Account,
    pub subscribers: &'a dyn SubscriberReader,
    pub store: &'a dyn Store,
    pub clock: &'a Clock,
}

impl RollCall {
    /// For a walk that begins now.
    pub fn new(since: OffsetDateTime) -> Self {
        Self {
            since,
            shown: HashSet::new(),
            hasher: RandomState::new(),
        }
    }

    /// Notes whom a page shows. Who is deleted is not there.
    pub fn note(&mut self, page: &Page) {
        let there = page.people.iter().filter(|one| !one.found.is_deleted);
        let digests = there.map(|one| self.hasher.hash_one(&one.found.id.0));
        self.shown.extend(digests);
    }

    fn shows(&self, id: &ProviderId) -> bool {
        self.shown.contains(&self.hasher.hash_one(&id.0))
    }

    /// Says how many people are missing on a list that was read to its end, and asks for a look at
    /// each, unless it is `dry`.
    pub async fn missing(&self, known: &Known<'_>, is_dry: bool) -> Result<usize, StoreError> {
        let (mut after, mut missing) = (None, 0);
        while missing < MOST {
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
        decide_again(newsletter_service::DEADLINE, attempt).await
    }
}
