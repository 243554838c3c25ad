use async_trait::async_trait;
use kernel::{PostingId, StoreError};
use time::OffsetDateTime;

use super::{MemoryStore, State};
use crate::{
    posting::{Findings, PostingVersion, PostingView},
    store::{Erasure, Purge, Retention, Rows},
};

impl State {
    fn delete(&mut self, id: PostingId) {
        if let Some(row) = self.rows.postings.remove(&id) {
            self.rows.identifiers.remove(&row.posting.source_identifier);
        }
        self.fingerprints.remove(&id);
        self.rows.versions.remove(&id);
    }
}

#[async_trait]
impl Retention for MemoryStore {
    async fn drop_texts(
        &self,
        expired_before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut state = self.part::<State>();
        let is_old = |row: &PostingView| {
            let posting = &row.posting;
            posting.has_texts() && posting.expired_at().is_some_and(|at| at < expired_before)
        };
        let old = state.rows.postings.iter().filter(|(_, row)| is_old(row));
        let mut old: Vec<_> = old
            .map(|(id, row)| (row.posting.expired_at(), *id))
            .collect();
        old.sort_unstable();
        old.truncate(limit);
        for (_, id) in &old {
            if let Some(row) = state.rows.postings.get_mut(id) {
                row.posting.forget_texts();
                row.texts = None;
                row.coordinates = None;
                row.findings = Findings::default();
            }
            state.fingerprints.remove(id);
        }
        Ok(old.len())
    }

    async fn forget_versions(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut state = self.part::<State>();
        let Rows {
            postings, versions, ..
        } = &mut state.rows;
        let is_old = |it: &PostingVersion| {
            let row = postings.get(&it.posting);
            it.at < before && row.is_some_and(|row| row.posting.shown.is_none())
        };
        let old = versions.values().flatten().filter(|it| is_old(it));
        let mut old: Vec<_> = old.map(|it| (it.at, it.posting, it.version)).collect();
        old.sort_unstable();
        old.truncate(limit);
        for versions in versions.values_mut() {
            versions.retain(|it| !old.contains(&(it.at, it.posting, it.version)));
        }
        Ok(old.len())
    }

    async fn purge(&self, purge: &Purge) -> Result<usize, StoreError> {
        let mut state = self.part::<State>();
        let mut purged = 0;
        for (id, version) in &purge.postings {
            let is_it = |row: &PostingView| {
                let posting = &row.posting;
                let is_purged = posting.expired_at().is_some() && !posting.is_moderated();
                posting.version == *version && is_purged
            };
            if !state.rows.postings.get(id).is_some_and(is_it) {
                continue;
            }
            state.delete(*id);
            self.shared().drop_tasks(&[id.uuid()]);
            purged += 1;
        }
        if purged > 0 {
            self.shared().record_entry(Some(purge.entry(purged)));
        }
        Ok(purged)
    }

    async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError> {
        let mut state = self.part::<State>();
        let is_it = |row: &PostingView| row.posting.version == erasure.version;
        if !state.rows.postings.get(&erasure.posting).is_some_and(is_it) {
            return Err(StoreError::Conflict);
        }
        if !erasure
            .reports
            .iter()
            .all(|write| state.admits_report(write))
        {
            return Err(StoreError::Conflict);
        }
        let id = erasure.posting;
        state.delete(id);
        let mut shared = self.shared();
        shared.erase(erasure.identifier.as_str(), erasure.tasks.at);
        state.write_reports(&erasure.reports);
        for report in state.reports.values_mut() {
            if report.posting == id {
                report.statement.clear();
                report.url = None;
            }
        }
        state.write_statement(erasure.statement.clone());
        shared.commit(erasure.tasks.clone())
    }
}
