//! The catalogues of the store in memory.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{MemoryStore, State};
use crate::{
    catalogue::{
        Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting,
        LastImport, Leased, MOST_CATALOGUES, Missed, OpenPosting, PastImport, Undone,
    },
    decision::WriteSet,
};

#[derive(Clone, Debug)]
pub(super) struct Row {
    id: CatalogueId,
    client: ClientId,
    name: CatalogueName,
    /// The holder of the lease, and the end of it.
    lease: Option<(Uuid, OffsetDateTime)>,
    last_import: Option<PastImport>,
    /// The last import that counts, and the last one that expired any, by the holders of their
    /// leases.
    counted: Option<Uuid>,
    expiring: Option<Uuid>,
    /// What became of missing postings, by import.
    missed: BTreeMap<(Uuid, PostingId), Missed>,
}

impl Row {
    /// Whether this is its lease, whose time may be over.
    fn is_leased(&self, lease: CatalogueLease) -> bool {
        let holder = self.lease.map(|(holder, _)| holder);
        self.id == lease.catalogue && holder == Some(lease.holder)
    }

    fn is_running(&self, now: OffsetDateTime) -> bool {
        self.lease.is_some_and(|(_, until)| until > now)
    }
}

impl State {
    /// The catalogue whose lease this is.
    fn leased_catalogue(&mut self, lease: CatalogueLease) -> Option<&mut Row> {
        self.catalogues.iter_mut().find(|row| row.is_leased(lease))
    }

    /// Whether the lease of a commit is held.
    pub fn holds_import(&self, lease: CatalogueLease) -> bool {
        self.catalogues.iter().any(|row| row.is_leased(lease))
    }

    /// Records what becomes of missing postings.
    pub fn write_missed(&mut self, writes: &WriteSet) {
        let lease = writes.leases.first();
        let Some(row) = lease.and_then(|lease| self.leased_catalogue(*lease)) else {
            return;
        };
        let holder = row.lease.map(|(holder, _)| holder);
        for (posting, missed) in &writes.missed {
            let is_undo = matches!(missed, Missed::Reopened | Missed::Left);
            if *missed == Missed::Expired {
                row.expiring = holder;
            }
            let import = if is_undo { row.expiring } else { holder };
            let Some(key) = import.map(|import| (import, *posting)) else {
                continue;
            };
            if !is_undo || row.missed.get(&key) == Some(&Missed::Expired) {
                row.missed.insert(key, *missed);
            }
        }
    }

    /// The open postings of a catalogue, by id.
    fn open_postings(&self, catalogue: CatalogueId) -> Vec<OpenPosting> {
        let postings = self.postings.values().map(|row| &row.posting);
        let open =
            postings.filter(|posting| posting.catalogue == Some(catalogue) && posting.is_open());
        let mut open: Vec<_> = open
            .map(|posting| OpenPosting {
                id: posting.id,
                identifier: posting.source_identifier.clone(),
            })
            .collect();
        open.sort_by_key(|posting| posting.id);
        open
    }

    fn catalogue(&self, row: &Row, now: OffsetDateTime) -> Catalogue {
        Catalogue {
            id: row.id,
            name: row.name.clone(),
            postings: self.open_postings(row.id).len() as u64,
            is_running: row.is_running(now),
            last_import: row.last_import.clone(),
            can_undo: row.expiring.is_some(),
        }
    }
}

#[async_trait]
impl Catalogues for MemoryStore {
    async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError> {
        let mut state = self.state();
        let of_client = |row: &&mut Row| row.client == query.client;
        let mut rows = state.catalogues.iter_mut().filter(of_client);
        let lease = (query.holder, query.until);
        let found = rows.find(|row| row.name == query.name);
        let id = if let Some(row) = found {
            if let Some((_, until)) = row.lease
                && row.is_running(query.now)
            {
                return Ok(Leased::Running(until));
            }
            row.lease = Some(lease);
            row.id
        } else {
            let Some(new_id) = query.new_id else {
                return Ok(Leased::Unknown);
            };
            let of_client = |row: &&Row| row.client == query.client;
            if state.catalogues.iter().filter(of_client).count() >= MOST_CATALOGUES {
                return Ok(Leased::TooMany);
            }
            state.catalogues.push(Row {
                id: new_id,
                client: query.client,
                name: query.name.clone(),
                lease: Some(lease),
                last_import: None,
                counted: None,
                expiring: None,
                missed: BTreeMap::new(),
            });
            new_id
        };
        Ok(Leased::Held(CatalogueLease {
            catalogue: id,
            holder: query.holder,
        }))
    }

    async fn renew(
        &self,
        lease: CatalogueLease,
        until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut state = self.state();
        let row = state.leased_catalogue(lease);
        Ok(row
            .map(|row| row.lease = Some((lease.holder, until)))
            .is_some())
    }

    async fn finish(&self, lease: CatalogueLease, import: &PastImport) -> Result<bool, StoreError> {
        let mut state = self.state();
        let Some(row) = state.leased_catalogue(lease) else {
            return Ok(false);
        };
        row.lease = None;
        row.last_import = Some(import.clone());
        if import.counts_misses() {
            row.counted = Some(lease.holder);
        }
        Ok(true)
    }

    async fn open_postings(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<OpenPosting>, StoreError> {
        let open = self.state().open_postings(catalogue);
        let behind = |posting: &OpenPosting| after.is_none_or(|after| posting.id > after);
        Ok(open.into_iter().filter(behind).take(limit).collect())
    }

    async fn misses(
        &self,
        catalogue: CatalogueId,
        postings: &[PostingId],
    ) -> Result<HashMap<PostingId, u8>, StoreError> {
        let state = self.state();
        let row = state.catalogues.iter().find(|row| row.id == catalogue);
        let counted = row.and_then(|row| Some((row, row.counted?)));
        let misses = postings.iter().filter_map(|id| {
            let (row, import) = counted?;
            match row.missed.get(&(import, *id))? {
                Missed::Open(misses) => Some((*id, *misses)),
                _ => None,
            }
        });
        Ok(misses.collect())
    }

    async fn expired_last(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<ExpiredPosting>, StoreError> {
        let state = self.state();
        let rows = state.catalogues.iter().filter(|row| row.id == catalogue);
        let missed = rows.flat_map(|row| {
            let of_it = |(import, _): &&(Uuid, _)| row.expiring == Some(*import);
            let expired = row.missed.iter().filter(|(_, it)| **it == Missed::Expired);
            expired.map(|(key, _)| key).filter(of_it)
        });
        let missed = missed.filter(|(_, id)| after.is_none_or(|after| *id > after));
        let postings = missed.map(|(_, id)| {
            let posting = state.postings.get(id).map(|row| &row.posting);
            ExpiredPosting {
                id: *id,
                identifier: posting.map(|posting| posting.source_identifier.clone()),
            }
        });
        Ok(postings.take(limit).collect())
    }

    async fn finish_undo(&self, lease: CatalogueLease) -> Result<Option<Undone>, StoreError> {
        let mut state = self.state();
        let Some(row) = state.leased_catalogue(lease) else {
            return Ok(None);
        };
        row.lease = None;
        let mut undone = Undone::default();
        if let Some(import) = row.expiring.take() {
            row.counted = None;
            for ((of, _), missed) in &row.missed {
                match missed {
                    Missed::Reopened if *of == import => undone.reopened += 1,
                    Missed::Left if *of == import => undone.left += 1,
                    _ => {}
                }
            }
        }
        Ok(Some(undone))
    }

    async fn forget_missed(&self, limit: usize) -> Result<usize, StoreError> {
        let mut forgotten = 0;
        for row in &mut self.state().catalogues {
            let holder = row.lease.map(|(holder, _)| holder);
            let (counted, expiring) = (row.counted, row.expiring);
            row.missed.retain(|(import, _), _| {
                let is_kept = [holder, counted, expiring].contains(&Some(*import));
                let stays = is_kept || forgotten == limit;
                forgotten += usize::from(!stays);
                stays
            });
        }
        Ok(forgotten)
    }

    async fn find(
        &self,
        client: ClientId,
        name: &CatalogueName,
        now: OffsetDateTime,
    ) -> Result<Option<Catalogue>, StoreError> {
        let state = self.state();
        let is_meant = |row: &&Row| row.client == client && row.name == *name;
        let row = state.catalogues.iter().find(is_meant);
        Ok(row.map(|row| state.catalogue(row, now)))
    }

    async fn list(
        &self,
        client: ClientId,
        now: OffsetDateTime,
    ) -> Result<Vec<Catalogue>, StoreError> {
        let state = self.state();
        let rows = state.catalogues.iter().filter(|row| row.client == client);
        let mut all: Vec<_> = rows.map(|row| state.catalogue(row, now)).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError> {
        let state = self.state();
        let imports = state.catalogues.iter().filter_map(|row| {
            Some(LastImport {
                client: row.client,
                name: row.name.clone(),
                import: row.last_import.clone()?,
            })
        });
        Ok(imports.take(limit).collect())
    }

    async fn delete(
        &self,
        client: ClientId,
        name: &CatalogueName,
        entry: Option<&Entry>,
    ) -> Result<bool, StoreError> {
        let mut state = self.state();
        let before = state.catalogues.len();
        state
            .catalogues
            .retain(|row| row.client != client || row.name != *name);
        let is_known = state.catalogues.len() < before;
        state.write_entry(entry.filter(|_| is_known).cloned());
        Ok(is_known)
    }
}
