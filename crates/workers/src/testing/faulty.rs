//! A store in memory. Tests can block its calls, count them, and make them fail.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use ::newsletter::{
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
    testing::MemoryStore,
};
use async_trait::async_trait;
use domain::{
    posting::{
        PostingVersion,
        duplicate::{Apart, Candidate, Fingerprint, Number},
    },
    store::{LockedRows, Reads, RowLocks, Snapshot, Store, WriteSet},
};
use kernel::{ClientId, CompanyId, PostingId, Prefixes, SourceIdentifier, StoreError, Version};
use time::OffsetDateTime;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use uuid::Uuid;

#[derive(Clone, Debug)]
pub enum Fault {
    Fail(StoreError),
    Panic,
    /// The commit succeeds, but its answer is lost.
    Lose,
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Fail(error)
    }
}

#[derive(Debug)]
pub struct FaultyStore {
    pub memory: Arc<MemoryStore>,
    commits: Mutex<Vec<usize>>,
    tries: AtomicUsize,
    loaded: AtomicUsize,
    loads: Mutex<Option<StoreError>>,
    locked: Mutex<RowLocks>,
    /// The next faults in commits of postings or subscribers.
    next: Mutex<VecDeque<Fault>>,
    /// The faults in commits of the posting with this identifier.
    poison: Mutex<Vec<(String, Fault)>>,
    gate: watch::Sender<bool>,
}

impl Default for FaultyStore {
    fn default() -> Self {
        Self {
            memory: Arc::default(),
            commits: Mutex::default(),
            tries: AtomicUsize::new(0),
            loaded: AtomicUsize::new(0),
            loads: Mutex::default(),
            locked: Mutex::default(),
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
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    pub fn close_gate(&self) {
        self.gate.send_replace(false);
    }

    pub fn open_gate(&self) {
        self.gate.send_replace(true);
    }

    pub fn poison(&self, identifier: &str, fault: Fault) {
        locked(&self.poison).push((identifier.to_owned(), fault));
    }

    pub fn heal(&self) {
        locked(&self.poison).clear();
    }

    /// Locks these rows as another transaction would, and unlocks all others.
    pub fn lock(&self, rows: RowLocks) {
        *locked(&self.locked) = rows;
    }

    pub fn fail_loads(&self, error: Option<StoreError>) {
        *locked(&self.loads) = error;
    }

    pub fn fail_next(&self, faults: impl IntoIterator<Item = impl Into<Fault>>) {
        locked(&self.next).extend(faults.into_iter().map(Into::into));
    }

    pub fn commits(&self) -> Vec<usize> {
        locked(&self.commits).clone()
    }

    pub fn tries(&self) -> usize {
        self.tries.load(Ordering::SeqCst)
    }

    pub fn loaded(&self) -> usize {
        self.loaded.load(Ordering::SeqCst)
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

    /// Waits for the gate and injects the next fault. The inner result is the commit's answer.
    async fn begin(
        &self,
        writes: bool,
        poison: Option<Fault>,
    ) -> Result<Result<(), StoreError>, StoreError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        let next = writes.then(|| locked(&self.next).pop_front()).flatten();
        let mut gate = self.gate.subscribe();
        // No error occurs, because the sender lives as long as this store.
        let _ = gate.wait_for(|is_open| *is_open).await;
        match next.or(poison) {
            Some(Fault::Fail(error)) => Err(error),
            Some(Fault::Panic) => panic!("a poisoned commit"),
            Some(Fault::Lose) => Ok(Err(StoreError::InDoubt("lost".to_owned()))),
            None => Ok(Ok(())),
        }
    }
}

#[async_trait]
impl LockedRows for FaultyStore {
    async fn locked_rows(&self, rows: &RowLocks) -> Result<RowLocks, StoreError> {
        let held = locked(&self.locked);
        Ok(RowLocks {
            postings: &held.postings & &rows.postings,
            companies: &held.companies & &rows.companies,
        })
    }
}

#[async_trait]
impl Reads for FaultyStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        self.loaded.fetch_add(identifiers.len(), Ordering::SeqCst);
        if let Some(error) = locked(&self.loads).clone() {
            return Err(error);
        }
        Reads::load(&*self.memory, identifiers, companies).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        Reads::load_by_id(&*self.memory, ids).await
    }

    async fn candidates(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        Reads::candidates(&*self.memory, fingerprints, named).await
    }

    async fn numbered(&self, numbers: &[Number]) -> Result<Vec<Candidate>, StoreError> {
        self.memory.numbered(numbers).await
    }

    async fn told_apart(&self, pairs: &[Apart]) -> Result<HashSet<Apart>, StoreError> {
        self.memory.told_apart(pairs).await
    }

    async fn copies(
        &self,
        of: &[PostingId],
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        Reads::copies(&*self.memory, of, after, limit).await
    }

    async fn held(
        &self,
        before: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        Reads::held(&*self.memory, before, limit).await
    }

    async fn records(
        &self,
        import: Uuid,
        postings: &[PostingId],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        self.memory.records(import, postings).await
    }

    async fn records_after(
        &self,
        versions: &[(PostingId, Version)],
    ) -> Result<Vec<PostingVersion>, StoreError> {
        self.memory.records_after(versions).await
    }

    async fn prefixes(
        &self,
        clients: &[ClientId],
    ) -> Result<HashMap<ClientId, Prefixes>, StoreError> {
        self.memory.prefixes(clients).await
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
impl Store for FaultyStore {
    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let postings = writes.postings.len();
        let after = self.begin(postings > 0, self.poison_of(&writes)).await?;
        let rows = RowLocks::of(&writes);
        if !self.locked_rows(&rows).await?.is_empty() {
            return Err(StoreError::Locked("a row".to_owned()));
        }
        Store::commit(&*self.memory, writes).await?;
        locked(&self.commits).push(postings);
        after
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
        let after = self.begin(!writes.subscribers.is_empty(), None).await?;
        ::newsletter::store::Store::commit(&*self.memory, writes).await?;
        after
    }
}

/// # Panics
///
/// If the condition still fails after ten seconds.
pub async fn eventually(what: &str, holds: impl AsyncFn() -> bool) {
    let patience = async {
        while !holds().await {
            sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(
        timeout(Duration::from_secs(10), patience).await.is_ok(),
        "never: {what}"
    );
}
