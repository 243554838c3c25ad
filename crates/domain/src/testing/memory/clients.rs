//! Clients and their activity in memory.

use std::collections::{BTreeMap, HashMap};

use access::{
    Activity, ActivityLog, Client, ClientWrite, Clients, StoredSecret,
    activity::{ActivityWrites, Counts, DAYS_KEPT, Day, REFUSALS_KEPT, Refusal},
};
use async_trait::async_trait;
use kernel::{
    ClientId, StoreError, Version,
    audit::{Action, Entry},
};
use time::{Date, OffsetDateTime};

use super::MemoryStore;

/// The activity of a client.
#[derive(Debug, Default)]
pub(super) struct Stored {
    pushed_at: Option<OffsetDateTime>,
    days: BTreeMap<Date, Counts>,
    pub(super) refusals: Vec<Refusal>,
}

#[async_trait]
impl Clients for MemoryStore {
    async fn insert(&self, client: &Client, entry: Option<&Entry>) -> Result<(), StoreError> {
        let mut state = self.state();
        state.clients.push(client.clone());
        state.write_entry(entry.cloned());
        Ok(())
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        let state = self.state();
        let found = state.clients.iter().find(|client| client.id == id);
        Ok(found.cloned())
    }

    async fn list(&self, limit: usize) -> Result<Vec<Client>, StoreError> {
        let mut clients = self.state().clients.clone();
        clients.sort_by_key(|client| (client.created_at, client.id));
        clients.truncate(limit);
        Ok(clients)
    }

    async fn versions(&self, ids: &[ClientId]) -> Result<HashMap<ClientId, Version>, StoreError> {
        let state = self.state();
        let asked = state
            .clients
            .iter()
            .filter(|client| ids.contains(&client.id));
        Ok(asked.map(|client| (client.id, client.version)).collect())
    }

    async fn update(&self, write: &ClientWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let mut state = self.state();
        let is_expected =
            |client: &&mut Client| client.id == write.client.id && client.version == write.expected;
        let Some(client) = state.clients.iter_mut().find(is_expected) else {
            return Err(StoreError::Conflict);
        };
        let before = std::mem::replace(client, write.client.clone());
        for secret in &mut client.secrets {
            let same = |other: &&StoredSecret| other.digest == secret.digest;
            let used = before.secrets.iter().find(same);
            secret.last_used_at = used.map_or(secret.last_used_at, |used| used.last_used_at);
        }
        state.write_entry(entry.cloned());
        Ok(())
    }
}

#[async_trait]
impl ActivityLog for MemoryStore {
    async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError> {
        let mut state = self.state();
        let known: Vec<_> = state.clients.iter().map(|client| client.id).collect();
        let is_known = |client: &ClientId| known.contains(client);
        for (client, date, counts) in writes.days.iter().filter(|(id, ..)| is_known(id)) {
            let days = &mut state.activity.entry(*client).or_default().days;
            *days.entry(*date).or_default() += *counts;
            while days.len() > DAYS_KEPT {
                days.pop_first();
            }
        }
        for (client, at) in writes.pushes.iter().filter(|(id, _)| is_known(id)) {
            let stored = state.activity.entry(*client).or_default();
            stored.pushed_at = stored.pushed_at.max(Some(*at));
        }
        let erased: Vec<_> = state
            .audit
            .iter()
            .filter(|entry| entry.action == Action::POSTINGS_ERASE)
            .cloned()
            .collect();
        for (client, refusal) in writes.refusals.iter().filter(|(id, _)| is_known(id)) {
            let is_erased = |entry: &Entry| {
                entry.at >= refusal.at && entry.subject.as_ref() == Some(&refusal.identifier)
            };
            if erased.iter().any(is_erased) {
                continue;
            }
            let refusals = &mut state.activity.entry(*client).or_default().refusals;
            refusals.push(refusal.clone());
            let old = refusals.len().saturating_sub(REFUSALS_KEPT);
            refusals.drain(..old);
        }
        for (id, digest, at) in &writes.secrets {
            let of_client = state.clients.iter_mut().filter(|client| client.id == *id);
            let secrets = of_client.flat_map(|client| &mut client.secrets);
            for secret in secrets.filter(|secret| secret.digest == *digest) {
                secret.last_used_at = secret.last_used_at.max(Some(*at));
            }
        }
        Ok(())
    }

    async fn activities(
        &self,
        clients: &[ClientId],
        with_refusals: bool,
    ) -> Result<HashMap<ClientId, Activity>, StoreError> {
        let state = self.state();
        let found = clients.iter().filter_map(|client| {
            let stored = state.activity.get(client)?;
            let days = stored.days.iter().rev();
            let refusals = stored.refusals.iter().rev().filter(|_| with_refusals);
            let activity = Activity {
                last_push_at: stored.pushed_at,
                days: days.map(|(&date, &counts)| Day { date, counts }).collect(),
                refusals: refusals.cloned().collect(),
            };
            Some((*client, activity))
        });
        Ok(found.collect())
    }
}
