//! Drafts in memory, which can be out of reach, and remember who reserved.

use std::{collections::HashMap, sync::Mutex};

use async_trait::async_trait;
use domain::{
    enrichment::{DraftKey, Drafts, Reservation},
    store::StoreError,
};
use newsletter::testing::MemoryStore;
use time::OffsetDateTime;
use uuid::Uuid;

/// Drafts in memory.
#[derive(Default)]
pub struct MemoryDrafts {
    memory: MemoryStore,
    grants: Mutex<HashMap<Uuid, usize>>,
    /// What every call fails with.
    failure: Mutex<Option<StoreError>>,
}

impl MemoryDrafts {
    pub fn fail(&self, failure: Option<StoreError>) {
        *self.failure.lock().unwrap() = failure;
    }

    /// The drafts that are kept.
    pub fn kept(&self) -> Vec<String> {
        self.memory.kept_drafts()
    }

    /// How often a reservation was granted or renewed, by holder.
    pub fn grants(&self) -> HashMap<Uuid, usize> {
        self.grants.lock().unwrap().clone()
    }

    fn reached(&self) -> Result<&MemoryStore, StoreError> {
        match self.failure.lock().unwrap().clone() {
            Some(failure) => Err(failure),
            None => Ok(&self.memory),
        }
    }
}

#[async_trait]
impl Drafts for MemoryDrafts {
    async fn reserve(
        &self,
        key: &DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError> {
        let reservation = self.reached()?.reserve(key, holder, until, now).await?;
        if reservation == Reservation::Granted {
            *self.grants.lock().unwrap().entry(holder).or_default() += 1;
        }
        Ok(reservation)
    }

    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.reached()?.keep(key, draft, now).await
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        Drafts::release(self.reached()?, key, holder).await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        self.reached()?.forget(before, limit).await
    }
}
