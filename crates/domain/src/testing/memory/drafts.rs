//! Drafts in memory.

use async_trait::async_trait;
use kernel::{PostingId, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::MemoryStore;
use crate::enrichment::{DraftCache, DraftKey, Reservation};

/// The entry of a key.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    state: State,
    /// The posting that the draft was kept for.
    of: Option<PostingId>,
    /// When the draft was last kept or found; before there is one, when it was first asked for.
    used_at: OffsetDateTime,
}

#[derive(Clone, Debug)]
enum State {
    Reserved { holder: Uuid, until: OffsetDateTime },
    Kept(String),
}

impl Entry {
    /// Whether it has a draft that may be this posting's.
    pub(super) fn may_be_of(&self, id: PostingId) -> bool {
        matches!(self.state, State::Kept(_)) && self.of.is_none_or(|of| of == id)
    }

    fn is_unused_since(&self, before: OffsetDateTime) -> bool {
        let has_ended = match self.state {
            State::Reserved { until, .. } => until < before,
            State::Kept(_) => true,
        };
        self.used_at < before && has_ended
    }
}

impl MemoryStore {
    /// The drafts that are kept, in no order.
    pub fn kept_drafts(&self) -> Vec<String> {
        let state = self.state();
        let kept = state
            .drafts
            .values()
            .filter_map(|entry| match &entry.state {
                State::Kept(draft) => Some(draft.clone()),
                State::Reserved { .. } => None,
            });
        kept.collect()
    }
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
        let mut state = self.state();
        let reserved = State::Reserved { holder, until };
        let entry = state.drafts.entry(*key).or_insert_with(|| Entry {
            state: reserved.clone(),
            of: None,
            used_at: now,
        });
        Ok(match &entry.state {
            State::Kept(draft) => {
                entry.used_at = entry.used_at.max(now);
                Reservation::Kept(draft.clone())
            }
            State::Reserved {
                holder: held_by,
                until: end,
            } if *held_by != holder && *end > now => Reservation::Taken,
            State::Reserved { .. } => {
                entry.state = reserved;
                Reservation::Granted
            }
        })
    }

    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        of: Option<PostingId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        if of.is_some_and(|id| !state.postings.contains_key(&id)) {
            return Ok(());
        }
        let entry = Entry {
            state: State::Kept(draft.to_owned()),
            of,
            used_at: now,
        };
        state.drafts.insert(*key, entry);
        Ok(())
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        let drafts = &mut self.state().drafts;
        let is_own = drafts.get(key).is_some_and(|entry| match entry.state {
            State::Reserved {
                holder: held_by, ..
            } => held_by == holder,
            State::Kept(_) => false,
        });
        if is_own {
            drafts.remove(key);
        }
        Ok(())
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        let drafts = &mut self.state().drafts;
        let mut unused: Vec<_> = drafts
            .iter()
            .filter(|(_, entry)| entry.is_unused_since(before))
            .map(|(key, entry)| (entry.used_at, *key))
            .collect();
        unused.sort();
        unused.truncate(limit);
        for (_, key) in &unused {
            drafts.remove(key);
        }
        Ok(unused.len() as u64)
    }
}
