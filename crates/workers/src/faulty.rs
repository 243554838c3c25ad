//! A store in memory whose commits can be blocked, counted and made to fail.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use ::newsletter::{
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
    testing::MemoryStore,
};
use async_trait::async_trait;
use domain::{
    posting::duplicate::{Candidate, Fingerprint},
    store::{Snapshot, Store, WriteSet},
};
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};
use time::OffsetDateTime;
use tokio::sync::watch;

/// The behaviour of a faulty commit.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The commit fails.
    Fail(StoreError),
    /// The commit panics.
    Panic,
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Fail(error)
    }
}

/// A store in memory with injected faults.
#[derive(Debug)]
pub struct FaultyStore {
    /// The store that the calls reach.
    pub memory: Arc<MemoryStore>,
    /// The number of postings in each successful commit.
    commits: Mutex<Vec<usize>>,
    /// The number of attempted commits.
    tries: AtomicUsize,
    /// The faults of the next commits that write postings or subscribers, first one first.
    next: Mutex<VecDeque<Fault>>,
    /// The faults of commits that write a posting with an identifier.
    poison: Mutex<Vec<(String, Fault)>>,
    /// Whether commits may begin.
    gate: watch::Sender<bool>,
}

impl Default for FaultyStore {
    fn default() -> Self {
        Self {
            memory: Arc::default(),
            commits: Mutex::default(),
            tries: AtomicUsize::new(0),
            next: Mutex::default(),
            poison: Mutex::default(),
            gate: watch::Sender::new(true),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FaultyStore {
    /// An empty store without faults.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Blocks every commit from now on.
    pub fn close_gate(&self) {
        self.gate.send_replace(false);
    }

    /// Unblocks commits.
    pub fn open_gate(&self) {
        self.gate.send_replace(true);
    }

    /// Makes the commits fail that write the posting with this identifier.
    pub fn poison(&self, identifier: &str, fault: Fault) {
        locked(&self.poison).push((identifier.to_owned(), fault));
    }

    /// Removes the faults of identifiers.
    pub fn heal(&self) {
        locked(&self.poison).clear();
    }

    /// Makes the next commits fail that write postings or subscribers.
    pub fn fail_next(&self, faults: impl IntoIterator<Item = impl Into<Fault>>) {
        locked(&self.next).extend(faults.into_iter().map(Into::into));
    }

    /// The number of postings in each successful commit.
    pub fn commits(&self) -> Vec<usize> {
        locked(&self.commits).clone()
    }

    /// The number of attempted commits.
    pub fn tries(&self) -> usize {
        self.tries.load(Ordering::SeqCst)
    }

    fn poison_of(&self, writes: &WriteSet) -> Option<Fault> {
        let written = writes.postings.values();
        let written: Vec<_> = written
            .map(|write| write.posting.source_identifier.as_str())
            .collect();
        let poison = locked(&self.poison);
        let poison = poison.iter().find(|(one, _)| written.contains(&&**one));
        poison.map(|(_, fault)| fault.clone())
    }

    /// Waits until commits may begin, and has one that writes fail if there is a fault for it.
    async fn begin(&self, writes: bool, poison: Option<Fault>) -> Result<(), StoreError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        let mut gate = self.gate.subscribe();
        // The sender lives as long as this store.
        let _ = gate.wait_for(|is_open| *is_open).await;
        let next = || locked(&self.next).pop_front();
        match writes.then(next).flatten().or(poison) {
            Some(Fault::Fail(error)) => Err(error),
            Some(Fault::Panic) => panic!("a poisoned commit"),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Store for FaultyStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        Store::load(&*self.memory, identifiers, companies).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        Store::load_by_id(&*self.memory, ids).await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let postings = writes.postings.len();
        self.begin(postings > 0, self.poison_of(&writes)).await?;
        Store::commit(&*self.memory, writes).await?;
        locked(&self.commits).push(postings);
        Ok(())
    }

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        Store::candidates(&*self.memory, fingerprints, named).await
    }

    async fn copies(
        &self,
        of: &[PostingId],
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        Store::copies(&*self.memory, of, after, limit).await
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        self.memory.overdue(now, limit).await
    }
}

#[async_trait]
impl ::newsletter::store::Store for FaultyStore {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        ::newsletter::store::Store::load(&*self.memory, emails).await
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        ::newsletter::store::Store::load_by_id(&*self.memory, ids).await
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        self.memory.find_by_token(token).await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        self.memory.remembered(emails).await
    }

    async fn commit(&self, writes: ::newsletter::store::WriteSet) -> Result<(), StoreError> {
        self.begin(!writes.subscribers.is_empty(), None).await?;
        ::newsletter::store::Store::commit(&*self.memory, writes).await
    }
}
