//! The catalogues of the store in memory.

use async_trait::async_trait;
use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{MemoryStore, State, audit};
use crate::catalogue::{
    Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, LastImport, Leased,
    MOST_CATALOGUES, OpenPosting, PastImport,
};

#[derive(Clone, Debug)]
pub(super) struct Row {
    id: CatalogueId,
    client: ClientId,
    name: CatalogueName,
    /// The holder of the lease, and the end of it.
    lease: Option<(Uuid, OffsetDateTime)>,
    last_import: Option<PastImport>,
}

impl Row {
    fn is_running(&self, now: OffsetDateTime) -> bool {
        self.lease.is_some_and(|(_, until)| until > now)
    }
}

impl State {
    /// The catalogue whose lease this is.
    fn leased_catalogue(&mut self, lease: CatalogueLease) -> Option<&mut Row> {
        let is_held = |row: &&mut Row| {
            row.id == lease.catalogue
                && (row.lease).is_some_and(|(holder, _)| holder == lease.holder)
        };
        self.catalogues.iter_mut().find(is_held)
    }

    /// Whether the lease of a commit is held.
    pub fn holds_import(&self, lease: CatalogueLease) -> bool {
        self.catalogues.iter().any(|row| {
            row.id == lease.catalogue
                && (row.lease).is_some_and(|(holder, _)| holder == lease.holder)
        })
    }

    /// The open postings of a catalogue, by id.
    fn open_postings(&self, catalogue: CatalogueId) -> Vec<OpenPosting> {
        let postings = self.postings.values().map(|row| &row.posting);
        let open = postings
            .filter(|posting| posting.catalogue == Some(catalogue) && posting.status.is_open());
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
            let of_client = |row: &&Row| row.client == query.client;
            if state.catalogues.iter().filter(of_client).count() >= MOST_CATALOGUES {
                return Ok(Leased::TooMany);
            }
            state.catalogues.push(Row {
                id: query.new_id,
                client: query.client,
                name: query.name.clone(),
                lease: Some(lease),
                last_import: None,
            });
            query.new_id
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
        if let Some(entry) = entry.filter(|_| is_known) {
            audit::write(&mut state.audit, entry.clone());
        }
        Ok(is_known)
    }
}
