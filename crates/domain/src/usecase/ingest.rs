//! Commands of integrations: create, update, expire, reopen.

use std::collections::HashSet;

use kernel::{CompanyId, SourceIdentifier, StoreError};
use time::OffsetDateTime;

use crate::{
    catalogue::CatalogueLease,
    decision::{Change, Decided, Snapshot, WriteSet, decide},
    posting::{Answer, Lifetime, Notice, PutPosting, Rejection},
    store::{RowLocks, Store},
};

/// The outcomes of a batch's commands, in order.
pub type Answers = Vec<Result<Answer, Rejection>>;

/// Executes commands in order, each on the state that the previous one left. Commands share a
/// commit, but a second command for a posting begins another. A refused command changes nothing,
/// and does not affect the others.
///
/// After an error there are no answers, and the caller may repeat the commands.
pub async fn ingest(
    store: &dyn Store,
    mut commands: &[PutPosting],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Answers, StoreError> {
    let mut answers = Answers::new();
    while !commands.is_empty() {
        let mut postings = HashSet::new();
        let mut all = commands.iter().map(|put| &put.identifier);
        let end = all.position(|posting| !postings.insert(posting));
        let (together, rest) = commands.split_at(end.unwrap_or(commands.len()));
        answers.extend(ingest_together(store, together, lifetime, now).await?);
        commands = rest;
    }
    Ok(answers)
}

async fn ingest_together(
    store: &dyn Store,
    commands: &[PutPosting],
    lifetime: Lifetime,
    now: OffsetDateTime,
) -> Result<Answers, StoreError> {
    let mut batch = Batch::new(lifetime, now);
    let all: Vec<_> = commands.iter().collect();
    batch.load(store, &all, true).await?;
    let decide = |put| {
        let decided = batch.decide(put, now);
        batch.record(put, decided, now)
    };
    let settled: Vec<_> = all.into_iter().map(decide).collect();
    let mut committed = batch.commit(store).await?.into_iter();
    let answer = |settled: Option<_>| settled.or_else(|| committed.next());
    Ok(settled.into_iter().filter_map(answer).collect())
}

/// Commands that share a commit, at most one for each posting: a posting's version stands for one
/// change of one client. Each is decided once, on the state that the previous command left. More
/// commands may join until the commit.
#[derive(Debug)]
pub struct Batch {
    lifetime: Lifetime,
    snapshot: Snapshot,
    writes: WriteSet,
    answers: Answers,
    postings: HashSet<SourceIdentifier>,
}

impl Batch {
    /// A batch without commands.
    pub fn new(lifetime: Lifetime, now: OffsetDateTime) -> Self {
        Self::on(Snapshot::default(), lifetime, now)
    }

    /// A batch without commands, on a loaded state.
    pub fn on(snapshot: Snapshot, lifetime: Lifetime, now: OffsetDateTime) -> Self {
        Self {
            lifetime,
            snapshot,
            writes: WriteSet::new(now),
            answers: Answers::new(),
            postings: HashSet::new(),
        }
    }

    /// Loads the state for more commands, without overwriting the batch's own changes. If
    /// `with_named`, the same read loads the companies that commands name. Otherwise a second read
    /// loads the named companies that belong to no loaded posting. Returns whether there are any.
    pub async fn load(
        &mut self,
        store: &dyn Store,
        commands: &[&PutPosting],
        with_named: bool,
    ) -> Result<bool, StoreError> {
        let (mut identifiers, mut named) = (HashSet::new(), HashSet::new());
        for put in commands {
            if !self.has(&put.identifier) {
                identifiers.insert(put.identifier.clone());
            }
            named.extend(put.patch.company().key().map(CompanyId::of));
        }
        let identifiers: Vec<_> = identifiers.into_iter().collect();
        let at_once: Vec<_> = named.iter().copied().filter(|_| with_named).collect();
        let mut loaded = store.load(&identifiers, &at_once).await?;
        for posting in loaded.postings.values() {
            named.remove(&posting.company_id);
        }
        let others: Vec<_> = named.into_iter().collect();
        if !with_named && !others.is_empty() {
            let more = store.load(&[], &others).await?;
            loaded.companies.extend(more.companies);
        }
        // Earlier postings without an answered command are dropped.
        let stays = |identifier: &SourceIdentifier| self.postings.contains(identifier);
        (self.snapshot.postings).retain(|identifier, _| stays(identifier));
        self.snapshot.postings.extend(loaded.postings);
        let is_free = |id: &CompanyId| !self.writes.companies.contains_key(id);
        let companies = loaded.companies.into_iter();
        (self.snapshot.companies).extend(companies.filter(|(id, _)| is_free(id)));
        Ok(!others.is_empty())
    }

    /// Decides a command whose state was loaded.
    pub fn decide(&self, put: &PutPosting, now: OffsetDateTime) -> Result<Decided, Rejection> {
        decide(&self.snapshot, put, self.lifetime, now)
    }

    /// Adds a decision that was made on the batch's present state. Returns the answer if it does
    /// not depend on the commit; otherwise the commit returns it.
    pub fn record(
        &mut self,
        put: &PutPosting,
        decided: Result<Decided, Rejection>,
        now: OffsetDateTime,
    ) -> Option<Result<Answer, Rejection>> {
        let depends = self.has(&put.identifier) || self.has_written_company_of(put);
        let (mut answer, is_repeatable, is_change) = match decided {
            Ok(Decided {
                answer,
                change,
                is_left,
            }) => {
                let is_repeatable = !is_left && change.as_deref().is_none_or(Change::is_repeatable);
                let is_change = change.is_some();
                if let Some(mut change) = change {
                    change.import = put.import;
                    (self.writes.tasks.at, self.writes.tasks.trace) = (now, put.trace);
                    change.record(&mut self.snapshot, &mut self.writes);
                }
                let is_repeatable =
                    is_repeatable && answer.notices.iter().all(Notice::is_repeatable);
                (Ok(answer), is_repeatable, is_change)
            }
            Err(rejection) => (Err(rejection), false, false),
        };
        if let Ok(answer) = &mut answer
            && is_repeatable
        {
            answer.basis = self.snapshot.basis(&put.identifier);
        }
        if !is_change && !depends {
            return Some(answer);
        }
        self.postings.insert(put.identifier.clone());
        self.answers.push(answer);
        None
    }

    /// Requires this lease at the commit.
    pub fn require(&mut self, lease: CatalogueLease) {
        self.writes.optional.leases.insert(lease);
    }

    /// Whether a command for this posting waits for the commit.
    pub fn has(&self, identifier: &SourceIdentifier) -> bool {
        self.postings.contains(identifier)
    }

    fn has_written_company_of(&self, put: &PutPosting) -> bool {
        !self.writes.companies.is_empty()
            && self
                .companies_of(put)
                .any(|id| self.writes.companies.contains_key(&id))
    }

    /// The companies on which a command's decision depends: the named company, and the posting's.
    pub fn companies_of(&self, put: &PutPosting) -> impl Iterator<Item = CompanyId> {
        let posting = self.snapshot.postings.get(&put.identifier);
        let named = put.patch.company().key().map(CompanyId::of);
        let companies = (posting.map(|posting| posting.company_id).into_iter()).chain(named);
        companies.flat_map(|id| [id, self.snapshot.meant(id)])
    }

    /// The rows that the commit must lock for a decision.
    pub fn locks(&self, decision: &Decided) -> RowLocks {
        let Some(change) = decision.change.clone() else {
            return RowLocks::default();
        };
        let mut writes = WriteSet::new(self.writes.tasks.at);
        change.record(&mut Snapshot::default(), &mut writes);
        RowLocks::of(&writes)
    }

    /// The state for the next command.
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// What the commit writes.
    pub const fn writes(&self) -> &WriteSet {
        &self.writes
    }

    /// The kept answers, and the writes that they require.
    pub fn finish(self) -> (Answers, WriteSet) {
        (self.answers, self.writes)
    }

    /// Commits the batch, and returns the kept answers.
    pub async fn commit(self, store: &dyn Store) -> Result<Answers, StoreError> {
        let (answers, writes) = self.finish();
        if !writes.is_empty() {
            store.commit(writes).await?;
        }
        Ok(answers)
    }
}
