//! Drafts in memory, which can be out of reach.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
};

use async_trait::async_trait;
use domain::{
    enrichment::{DraftKey, Drafts, Reservation},
    store::StoreError,
};
use time::OffsetDateTime;
use uuid::Uuid;

/// Drafts in memory.
#[derive(Default)]
pub struct MemoryDrafts {
    rows: Mutex<HashMap<DraftKey, Row>>,
    /// How often somebody asked, and whether it was granted.
    asked: Mutex<Vec<(Uuid, bool)>>,
    /// What every call fails with.
    failure: Mutex<Option<StoreError>>,
}

struct Row {
    draft: Option<String>,
    holder: Uuid,
    until: OffsetDateTime,
    used: OffsetDateTime,
}

impl MemoryDrafts {
    pub fn fail(&self, failure: Option<StoreError>) {
        *self.failure.lock().unwrap() = failure;
    }

    /// The drafts that are kept.
    pub fn kept(&self) -> Vec<String> {
        let rows = self.rows.lock().unwrap();
        rows.values().filter_map(|row| row.draft.clone()).collect()
    }

    /// How often a reservation was granted or renewed, by holder.
    pub fn grants(&self) -> HashMap<Uuid, usize> {
        let mut grants = HashMap::new();
        for (holder, _) in self.asked.lock().unwrap().iter().filter(|(_, yes)| *yes) {
            *grants.entry(*holder).or_default() += 1;
        }
        grants
    }

    fn rows(&self) -> Result<MutexGuard<'_, HashMap<DraftKey, Row>>, StoreError> {
        match self.failure.lock().unwrap().clone() {
            Some(failure) => Err(failure),
            None => Ok(self.rows.lock().unwrap()),
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
        let mut rows = self.rows()?;
        let row = rows.entry(*key).or_insert(Row {
            draft: None,
            holder,
            until,
            used: now,
        });
        let reservation = if let Some(draft) = &row.draft {
            Reservation::Kept(draft.clone())
        } else if row.holder == holder || row.until <= now {
            (row.holder, row.until) = (holder, until);
            Reservation::Granted
        } else {
            Reservation::Taken
        };
        row.used = now;
        let is_granted = reservation == Reservation::Granted;
        self.asked.lock().unwrap().push((holder, is_granted));
        Ok(reservation)
    }

    async fn keep(
        &self,
        key: &DraftKey,
        draft: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let row = Row {
            draft: Some(draft.to_owned()),
            holder: Uuid::nil(),
            until: now,
            used: now,
        };
        self.rows()?.insert(*key, row);
        Ok(())
    }

    async fn release(&self, key: &DraftKey, holder: Uuid) -> Result<(), StoreError> {
        self.rows()?
            .retain(|at, row| at != key || row.draft.is_some() || row.holder != holder);
        Ok(())
    }

    async fn forget(&self, before: OffsetDateTime, limit: usize) -> Result<u64, StoreError> {
        let mut rows = self.rows()?;
        let old = rows.iter().filter(|(_, row)| row.used < before);
        let old: Vec<_> = old.map(|(key, _)| *key).take(limit).collect();
        for key in &old {
            rows.remove(key);
        }
        Ok(old.len() as u64)
    }
}
