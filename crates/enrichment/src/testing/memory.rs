//! A cache of drafts in memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use kernel::{PostingId, StoreError, testing::MemoryStore};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{DraftCache, DraftKey, Reservation};

/// A cache of drafts in memory that can be made to fail. It has no postings, so it ignores their
/// erasure. Clones share their drafts.
#[derive(Clone, Debug, Default)]
pub struct MemoryDrafts(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    entries: HashMap<DraftKey, Entry>,
    grants: HashMap<Uuid, usize>,
    failure: Option<StoreError>,
}

#[derive(Debug)]
struct Entry {
    content: Content,
    /// When the draft was last stored or found; without a draft, when it was first requested.
    used_at: OffsetDateTime,
}

#[derive(Clone, Debug)]
enum Content {
    Reserved { holder: Uuid, until: OffsetDateTime },
    Draft(String),
}

impl Entry {
    fn is_reserved_by(&self, holder: Uuid) -> bool {
        matches!(self.content, Content::Reserved { holder: held_by, .. } if held_by == holder)
    }

    fn is_unused_since(&self, before: OffsetDateTime) -> bool {
        let has_ended = match self.content {
            Content::Reserved { until, .. } => until < before,
            Content::Draft(_) => true,
        };
        self.used_at < before && has_ended
    }
}

impl MemoryDrafts {
    /// Makes every call fail from now on; `None` ends that.
    pub fn fail(&self, failure: Option<StoreError>) {
        self.state().failure = failure;
    }

    /// The stored drafts, in no particular order.
    pub fn kept(&self) -> Vec<String> {
        let state = self.state();
        let kept = state
            .entries
            .values()
            .filter_map(|entry| match &entry.content {
                Content::Draft(draft) => Some(draft.clone()),
                Content::Reserved { .. } => None,
            });
        kept.collect()
    }

    /// The number of granted or renewed reservations by holder.
    pub fn grants(&self) -> HashMap<Uuid, usize> {
        self.state().grants.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reached(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state();
        match &state.failure {
            Some(failure) => Err(failure.clone()),
            None => Ok(state),
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
        let mut state = self.reached()?;
        let reserved = Content::Reserved { holder, until };
        let entry = state.entries.entry(*key).or_insert_with(|| Entry {
            content: reserved.clone(),
            used_at: now,
        });
        match &entry.content {
            Content::Draft(draft) => {
                entry.used_at = entry.used_at.max(now);
                return Ok(Reservation::Kept(draft.clone()));
            }
            Content::Reserved {
                holder: held_by,
                until: end,
            } if *held_by != holder && *end > now => return Ok(Reservation::Taken),
            Content::Reserved { .. } => entry.content = reserved,
        }
        *state.grants.entry(holder).or_default() += 1;
        Ok(Reservation::Granted)
    }

    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        _of: Option<PostingId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let entry = Entry {
            content: Content::Draft(draft.to_owned()),
            used_at: now,
        };
        self.reached()?.entries.insert(*key, entry);
        Ok(())
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        let entries = &mut self.reached()?.entries;
        if entries.get(key).is_some_and(|it| it.is_reserved_by(holder)) {
            entries.remove(key);
        }
        Ok(())
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        let entries = &mut self.reached()?.entries;
        let unused = entries
            .iter()
            .filter(|(_, entry)| entry.is_unused_since(before));
        let mut unused: Vec<_> = unused.map(|(key, entry)| (entry.used_at, *key)).collect();
        unused.sort();
        unused.truncate(limit);
        for (_, key) in &unused {
            entries.remove(key);
        }
        Ok(unused.len() as u64)
    }
}

fn drafts(store: &MemoryStore) -> MemoryDrafts {
    store.part::<MemoryDrafts>().clone()
}

#[async_trait]
impl DraftCache for MemoryStore {
    async fn reserve(
        &self,
        key: &DraftKey,
        holder: Uuid,
        until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Reservation, StoreError> {
        drafts(self).reserve(key, holder, until, now).await
    }

    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        of: Option<PostingId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        drafts(self).keep(key, draft, of, now).await
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        drafts(self).release(key, holder).await
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        drafts(self).forget(before, limit).await
    }
}
