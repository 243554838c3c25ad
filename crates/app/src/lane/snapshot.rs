//! The state that a command was read against, handed from the reading stage to the writing one.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{
    company::Company,
    posting::{Posting, PutPosting},
    store::{Known, WriteSet},
};
use kernel::{CompanyId, SourceIdentifier};

/// A lane's commit counter.
type Epoch = u64;

/// The posting and the companies that were read for one command.
pub(super) struct Snapshot {
    posting: Option<Posting>,
    /// The posting's company, and the one that the command names.
    companies: Vec<Company>,
    /// The ids of both, whether they exist or not.
    uses: Vec<CompanyId>,
    /// Whether nothing was read, and the posting is guessed to be new.
    is_guess: bool,
    read: Arc<Read>,
}

impl Snapshot {
    /// The posting and the companies of one command out of a batch's read. They are left in the
    /// read if other commands need them too.
    pub fn of(put: &PutPosting, known: &mut Known, is_shared: bool, read: &Arc<Read>) -> Self {
        let posting = if is_shared {
            known.postings.get(&put.identifier).cloned()
        } else {
            known.postings.remove(&put.identifier)
        };
        let named = put.patch.company().website().map(CompanyId::of);
        let mut uses: Vec<_> = posting
            .iter()
            .map(|posting| posting.company_id)
            .chain(named)
            .collect();
        uses.dedup();
        let companies = uses
            .iter()
            .filter_map(|id| known.companies.get(id).cloned());
        Self {
            companies: companies.collect(),
            posting,
            uses,
            is_guess: false,
            read: Arc::clone(read),
        }
    }

    /// The guess that a posting of this company is new.
    pub fn guess(company: Company, read: &Arc<Read>) -> Self {
        Self {
            posting: None,
            uses: vec![company.id],
            companies: vec![company],
            is_guess: true,
            read: Arc::clone(read),
        }
    }

    /// The companies that were not read; `None` if the snapshot is no guess.
    pub fn guessed(&self) -> Option<&[Company]> {
        self.is_guess.then_some(&*self.companies)
    }

    /// The companies that the decision depends on.
    pub fn uses(&self) -> &[CompanyId] {
        &self.uses
    }

    /// Merges the snapshot into the state that a batch is decided on.
    pub fn restore(self, known: &mut Known) {
        if let Some(posting) = self.posting {
            known
                .postings
                .insert(posting.source_identifier.clone(), posting);
        }
        let companies = self.companies.into_iter();
        known
            .companies
            .extend(companies.map(|company| (company.id, company)));
    }
}

/// What a lane has written lately. A snapshot that was read before is stale.
#[derive(Default)]
pub(super) struct RecentWrites(Mutex<Writes>);

#[derive(Default)]
struct Writes {
    /// Commits that were made or attempted.
    epoch: Epoch,
    /// The reads that are under way or whose snapshots wait, by the counter at their start.
    reads: BTreeMap<Epoch, usize>,
    /// The last write of each, if a read is older.
    postings: HashMap<SourceIdentifier, Epoch>,
    companies: HashMap<CompanyId, Epoch>,
}

/// A read, until the last of its snapshots is used.
pub(super) struct Read {
    epoch: Epoch,
    writes: Arc<RecentWrites>,
}

impl Drop for Read {
    fn drop(&mut self) {
        let mut writes = self.writes.lock();
        if let Some(reads) = writes.reads.get_mut(&self.epoch) {
            *reads -= 1;
            if *reads == 0 {
                let was_oldest = writes.reads.keys().next() == Some(&self.epoch);
                writes.reads.remove(&self.epoch);
                if was_oldest {
                    writes.forget_old();
                }
            }
        }
    }
}

impl Writes {
    /// Forgets the writes that are older than every read.
    fn forget_old(&mut self) {
        match self.reads.keys().next() {
            None => {
                self.postings.clear();
                self.companies.clear();
            }
            Some(&oldest) => {
                self.postings.retain(|_, last| *last > oldest);
                self.companies.retain(|_, last| *last > oldest);
            }
        }
    }
}

impl RecentWrites {
    fn lock(&self) -> MutexGuard<'_, Writes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a read.
    pub fn begin_read(self: &Arc<Self>) -> Arc<Read> {
        let mut writes = self.lock();
        let epoch = writes.epoch;
        *writes.reads.entry(epoch).or_default() += 1;
        Arc::new(Read {
            epoch,
            writes: Arc::clone(self),
        })
    }

    /// Records an attempted commit, before anybody has its answer.
    pub fn note(&self, written: Written) {
        let mut writes = self.lock();
        writes.epoch += 1;
        let epoch = writes.epoch;
        if writes.reads.is_empty() {
            return;
        }
        let postings = written.postings.into_iter();
        writes.postings.extend(postings.map(|it| (it, epoch)));
        let companies = written.companies.into_iter();
        writes.companies.extend(companies.map(|it| (it, epoch)));
    }

    /// Whether a posting has to be read again since this snapshot of it.
    pub fn have_outdated(&self, identifier: &SourceIdentifier, snapshot: &Snapshot) -> bool {
        let writes = self.lock();
        let is_later = |last: Option<&Epoch>| last.is_some_and(|last| *last > snapshot.read.epoch);
        is_later(writes.postings.get(identifier))
            || !writes.companies.is_empty()
                && (snapshot.uses.iter()).any(|id| is_later(writes.companies.get(id)))
    }
}

/// The rows that a commit writes.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub postings: Vec<SourceIdentifier>,
    pub companies: Vec<CompanyId>,
}

impl Written {
    pub fn of(writes: &WriteSet) -> Self {
        let postings = writes.postings.values();
        Self {
            postings: postings
                .map(|write| write.posting.source_identifier.clone())
                .collect(),
            companies: writes.companies.keys().copied().collect(),
        }
    }
}
