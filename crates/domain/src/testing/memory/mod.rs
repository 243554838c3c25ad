//! A store in memory: the simplest implementation of the contract.

mod attention;
mod audit;
mod catalogues;
mod clients;
mod companies;
mod console;
mod events;
mod outbox;
mod reports;
mod retention;

use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use access::{Activity, Client, sign_in::SignInToken};
use async_trait::async_trait;
use kernel::{
    ClientId, CompanyId, PostingId, Prefixes, ReportId, SourceIdentifier, StoreError, Version,
    attention::StoredAttention,
    audit::Entry,
    event::{CompanyState, Cursor, Event, RecordedEvent, Subject},
    outbox::{ClaimToken, Effect, TaskId, TaskWrites},
    trace::TraceParent,
};
use time::OffsetDateTime;
use uuid::Uuid;

use self::outbox::Task;
use crate::{
    company::CompanyPair,
    posting::{
        AsOf, PostingVersion, PostingView, Statement,
        duplicate::{Apart, CANDIDATES, Candidate, DatedFingerprint, Fingerprint, Number},
    },
    report::Report,
    store::{
        Health, ListQuery, LockedRows, PostingPage, PostingReader, Reads, ReplicaPosition, Rows,
        Snapshot, Store, StoreClock, WriteSet,
    },
};

/// A store in memory that implements every port. Nothing survives it.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    /// Other contexts' states, by type.
    others: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

#[derive(Debug, Default)]
struct State {
    rows: Rows,
    fingerprints: BTreeMap<PostingId, DatedFingerprint>,
    pairs: BTreeMap<[CompanyId; 2], CompanyPair>,
    apart: BTreeSet<[CompanyId; 2]>,
    told_apart: BTreeSet<Apart>,
    clients: Vec<Client>,
    activity: HashMap<ClientId, Activity>,
    catalogues: Vec<catalogues::Row>,
    tasks: BTreeMap<TaskId, Task>,
    last_task: i64,
    events: Vec<RecordedEvent>,
    last_event: u64,
    forgotten: Cursor,
    reports: BTreeMap<ReportId, Report>,
    statements: BTreeMap<(OffsetDateTime, PostingId), Statement>,
    audit: Vec<Entry>,
    attention: StoredAttention,
    tokens: Vec<SignInToken>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another context's state, kept beside this one's and locked before it.
    ///
    /// # Panics
    ///
    /// Never: a state is found by its type.
    #[expect(
        clippy::expect_used,
        reason = "these are tests, though not marked as such"
    )]
    pub fn beside<T: Default + Send + 'static>(&self) -> Arc<Mutex<T>> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let state = others
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::new(Mutex::new(T::default())));
        Arc::clone(state).downcast().expect("it has its own type")
    }

    /// Writes another context's tasks, or nothing. First deletes unclaimed tasks of the `gone`
    /// subjects.
    pub fn write_tasks(&self, writes: TaskWrites, gone: &[Uuid]) -> Result<(), StoreError> {
        let mut state = self.state();
        if !writes.tokens().all(|token| state.holds(token)) {
            return Err(StoreError::Conflict);
        }
        let goes = |task: &Task| gone.contains(&task.subject()) && task.lease.is_none();
        state.tasks.retain(|_, task| !goes(task));
        state.write_tasks(writes, &HashSet::new());
        Ok(())
    }

    /// Writes the audit entry of another context's change.
    pub fn record_entry(&self, entry: Option<&Entry>) {
        self.state().write_entry(entry.cloned());
    }

    /// The time of the first event that follows a cursor.
    pub fn next_event_at(&self, cursor: Cursor) -> Option<OffsetDateTime> {
        let state = self.state();
        let next = state.events.iter().find(|event| event.cursor > cursor);
        next.map(|event| event.event.at)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn admits(&self, writes: &WriteSet) -> bool {
        let mut standing = writes.standing.iter();
        let stand = standing.all(|(id, version)| {
            let row = self.rows.postings.get(id);
            row.is_some_and(|row| row.posting.version == *version)
        });
        let mut leases = writes.leases.iter();
        let is_held = leases.all(|lease| self.holds_import(*lease));
        let are_new = writes.reports.iter().all(|write| self.admits_report(write));
        is_held && stand && are_new && writes.tasks.tokens().all(|token| self.holds(token))
    }

    fn holds(&self, token: &ClaimToken) -> bool {
        let task = self.tasks.get(&token.task);
        task.is_some_and(|task| task.lease == Some(token.lease))
    }

    fn leased(&mut self, token: ClaimToken) -> Option<&mut Task> {
        let task = self.tasks.get_mut(&token.task);
        task.filter(|task| task.lease == Some(token.lease))
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

    fn ask(&mut self, effect: Effect, trace: Option<TraceParent>, at: OffsetDateTime) {
        let waiting = self.tasks.values_mut().find(|task| task.is_for(effect));
        if let Some(task) = waiting {
            task.generation += 1;
            task.trace = trace;
            // No task moves back to bulk.
            if task.is_dead || !effect.queue().is_bulk() {
                task.effect = effect;
            }
            if task.is_dead {
                task.renew(at);
            }
        } else {
            self.last_task += 1;
            let task = Task {
                trace,
                ..Task::new(effect, at)
            };
            self.tasks.insert(TaskId(self.last_task), task);
        }
    }

    /// Writes effects and events, settles tasks, and adds audit entries. Omits events of unchanged
    /// companies.
    fn write_tasks(&mut self, writes: TaskWrites, unchanged: &HashSet<CompanyId>) {
        let at = writes.at;
        let is_ended = |task: &Task| writes.ended.iter().any(|effect| task.is_for(*effect));
        self.tasks.retain(|_, task| !is_ended(task));
        for (effect, trace) in writes.asked().zip(writes.traces()) {
            self.ask(effect, trace, at);
        }
        for event in writes.events {
            self.record(event, unchanged);
        }
        for token in writes.done {
            self.finish(token, at);
        }
        for (token, error) in writes.given_up {
            self.give_up(token, &error, at);
        }
        for entry in writes.audit {
            self.write_entry(Some(entry));
        }
    }

    /// Records an event; a company's with its stored state, unless unchanged.
    fn record(&mut self, mut event: Event, unchanged: &HashSet<CompanyId>) {
        if let Subject::Company(company) = &mut event.subject {
            if unchanged.contains(&company.id) {
                return;
            }
            if let Some(stored) = self.rows.companies.get(&company.id) {
                *company = CompanyState::from(stored);
            }
        }
        self.last_event += 1;
        let cursor = Cursor {
            transaction: 0,
            sequence: self.last_event,
        };
        self.events.push(RecordedEvent { cursor, event });
    }

    fn finish(&mut self, token: ClaimToken, at: OffsetDateTime) {
        if let Some(task) = self.leased(token) {
            if task.generation == token.generation {
                self.tasks.remove(&token.task);
            } else {
                task.renew(at);
            }
        }
    }
}

#[async_trait]
impl Reads for MemoryStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        let mut snapshot = self.state().rows.named(identifiers, companies);
        for posting in snapshot.postings.values_mut() {
            let description = &mut posting.details.raw_description;
            *description = description.unread();
        }
        Ok(snapshot)
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        Ok(self.state().rows.by_id(ids))
    }

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        let state = self.state();
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
        let state = self.state();
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
        let state = self.state();
        let is_copy = |it: &Candidate| {
            let original = it.duplicate_of.as_ref();
            original.is_some_and(|it| of.contains(&it.id)) && after.is_none_or(|id| it.id > id)
        };
        Ok(state.candidates().filter(is_copy).take(limit).collect())
    }

    async fn told_apart(&self, pairs: &[Apart]) -> Result<HashSet<Apart>, StoreError> {
        let state = self.state();
        let told = pairs.iter().filter(|pair| state.told_apart.contains(*pair));
        Ok(told.copied().collect())
    }

    async fn fences(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Prefixes>, StoreError> {
        let state = self.state();
        let named = state.clients.iter().filter(|it| clients.contains(&it.id));
        Ok(named.map(|it| (it.id, it.prefixes.clone())).collect())
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        Ok(self.state().rows.overdue(now, limit))
    }

    async fn held(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        let state = self.state();
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
        Ok(self.state().rows.records(import, postings))
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let mut state = self.state();
        if !state.admits(&writes) {
            return Err(StoreError::Conflict);
        }
        let unchanged = state.rows.apply(&writes)?;
        state.write_missed(&writes);
        for (id, write) in &writes.postings {
            state.write_statements(*id, write.decision.as_ref());
        }
        state.write_reports(&writes.reports);
        for (id, fingerprint) in writes.fingerprints {
            state.write_fingerprint(id, fingerprint);
        }
        state.write_pairs(writes.pairs);
        state.apart.extend(writes.apart);
        state.told_apart.extend(writes.told_apart);
        state.write_tasks(writes.tasks, &unchanged);
        Ok(())
    }
}

#[async_trait]
impl PostingReader for MemoryStore {
    async fn find(&self, identifier: &SourceIdentifier) -> Result<Option<PostingView>, StoreError> {
        Ok(self.state().rows.find(identifier))
    }

    async fn list(&self, query: &ListQuery) -> Result<PostingPage, StoreError> {
        Ok(self.state().rows.list(query))
    }

    async fn as_of(
        &self,
        identifier: &SourceIdentifier,
        moment: AsOf,
    ) -> Result<Option<PostingView>, StoreError> {
        Ok(self.state().rows.as_of(identifier, moment))
    }

    async fn versions(
        &self,
        identifier: &SourceIdentifier,
        before: Option<Version>,
        limit: usize,
    ) -> Result<Option<Vec<PostingVersion>>, StoreError> {
        Ok(self.state().rows.versions(identifier, before, limit))
    }
}

#[async_trait]
impl Health for MemoryStore {
    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl LockedRows for MemoryStore {}

impl StoreClock for MemoryStore {}

impl ReplicaPosition for MemoryStore {}
