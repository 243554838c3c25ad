//! This crate's part of the store in memory.

mod catalogues;
mod companies;
mod console;
mod reports;
mod retention;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use async_trait::async_trait;
use kernel::{
    ClientId, CompanyId, PostingId, Prefixes, ReportId, SourceIdentifier, StoreError, Version,
    event::{CompanyState, Subject},
    outbox::TaskWrites,
    testing::MemoryStore,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    company::CompanyPair,
    posting::{
        AsOf, PostingVersion, PostingView, Statement,
        duplicate::{Apart, CANDIDATES, Candidate, DatedFingerprint, Fingerprint, Number},
    },
    report::Report,
    store::{
        ListQuery, LockedRows, PostingPage, PostingReader, Reads, Rows, Snapshot, Store, WriteSet,
    },
};

#[derive(Debug, Default)]
struct State {
    rows: Rows,
    fingerprints: BTreeMap<PostingId, DatedFingerprint>,
    pairs: BTreeMap<[CompanyId; 2], CompanyPair>,
    apart: BTreeSet<[CompanyId; 2]>,
    told_apart: BTreeSet<Apart>,
    catalogues: Vec<catalogues::Row>,
    reports: BTreeMap<ReportId, Report>,
    statements: BTreeMap<(OffsetDateTime, PostingId), Statement>,
}

impl State {
    fn admits(&self, writes: &WriteSet) -> bool {
        let mut standing = writes.optional.standing.iter();
        let stand = standing.all(|(id, version)| {
            let row = self.rows.postings.get(id);
            row.is_some_and(|row| row.posting.version == *version)
        });
        let mut leases = writes.optional.leases.iter();
        let is_held = leases.all(|lease| self.holds_import(*lease));
        let are_new = writes
            .optional
            .reports
            .iter()
            .all(|write| self.admits_report(write));
        is_held && stand && are_new
    }

    /// Omits the events of unchanged companies. The other events show the stored company.
    fn complete_events(&self, tasks: &mut TaskWrites, unchanged: &HashSet<CompanyId>) {
        tasks.events.retain_mut(|event| {
            let Subject::Company(company) = &mut event.subject else {
                return true;
            };
            if let Some(stored) = self.rows.companies.get(&company.id) {
                *company = CompanyState::from(stored);
            }
            !unchanged.contains(&company.id)
        });
    }

    fn write_fingerprint(&mut self, id: PostingId, dated: Option<DatedFingerprint>) {
        let is_open = |row: &PostingView| row.posting.is_open();
        if let Some(dated) = dated {
            self.fingerprints.insert(id, dated);
        } else if !self.rows.postings.get(&id).is_some_and(is_open) {
            self.fingerprints.remove(&id);
        }
    }

    fn candidates(&self) -> impl Iterator<Item = Candidate> {
        self.fingerprints.iter().filter_map(|(id, dated)| {
            let posting = &self.rows.postings.get(id)?.posting;
            Some(Candidate::of(posting, dated.clone()))
        })
    }
}

#[async_trait]
impl Reads for MemoryStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        let mut snapshot = self.part::<State>().rows.named(identifiers, companies);
        for posting in snapshot.postings.values_mut() {
            let description = &mut posting.details.raw_description;
            *description = description.unread();
        }
        Ok(snapshot)
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        Ok(self.part::<State>().rows.by_id(ids))
    }

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        let state = self.part::<State>();
        let mut by_age: Vec<_> = state.candidates().collect();
        by_age.sort_by_key(Candidate::age);
        let bands = fingerprints
            .iter()
            .flat_map(|fingerprint| fingerprint.bands.into_iter().enumerate());
        let in_bands = bands.flat_map(|(at, band)| {
            let all = by_age.iter();
            let in_band = all.filter(move |it| it.dated.fingerprint.bands[at] == band);
            in_band.take(CANDIDATES)
        });
        let named = by_age.iter().filter(|it| named.contains(&it.id));
        let found: BTreeMap<_, _> = in_bands.chain(named).map(|it| (it.id, it)).collect();
        Ok(found.into_values().cloned().collect())
    }

    async fn numbered(&self, numbers: &[Number]) -> Result<Vec<Candidate>, StoreError> {
        let state = self.part::<State>();
        let mut by_age: Vec<_> = state.candidates().collect();
        by_age.sort_by_key(Candidate::age);
        let found = numbers.iter().flat_map(|number| {
            let all = by_age
                .iter()
                .filter(move |it| it.number().as_ref() == Some(number));
            all.take(CANDIDATES)
        });
        let found: BTreeMap<_, _> = found.map(|it| (it.id, it)).collect();
        Ok(found.into_values().cloned().collect())
    }

    async fn copies(
        &self,
        of: &[PostingId],
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let state = self.part::<State>();
        let is_copy = |it: &Candidate| {
            let original = it.duplicate_of.as_ref();
            original.is_some_and(|it| of.contains(&it.id)) && after.is_none_or(|id| it.id > id)
        };
        Ok(state.candidates().filter(is_copy).take(limit).collect())
    }

    async fn told_apart(&self, pairs: &[Apart]) -> Result<HashSet<Apart>, StoreError> {
        let state = self.part::<State>();
        let found = pairs.iter().filter(|pair| state.told_apart.contains(*pair));
        Ok(found.copied().collect())
    }

    async fn prefixes(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Prefixes>, StoreError> {
        let shared = self.shared();
        let known = |id: &ClientId| Some((*id, shared.prefixes(*id)?.clone()));
        Ok(clients.iter().filter_map(known).collect())
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        Ok(self.part::<State>().rows.overdue(now, limit))
    }

    async fn held(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let state = self.part::<State>();
        let postings = state.rows.postings.values().map(|row| &row.posting);
        let mut held: Vec<_> = postings
            .filter_map(|it| Some((it.shown.as_ref()?.held_since()?, &it.source_identifier)))
            .filter(|(since, _)| *since <= before)
            .collect();
        held.sort_unstable();
        let held = held.into_iter().take(limit);
        Ok(held.map(|(_, identifier)| identifier.clone()).collect())
    }

    async fn records(
        &self,
        import: Uuid,
        postings: &[PostingId],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        Ok(self.part::<State>().rows.records(import, postings))
    }

    async fn records_after(
        &self,
        versions: &[(PostingId, Version)],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        Ok(self.part::<State>().rows.records_after(versions))
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, mut writes: WriteSet) -> Result<(), StoreError> {
        let (mut state, mut shared) = (self.part::<State>(), self.shared());
        if !state.admits(&writes) || !shared.admits(&writes.tasks) {
            return Err(StoreError::Conflict);
        }
        let unchanged = state.rows.apply(&writes)?;
        state.write_missed(&writes);
        for (id, write) in &writes.postings {
            state.write_statements(*id, write.decision.as_ref());
        }
        state.write_reports(&writes.optional.reports);
        for (id, fingerprint) in writes.optional.fingerprints {
            state.write_fingerprint(id, fingerprint);
        }
        state.write_pairs(writes.optional.pairs);
        state.apart.extend(writes.optional.apart);
        state.told_apart.extend(writes.optional.told_apart);
        state.complete_events(&mut writes.tasks, &unchanged);
        shared.commit(writes.tasks)
    }
}

#[async_trait]
impl PostingReader for MemoryStore {
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
        Ok(self.part::<State>().rows.find(identifier))
    }

    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
        Ok(self.part::<State>().rows.list(query))
    }

    async fn as_of(
        &self,
        identifier: &SourceIdentifier,
        moment: AsOf,
    ) -> Result<Option<PostingView>, StoreError> {
        Ok(self.part::<State>().rows.as_of(identifier, moment))
    }

    async fn versions(
        &self,
        identifier: &SourceIdentifier,
        before: Option<Version>,
        limit: usize,
    ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
        Ok(self
            .part::<State>()
            .rows
            .versions(identifier, before, limit))
    }
}

impl LockedRows for MemoryStore {}
