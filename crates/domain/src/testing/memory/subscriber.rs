//! Subscribers and the leases of the provider's accounts in memory.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::MemoryStore;
use crate::{
    store::{
        AccountState, Accounts, Census, StoreError, SubscriberQuery, SubscriberReader,
        SubscriberWrite, Who,
    },
    subscriber::{Account, Email, MigrationToken, Subscriber, SubscriberId},
};

#[derive(Debug, Default)]
pub(super) struct Subscribers {
    by_email: BTreeMap<Email, Subscriber>,
    emails: HashMap<SubscriberId, Email>,
    tokens: HashMap<MigrationToken, Email>,
    leases: HashMap<Account, (Uuid, OffsetDateTime)>,
    states: HashMap<Account, AccountState>,
}

impl Subscribers {
    pub(super) fn find(&self, email: &Email) -> Option<&Subscriber> {
        self.by_email.get(email)
    }

    pub(super) fn find_by_id(&self, id: SubscriberId) -> Option<&Subscriber> {
        self.find(self.emails.get(&id)?)
    }

    pub(super) fn find_by_token(&self, token: &MigrationToken) -> Option<&Subscriber> {
        self.find(self.tokens.get(token)?)
    }

    /// Whether these may be written.
    pub(super) fn admit(&self, write: &SubscriberWrite) -> bool {
        let stored = self.find_by_id(write.subscriber.id);
        match write.expected {
            Some(version) => stored.is_some_and(|stored| stored.version == version),
            None => stored.is_none() && self.find(&write.subscriber.email).is_none(),
        }
    }

    pub(super) fn write(&mut self, subscriber: Subscriber) {
        let email = &subscriber.email;
        self.emails.insert(subscriber.id, email.clone());
        self.tokens.insert(subscriber.token.clone(), email.clone());
        self.by_email.insert(email.clone(), subscriber);
    }
}

#[async_trait]
impl SubscriberReader for MemoryStore {
    async fn list(&self, query: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError> {
        let state = self.state();
        let rows = state.subscribers.by_email.values();
        Ok(rows
            .filter(|row| match query.who {
                Who::Reported => row.reported_at.is_some(),
                Who::Unmigrated => row.reported_at.is_some() && row.migrated.is_none(),
                Who::Suppressed => row.status.is_suppressed(),
            })
            .filter(|row| query.after.as_ref().is_none_or(|after| row.email > *after))
            .take(query.limit)
            .cloned()
            .collect())
    }

    async fn census(&self) -> Result<Vec<Census>, StoreError> {
        let state = self.state();
        let mut counts = BTreeMap::new();
        let rows = state.subscribers.by_email.values();
        for row in rows.filter(|row| row.reported_at.is_some()) {
            let is_under_way = row.migrated.is_some_and(|migrated| !migrated.arrived);
            let standing = (row.account(), row.status, is_under_way);
            *counts.entry(standing).or_insert(0) += 1;
        }
        let census = counts.into_iter();
        Ok(census
            .map(|((account, status, is_under_way), people)| Census {
                account,
                status,
                is_under_way,
                people,
            })
            .collect())
    }
}

#[async_trait]
impl Accounts for MemoryStore {
    async fn lease(
        &self,
        accounts: &[Account],
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let leases = &mut self.state().subscribers.leases;
        let is_free = |account| {
            leases
                .get(account)
                .is_none_or(|&(held_by, end)| held_by == holder || end <= now)
        };
        if !accounts.iter().all(is_free) {
            return Ok(false);
        }
        leases.extend(accounts.iter().map(|&account| (account, (holder, until))));
        Ok(true)
    }

    async fn release(&self, holder: Uuid) -> Result<(), StoreError> {
        let leases = &mut self.state().subscribers.leases;
        leases.retain(|_, (held_by, _)| *held_by != holder);
        Ok(())
    }

    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError> {
        let states = &self.state().subscribers.states;
        Ok(states.get(&account).cloned().unwrap_or_default())
    }

    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError> {
        let states = &mut self.state().subscribers.states;
        states.insert(account, state.clone());
        Ok(())
    }
}
