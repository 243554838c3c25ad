//! Retention in memory.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{Memory, Row, audit, outbox::Task};
use crate::{
    posting::Status,
    store::{Purge, Retention, StoreError},
};

#[async_trait]
impl<C: Send> Retention for Memory<C> {
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut state = self.state();
        let is_old = |row: &Row| {
            let posting = &row.posting;
            posting.status == Status::Expired
                && posting.has_texts()
                && posting.expired_at.is_some_and(|at| at < expired_before)
        };
        let old = state.postings.iter().filter(|(_, row)| is_old(row));
        let mut old: Vec<_> = old.map(|(id, row)| (row.posting.expired_at, *id)).collect();
        old.sort_unstable();
        old.truncate(limit);
        for (_, id) in &old {
            if let Some(row) = state.postings.get_mut(id) {
                row.posting.forget_texts();
                row.enriched = None;
            }
            state.fingerprints.remove(id);
        }
        Ok(old.len())
    }

    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError> {
        let mut state = self.state();
        let mut purged = 0;
        for (id, version) in &purge.postings {
            let is_it = |row: &Row| {
                row.posting.version == *version && row.posting.status == Status::Expired
            };
            if !state.postings.get(id).is_some_and(is_it) {
                continue;
            }
            if let Some(row) = state.postings.remove(id) {
                state.identifiers.remove(&row.posting.source_identifier);
            }
            state.fingerprints.remove(id);
            let goes = |task: &Task| task.subject() == id.uuid() && task.lease.is_none();
            state.tasks.retain(|_, task| !goes(task));
            purged += 1;
        }
        if purged > 0 {
            audit::write(&mut state.audit, purge.entry(purged));
        }
        Ok(purged)
    }
}
