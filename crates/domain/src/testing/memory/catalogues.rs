use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use kernel::{CatalogueName, ClientId, PostingId, StoreError, audit::Entry};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{MemoryStore, State};
use crate::{
    catalogue::{
        Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting,
        Forgotten, LastImport, Leased, MOST_CATALOGUES, MOST_IMPORTS, Missed, MissingPosting,
        OpenPosting, PastImport, Released, Undone,
    },
    decision::WriteSet,
};

#[derive(Clone, Debug)]
pub(super) struct Row {
    id: CatalogueId,
    client: ClientId,
    name: CatalogueName,
    /// The lease's holder and end.
    lease: Option<(Uuid, OffsetDateTime)>,
    /// Ended imports, newest first, by their leases' holders.
    imports: Vec<(Uuid, PastImport)>,
    /// The last import whose misses count, by its lease's holder. `None` after an undo.
    counted: Option<Uuid>,
    /// The last import that expired or changed postings, by its lease's holder. `None` after an
    /// undo.
    expiring: Option<Uuid>,
    /// The last complete import, if it is held back. A running import moves it to `suspended`.
    held: Option<Uuid>,
    suspended: Option<Uuid>,
    missed: BTreeMap<(Uuid, PostingId), Missed>,
    /// Postings that an undo of their import had already handled when a release expired other
    /// postings. The next undo skips them.
    undone: BTreeSet<(Uuid, PostingId)>,
}

impl Row {
    fn is_leased(&self, lease: CatalogueLease) -> bool {
        let holder = self.lease.map(|(holder, _)| holder);
        self.id == lease.catalogue && holder == Some(lease.holder)
    }

    fn is_running(&self, now: OffsetDateTime) -> bool {
        self.lease.is_some_and(|(_, until)| until > now)
    }

    fn imports(&self) -> impl Iterator<Item = &PastImport> {
        let imports = self.imports.iter().map(|(_, import)| import);
        imports.take(MOST_IMPORTS)
    }

    /// The import that holds postings back, or held them back when the running import began.
    fn holding(&self) -> Option<Uuid> {
        self.held.or(self.suspended)
    }

    /// The newer of `counted` and `expiring`. A held import becomes `expiring` by its release. An
    /// incomplete import does not count.
    fn last_complete(&self) -> Option<Uuid> {
        let complete = self
            .imports
            .iter()
            .filter(|(_, past)| past.summary.complete);
        let mut ids = complete.map(|(id, _)| Some(*id));
        let newest = ids.find(|id| *id == self.counted || *id == self.expiring);
        newest.unwrap_or(self.counted)
    }

    fn held_back(&self) -> Option<u64> {
        let holding = self.holding()?;
        let mut imports = self.imports.iter();
        imports.find(|(id, _)| *id == holding)?.1.held_back()
    }

    fn count(&self, import: Uuid, missed: Missed) -> u64 {
        let of_it = self.missed.iter().filter(|((of, _), _)| *of == import);
        of_it.filter(|(_, it)| **it == missed).count() as u64
    }
}

impl State {
    fn leased_catalogue(&mut self, lease: CatalogueLease) -> Option<&mut Row> {
        self.catalogues.iter_mut().find(|row| row.is_leased(lease))
    }

    /// Whether the lease of a commit is held.
    pub fn holds_import(&self, lease: CatalogueLease) -> bool {
        self.catalogues.iter().any(|row| row.is_leased(lease))
    }

    pub fn write_missed(&mut self, writes: &WriteSet) {
        let lease = writes.optional.leases.first();
        let Some(row) = lease.and_then(|lease| self.leased_catalogue(*lease)) else {
            return;
        };
        let holder = row.lease.map(|(holder, _)| holder);
        for (posting, missed) in &writes.optional.missed {
            let (import, before, after) = match missed {
                Missed::Open(_) | Missed::Expired | Missed::Held => (holder, None, *missed),
                Missed::Released => (row.holding(), Some(Missed::Held), Missed::Expired),
                Missed::Kept => (row.holding(), Some(Missed::Held), *missed),
                Missed::Reopened | Missed::Left => (row.expiring, Some(Missed::Expired), *missed),
                Missed::Restored | Missed::Unrestored => (row.expiring, None, *missed),
            };
            if matches!(missed, Missed::Expired | Missed::Released) {
                if row.expiring != import {
                    row.undone.extend(
                        row.missed
                            .extract_if(.., |key, it| {
                                Some(key.0) == import
                                    && matches!(it, Missed::Restored | Missed::Unrestored)
                            })
                            .map(|(key, _)| key),
                    );
                }
                row.expiring = import;
            }
            let Some(key) = import.map(|import| (import, *posting)) else {
                continue;
            };
            let known = row.missed.get(&key);
            let is_dealt_with = matches!(known, Some(Missed::Restored | Missed::Unrestored));
            if !is_dealt_with && before.is_none_or(|before| known == Some(&before)) {
                row.missed.insert(key, after);
            }
        }
    }

    fn open_postings(&self, catalogue: CatalogueId) -> Vec<OpenPosting> {
        let postings = self.rows.postings.values().map(|row| &row.posting);
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
            client: row.client,
            name: row.name.clone(),
            postings: self.open_postings(row.id).len() as u64,
            is_running: row.is_running(now),
            imports: row.imports().cloned().collect(),
            held: row.held_back(),
            can_undo: row.expiring.is_some(),
        }
    }
}

#[async_trait]
impl Catalogues for MemoryStore {
    async fn lease(&self, query: &CatalogueQuery) -> Result<Leased, StoreError> {
        let mut state = self.part::<State>();
        let state = &mut *state;
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
            if let Some((unfinished, _)) = row.lease
                && !state.rows.changed_by(unfinished).is_empty()
            {
                row.expiring = Some(unfinished);
            }
            row.lease = Some(lease);
            if query.new_id.is_some() {
                row.suspended = row.held.take();
            }
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
                imports: Vec::new(),
                counted: None,
                expiring: None,
                held: None,
                suspended: None,
                missed: BTreeMap::new(),
                undone: BTreeSet::new(),
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
        let mut state = self.part::<State>();
        let row = state.leased_catalogue(lease);
        Ok(row
            .map(|row| row.lease = Some((lease.holder, until)))
            .is_some())
    }

    async fn finish(
        &self,
        lease: CatalogueLease,
        import: &PastImport,
        keeps_held: bool,
    ) -> Result<bool, StoreError> {
        let mut state = self.part::<State>();
        let has_changed = !state.rows.changed_by(lease.holder).is_empty();
        let Some(row) = state.leased_catalogue(lease) else {
            return Ok(false);
        };
        row.lease = None;
        if import.counts_misses() {
            row.counted = Some(lease.holder);
        }
        if has_changed {
            row.expiring = Some(lease.holder);
        }
        row.held = row.suspended.take().filter(|_| keeps_held);
        if import.is_held() {
            row.held = Some(lease.holder);
        }
        let mut import = import.clone();
        if let Some(missing) = &mut import.summary.missing {
            missing.first.clear();
        }
        row.imports.insert(0, (lease.holder, import));
        let (held, mut kept) = (row.held, 0);
        row.imports.retain(|(id, _)| {
            kept += 1;
            kept <= MOST_IMPORTS || held == Some(*id)
        });
        Ok(true)
    }

    async fn open_postings(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<OpenPosting>, StoreError> {
        let open = self.part::<State>().open_postings(catalogue);
        let behind = |posting: &OpenPosting| after.is_none_or(|after| posting.id > after);
        Ok(open.into_iter().filter(behind).take(limit).collect())
    }

    async fn misses(
        &self,
        catalogue: CatalogueId,
        postings: &[PostingId],
    ) -> Result<HashMap<PostingId, u8>, StoreError> {
        let state = self.part::<State>();
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
        let state = self.part::<State>();
        let rows = state.catalogues.iter().filter(|row| row.id == catalogue);
        let missed = rows.flat_map(|row| {
            let of_it = |(import, _): &&(Uuid, _)| row.expiring == Some(*import);
            let expired = row.missed.iter().filter(|(_, it)| **it == Missed::Expired);
            expired.map(|(key, _)| key).filter(of_it)
        });
        let missed = missed.filter(|(_, id)| after.is_none_or(|after| *id > after));
        let postings = missed.map(|(_, id)| {
            let posting = state.rows.postings.get(id).map(|row| &row.posting);
            ExpiredPosting {
                id: *id,
                identifier: posting.map(|posting| posting.source_identifier.clone()),
            }
        });
        Ok(postings.take(limit).collect())
    }

    async fn changed_last(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Option<(Uuid, Vec<ExpiredPosting>)>, StoreError> {
        let state = self.part::<State>();
        let row = state.catalogues.iter().find(|row| row.id == catalogue);
        let Some((row, import)) = row.and_then(|row| Some((row, row.expiring?))) else {
            return Ok(None);
        };
        let is_dealt_with = |id: PostingId| {
            let missed = row.missed.get(&(import, id));
            matches!(missed, Some(Missed::Restored | Missed::Unrestored))
                || row.undone.contains(&(import, id))
        };
        let changed = state.rows.changed_by(import).into_iter();
        let changed = changed.filter(|id| after.is_none_or(|after| *id > after));
        let changed = changed.filter(|id| !is_dealt_with(*id)).map(|id| {
            let posting = state.rows.postings.get(&id).map(|row| &row.posting);
            ExpiredPosting {
                id,
                identifier: posting.map(|posting| posting.source_identifier.clone()),
            }
        });
        Ok(Some((import, changed.take(limit).collect())))
    }

    async fn missing(
        &self,
        catalogue: CatalogueId,
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<MissingPosting>, StoreError> {
        let state = self.part::<State>();
        let rows = state.catalogues.iter().filter(|row| row.id == catalogue);
        let missed = rows.flat_map(|row| {
            let import = row.holding().or_else(|| row.last_complete());
            let of_it = row.missed.iter();
            of_it.filter(move |((of, _), _)| Some(*of) == import)
        });
        let behind = missed.filter(|((_, id), _)| after.is_none_or(|after| *id > after));
        let missing = behind.filter_map(|((_, id), missed)| {
            let is_missing = matches!(missed, Missed::Open(_) | Missed::Expired | Missed::Held);
            let posting = &state.rows.postings.get(id).filter(|_| is_missing)?.posting;
            Some(MissingPosting {
                id: *id,
                identifier: posting.source_identifier.clone(),
                status: posting.status(),
                is_held: *missed == Missed::Held,
            })
        });
        Ok(missing.take(limit).collect())
    }

    async fn finish_release(&self, lease: CatalogueLease) -> Result<Option<Released>, StoreError> {
        let mut state = self.part::<State>();
        let Some(row) = state.leased_catalogue(lease) else {
            return Ok(None);
        };
        row.lease = None;
        let Some(import) = row.held.take() else {
            return Ok(Some(Released::default()));
        };
        let released = Released {
            expired: row.count(import, Missed::Expired),
            left: row.count(import, Missed::Kept),
        };
        let recorded = row.imports.iter_mut().find(|(id, _)| *id == import);
        if let Some(missing) = recorded.and_then(|(_, it)| it.summary.missing.as_mut()) {
            (missing.held, missing.expired) = (None, released.expired);
            missing.released = true;
        }
        Ok(Some(released))
    }

    async fn finish_undo(&self, lease: CatalogueLease) -> Result<Option<Undone>, StoreError> {
        let mut state = self.part::<State>();
        let Some(row) = state.leased_catalogue(lease) else {
            return Ok(None);
        };
        row.lease = None;
        let Some(import) = row.expiring.take() else {
            return Ok(Some(Undone::default()));
        };
        row.counted = None;
        Ok(Some(Undone {
            reopened: row.count(import, Missed::Reopened),
            restored: row.count(import, Missed::Restored),
            left: row.count(import, Missed::Left) + row.count(import, Missed::Unrestored),
        }))
    }

    async fn forget_missed(&self, limit: usize) -> Result<usize, StoreError> {
        let mut forgotten = 0;
        for row in &mut self.part::<State>().catalogues {
            let holder = row.lease.map(|(holder, _)| holder);
            let kept = [holder, row.counted, row.expiring, row.holding()];
            row.missed.retain(|(import, _), _| {
                let is_kept = kept.contains(&Some(*import));
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
        let state = self.part::<State>();
        let is_meant = |row: &&Row| row.client == client && row.name == *name;
        let row = state.catalogues.iter().find(is_meant);
        Ok(row.map(|row| state.catalogue(row, now)))
    }

    async fn find_by_id(
        &self,
        id: CatalogueId,
        now: OffsetDateTime,
    ) -> Result<Option<Catalogue>, StoreError> {
        let state = self.part::<State>();
        let row = state.catalogues.iter().find(|row| row.id == id);
        Ok(row.map(|row| state.catalogue(row, now)))
    }

    async fn list(
        &self,
        client: ClientId,
        now: OffsetDateTime,
    ) -> Result<Vec<Catalogue>, StoreError> {
        let state = self.part::<State>();
        let rows = state.catalogues.iter().filter(|row| row.client == client);
        let mut all: Vec<_> = rows.map(|row| state.catalogue(row, now)).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }

    async fn last_imports(&self, limit: usize) -> Result<Vec<LastImport>, StoreError> {
        let state = self.part::<State>();
        let imports = state.catalogues.iter().filter_map(|row| {
            Some(LastImport {
                id: row.id,
                client: row.client,
                name: row.name.clone(),
                import: row.imports.first()?.1.clone(),
                held: row.held_back(),
            })
        });
        Ok(imports.take(limit).collect())
    }

    async fn delete(
        &self,
        client: ClientId,
        name: &CatalogueName,
        now: OffsetDateTime,
        entry: Option<&Entry>,
    ) -> Result<Forgotten, StoreError> {
        let mut state = self.part::<State>();
        let is_meant = |row: &Row| row.client == client && row.name == *name;
        let Some(at) = state.catalogues.iter().position(is_meant) else {
            return Ok(Forgotten::Unknown);
        };
        if let Some((_, until)) = state.catalogues[at].lease.filter(|(_, until)| *until > now) {
            return Ok(Forgotten::Running(until));
        }
        state.catalogues.remove(at);
        self.shared().record_entry(entry.cloned());
        Ok(Forgotten::Done)
    }
}
