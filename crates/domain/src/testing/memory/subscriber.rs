//! Subscribers and the leases of the provider's accounts in memory.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::MemoryStore;
use crate::{
    store::{
        AccountState, Accounts, Census, StoreError, SubscriberQuery, SubscriberReader,
        SubscriberWrite, Who, WriteSet, stored::remembered_as,
    },
    subscriber::{Account, Email, MigrationToken, Remembered, Subscriber, SubscriberId},
};

#[derive(Debug, Default)]
pub(super) struct Subscribers {
    rows: HashMap<SubscriberId, Subscriber>,
    by_email: BTreeMap<Email, SubscriberId>,
    tokens: HashMap<MigrationToken, SubscriberId>,
    remembered: HashMap<[u8; 32], Remembered>,
    leases: HashMap<Account, (Uuid, OffsetDateTime)>,
    states: HashMap<Account, AccountState>,
}

/// The key of what is remembered.
const KEY: [u8; 32] = [0xA5; 32];

impl Subscribers {
    pub(super) fn find(&self, email: &Email) -> Option<&Subscriber> {
        self.rows.get(self.by_email.get(email)?)
    }

    pub(super) fn find_by_id(&self, id: SubscriberId) -> Option<&Subscriber> {
        self.rows.get(&id)
    }

    pub(super) fn find_by_token(&self, token: &MigrationToken) -> Option<&Subscriber> {
        self.rows.get(self.tokens.get(token)?)
    }

    pub(super) fn remembered(&self, email: &Email) -> Result<Option<Remembered>, StoreError> {
        Ok(self.remembered.get(&remembered_as(&KEY, email)?).copied())
    }

    /// Whether these may be written.
    pub(super) fn admit(&self, writes: &WriteSet) -> bool {
        let is_at = |id: &SubscriberId, version| {
            let stored = self.rows.get(id);
            stored.is_some_and(|stored| stored.version == version)
        };
        let mut purges = writes.purges.iter();
        let mut written = writes.subscribers.values();
        purges.all(|(id, purge)| is_at(id, purge.expected))
            && written.all(
                |SubscriberWrite {
                     expected,
                     subscriber,
                 }| {
                    let is_expected = match expected {
                        Some(version) => is_at(&subscriber.id, *version),
                        None => !self.rows.contains_key(&subscriber.id),
                    };
                    is_expected && self.is_free(&subscriber.email, subscriber.id, writes)
                },
            )
    }

    /// Whether an address is this one's, nobody's, or that of a row that leaves it.
    fn is_free(&self, email: &Email, id: SubscriberId, writes: &WriteSet) -> bool {
        self.by_email.get(email).is_none_or(|holder| {
            let written = writes.subscribers.get(holder);
            *holder == id
                || writes.purges.contains_key(holder)
                || written.is_some_and(|write| write.subscriber.email != *email)
        })
    }

    pub(super) fn purge(&mut self, id: SubscriberId) {
        if let Some(row) = self.rows.remove(&id) {
            self.by_email.remove(&row.email);
            self.tokens.remove(&row.token);
        }
    }

    /// Writes them all: rows that leave an address go before those that take it.
    pub(super) fn write(&mut self, writes: impl IntoIterator<Item = SubscriberWrite>) {
        let rows: Vec<_> = writes.into_iter().map(|write| write.subscriber).collect();
        for row in &rows {
            self.purge(row.id);
        }
        for row in rows {
            self.by_email.insert(row.email.clone(), row.id);
            self.tokens.insert(row.token.clone(), row.id);
            self.rows.insert(row.id, row);
        }
    }

    pub(super) fn remember(
        &mut self,
        email: &Email,
        remembered: Option<Remembered>,
    ) -> Result<(), StoreError> {
        let hash = remembered_as(&KEY, email)?;
        match remembered {
            Some(remembered) => self.remembered.insert(hash, remembered),
            None => self.remembered.remove(&hash),
        };
        Ok(())
    }
}

#[async_trait]
impl SubscriberReader for MemoryStore {
    async fn list(&self, query: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError> {
        let state = self.state();
        let subscribers = &state.subscribers;
        let ids = subscribers.by_email.values();
        let rows = ids.filter_map(|id| subscribers.rows.get(id));
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
        let rows = state.subscribers.rows.values();
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
