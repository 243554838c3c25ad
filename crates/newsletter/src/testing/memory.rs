use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

pub use kernel::testing::MemoryStore;

use crate::{
    store::{
        AccountState, Accounts, Store, StoreError, SubscriberCount, SubscriberFilter,
        SubscriberQuery, SubscriberReader, SubscriberWrite, WriteSet, remembered_as,
    },
    subscriber::{Account, Email, MigrationToken, Remembered, Subscriber, SubscriberId},
};

#[derive(Debug, Default)]
struct Subscribers {
    rows: HashMap<SubscriberId, Subscriber>,
    by_email: BTreeMap<Email, SubscriberId>,
    tokens: HashMap<MigrationToken, SubscriberId>,
    remembered: HashMap<[u8; 32], Remembered>,
    leases: HashMap<Account, (Uuid, OffsetDateTime)>,
    states: HashMap<Account, AccountState>,
}

const KEY: [u8; 32] = [0xA5; 32];

impl Subscribers {
    fn find(&self, email: &Email) -> Option<&Subscriber> {
        self.rows.get(self.by_email.get(email)?)
    }

    fn admit(&self, writes: &WriteSet) -> bool {
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

    fn is_free(&self, email: &Email, id: SubscriberId, writes: &WriteSet) -> bool {
        self.by_email.get(email).is_none_or(|holder| {
            let written = writes.subscribers.get(holder);
            *holder == id
                || writes.purges.contains_key(holder)
                || written.is_some_and(|write| write.subscriber.email != *email)
        })
    }

    fn purge(&mut self, id: SubscriberId) {
        if let Some(row) = self.rows.remove(&id) {
            self.by_email.remove(&row.email);
            self.tokens.remove(&row.token);
        }
    }

    fn write(&mut self, writes: impl IntoIterator<Item = SubscriberWrite>) {
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

    fn remember(
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
impl Store for MemoryStore {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        let subscribers = self.part::<Subscribers>();
        let found = emails.iter().filter_map(|email| subscribers.find(email));
        Ok(found
            .map(|found| (found.email.clone(), found.clone()))
            .collect())
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        let subscribers = self.part::<Subscribers>();
        let found = ids.iter().filter_map(|id| subscribers.rows.get(id));
        Ok(found.map(|found| (found.id, found.clone())).collect())
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        let subscribers = self.part::<Subscribers>();
        let id = subscribers.tokens.get(token);
        Ok(id.and_then(|id| subscribers.rows.get(id)).cloned())
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        let subscribers = self.part::<Subscribers>();
        let mut known = HashMap::new();
        for email in emails {
            let remembered = subscribers.remembered.get(&remembered_as(&KEY, email)?);
            known.extend(remembered.map(|it| (email.clone(), *it)));
        }
        Ok(known)
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let mut subscribers = self.part::<Subscribers>();
        let mut shared = self.shared();
        if !subscribers.admit(&writes) || !shared.admits(&writes.tasks) {
            return Err(StoreError::Conflict);
        }
        let at = writes.tasks.at;
        let gone: Vec<_> = writes.purges.keys().map(|id| id.uuid()).collect();
        shared.drop_tasks(&gone);
        shared.commit(writes.tasks)?;
        for (id, purge) in &writes.purges {
            subscribers.purge(*id);
            let remembered = purge.remember.map(|status| Remembered { status, at });
            if remembered.is_some() {
                subscribers.remember(&purge.email, remembered)?;
            }
        }
        for email in &writes.recalled {
            subscribers.remember(email, None)?;
        }
        subscribers.write(writes.subscribers.into_values());
        Ok(())
    }
}

#[async_trait]
impl SubscriberReader for MemoryStore {
    async fn list(&self, query: &SubscriberQuery) -> Result<Vec<Subscriber>, StoreError> {
        let subscribers = self.part::<Subscribers>();
        let ids = subscribers.by_email.values();
        let rows = ids.filter_map(|id| subscribers.rows.get(id));
        Ok(rows
            .filter(|row| match query.filter {
                SubscriberFilter::Reported => row.reported_at.is_some(),
                SubscriberFilter::Unmigrated => row.reported_at.is_some() && row.migrated.is_none(),
                SubscriberFilter::Suppressed => row.status.is_suppressed(),
            })
            .filter(|row| query.after.as_ref().is_none_or(|after| row.email > *after))
            .take(query.limit)
            .cloned()
            .collect())
    }

    async fn counts(&self) -> Result<Vec<SubscriberCount>, StoreError> {
        let subscribers = self.part::<Subscribers>();
        let mut counts = BTreeMap::new();
        let rows = subscribers.rows.values();
        for row in rows.filter(|row| row.reported_at.is_some()) {
            let is_under_way = row.is_under_way();
            let standing = (row.account(), row.status, is_under_way);
            *counts.entry(standing).or_insert(0) += 1;
        }
        let counts = counts.into_iter();
        Ok(counts
            .map(
                |((account, status, is_under_way), people)| SubscriberCount {
                    account,
                    status,
                    is_under_way,
                    people,
                },
            )
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
        let leases = &mut self.part::<Subscribers>().leases;
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
        let leases = &mut self.part::<Subscribers>().leases;
        leases.retain(|_, (held_by, _)| *held_by != holder);
        Ok(())
    }

    async fn account_state(&self, account: Account) -> Result<AccountState, StoreError> {
        let states = &self.part::<Subscribers>().states;
        Ok(states.get(&account).cloned().unwrap_or_default())
    }

    async fn keep_account_state(
        &self,
        account: Account,
        state: &AccountState,
    ) -> Result<(), StoreError> {
        let states = &mut self.part::<Subscribers>().states;
        states.insert(account, state.clone());
        Ok(())
    }
}
