//! A store of drafts in memory that can be made to fail and records its reservations.

use std::{collections::HashMap, sync::Mutex};

use async_trait::async_trait;
use domain::enrichment::{DraftCache, DraftKey, Reservation};
use kernel::{PostingId, StoreError};
use newsletter::testing::MemoryStore;
use time::OffsetDateTime;
use uuid::Uuid;

/// A store of drafts in memory.
#[derive(Default)]
pub struct MemoryDrafts {
    memory: MemoryStore,
    grants: Mutex<HashMap<Uuid, usize>>,
    /// The error of every call.
    failure: Mutex<Option<StoreError>>,
}

impl MemoryDrafts {
    pub fn fail(&self, failure: Option<StoreError>) {
        *self.failure.lock().unwrap() = failure;
    }

    /// The stored drafts.
    pub fn kept(&self) -> Vec<String> {
        self.memory.kept_drafts()
    }

    /// The number of granted or renewed reservations by holder.
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
impl DraftCache for MemoryDrafts {
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
        _of: Option<PostingId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        // It has no postings.
        self.reached()?.keep(key, draft, None, now).await
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        DraftCache::release(self.reached()?, key, holder).await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        self.reached()?.forget(before, limit).await
    }
}
