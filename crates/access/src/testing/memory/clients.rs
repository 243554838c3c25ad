use std::{cmp::Reverse, collections::HashMap};

use async_trait::async_trait;
use kernel::{ClientId, StoreError, Version, audit::Entry, testing::MemoryStore};

use super::Kept;
use crate::{
    Activity, ActivityLog, Client, ClientWrite, Clients, StoredSecret,
    activity::{ActivityWrites, DAYS_KEPT, Day, REFUSALS_KEPT, Refusal},
};

fn keep(store: &MemoryStore, client: &Client, entry: Option<&Entry>) {
    let mut shared = store.shared();
    shared.keep_client(client.id, client.prefixes.clone());
    shared.record_entry(entry.cloned());
}

#[async_trait]
impl Clients for MemoryStore {
    async fn insert(&self, client: &Client, entry: Option<&Entry>) -> Result<(), StoreError> {
        let mut state = self.part::<Kept>();
        state.clients.push(client.clone());
        keep(self, client, entry);
        Ok(())
    }

    async fn find(&self, id: ClientId) -> Result<Option<Client>, StoreError> {
        let state = self.part::<Kept>();
        let found = state.clients.iter().find(|client| client.id == id);
        Ok(found.cloned())
    }

    async fn list(&self, limit: usize) -> Result<Vec<Client>, StoreError> {
        let mut clients = self.part::<Kept>().clients.clone();
        clients.sort_by_key(|client| (client.created_at, client.id));
        clients.truncate(limit);
        Ok(clients)
    }

    async fn versions(&self, ids: &[ClientId]) -> Result<HashMap<ClientId, Version>, StoreError> {
        let state = self.part::<Kept>();
        let asked = state
            .clients
            .iter()
            .filter(|client| ids.contains(&client.id));
        Ok(asked.map(|client| (client.id, client.version)).collect())
    }

    async fn update(&self, write: &ClientWrite, entry: Option<&Entry>) -> Result<(), StoreError> {
        let mut state = self.part::<Kept>();
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
        keep(self, &write.client, entry);
        Ok(())
    }
}

#[async_trait]
impl ActivityLog for MemoryStore {
    async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError> {
        let mut state = self.part::<Kept>();
        let known: Vec<_> = state.clients.iter().map(|client| client.id).collect();
        let is_known = |client: &ClientId| known.contains(client);
        for (client, date, counts) in writes.days.iter().filter(|(id, ..)| is_known(id)) {
            let days = &mut state.activity.entry(*client).or_default().days;
            match days.iter_mut().find(|day| day.date == *date) {
                Some(day) => day.counts += *counts,
                None => days.push(Day {
                    date: *date,
                    counts: *counts,
                }),
            }
            days.sort_by_key(|day| Reverse(day.date));
            days.truncate(DAYS_KEPT);
        }
        for (client, at) in writes.pushes.iter().filter(|(id, _)| is_known(id)) {
            let activity = state.activity.entry(*client).or_default();
            activity.last_push_at = activity.last_push_at.max(Some(*at));
        }
        for (client, refusal) in writes.refusals.iter().filter(|(id, _)| is_known(id)) {
            let refusals = &mut state.activity.entry(*client).or_default().refusals;
            refusals.insert(0, refusal.clone());
            refusals.truncate(REFUSALS_KEPT);
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
        let state = self.part::<Kept>();
        let shared = self.shared();
        let found = clients.iter().filter_map(|client| {
            let stored = state.activity.get(client).cloned();
            let visible = shared.visible(*client);
            let mut activity = stored.or_else(|| visible.map(|_| Activity::default()))?;
            activity.visible = visible.unwrap_or_default();
            let is_shown = |it: &Refusal| !shared.is_erased(&it.identifier, it.at);
            activity.refusals.retain(|it| with_refusals && is_shown(it));
            Some((*client, activity))
        });
        Ok(found.collect())
    }
}
