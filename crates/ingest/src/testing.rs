//! A store in memory whose calls can be blocked, counted and made to fail.

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    store::{LockedRows, RowLocks, Snapshot, Store, WriteSet},
    testing::MemoryStore,
};
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};
use time::OffsetDateTime;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

/// The behaviour of a faulty commit.
#[derive(Clone, Debug)]
pub enum Fault {
    Fail(StoreError),
    Panic,
}

/// A store in memory with injected faults.
pub struct FaultyStore {
    pub memory: Arc<MemoryStore>,
    /// The number of postings in each successful commit.
    pub commits: Mutex<Vec<usize>>,
    /// The number of attempted commits.
    pub tries: AtomicUsize,
    /// The number of loaded identifiers.
    pub loaded: AtomicUsize,
    /// The faults of the next commits that write postings, first one first.
    pub next: Mutex<VecDeque<Fault>>,
    /// The error of every load.
    loads: Mutex<Option<StoreError>>,
    /// The faults of commits that write a posting with an identifier.
    poison: Mutex<Vec<(String, Fault)>>,
    /// The rows that another transaction holds locked.
    locked: Mutex<RowLocks>,
    /// Whether commits may begin.
    gate: watch::Sender<bool>,
}

impl FaultyStore {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            memory: Arc::new(MemoryStore::new()),
            commits: Mutex::default(),
            tries: AtomicUsize::new(0),
            loaded: AtomicUsize::new(0),
            next: Mutex::default(),
            loads: Mutex::default(),
            poison: Mutex::default(),
            locked: Mutex::default(),
            gate: watch::Sender::new(true),
        })
    }

    /// Blocks every commit from now on.
    pub fn close_gate(&self) {
        self.gate.send_replace(false);
    }

    /// Unblocks commits.
    pub fn open_gate(&self) {
        self.gate.send_replace(true);
    }

    pub fn poison(&self, identifier: &str, fault: Fault) {
        self.poison
            .lock()
            .unwrap()
            .push((identifier.to_owned(), fault));
    }

    /// Locks these rows for another transaction, and unlocks all others.
    pub fn lock(&self, rows: RowLocks) {
        *self.locked.lock().unwrap() = rows;
    }

    /// Removes the faults of identifiers.
    pub fn heal(&self) {
        self.poison.lock().unwrap().clear();
    }

    pub fn fail_next(&self, faults: impl IntoIterator<Item = Fault>) {
        self.next.lock().unwrap().extend(faults);
    }

    pub fn fail_loads(&self, error: Option<StoreError>) {
        *self.loads.lock().unwrap() = error;
    }

    pub fn tries(&self) -> usize {
        self.tries.load(Ordering::SeqCst)
    }

    pub fn loaded(&self) -> usize {
        self.loaded.load(Ordering::SeqCst)
    }

    pub fn commits(&self) -> Vec<usize> {
        self.commits.lock().unwrap().clone()
    }

    fn locked_of(&self, locks: &RowLocks) -> RowLocks {
        let locked = self.locked.lock().unwrap();
        RowLocks {
            postings: &locked.postings & &locks.postings,
            companies: &locked.companies & &locks.companies,
            references: &locked.references & &locks.references,
        }
    }

    /// Waits until commits may begin, and does what this one does instead of its work.
    async fn begin(&self, fault: Option<Fault>) -> Result<(), StoreError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        let mut gate = self.gate.subscribe();
        gate.wait_for(|is_open| *is_open).await.unwrap();
        match fault {
            Some(Fault::Fail(error)) => Err(error),
            Some(Fault::Panic) => panic!("a poisoned commit"),
            None => Ok(()),
        }
    }

    fn fault(&self, writes: &WriteSet) -> Option<Fault> {
        if writes.postings.is_empty() {
            return None;
        }
        let next = self.next.lock().unwrap().pop_front();
        let identifiers: HashSet<_> = writes
            .postings
            .values()
            .map(|write| write.posting.source_identifier.as_str())
            .collect();
        let poison = self.poison.lock().unwrap();
        let poisoned = poison
            .iter()
            .find(|(identifier, _)| identifiers.contains(&**identifier));
        next.or_else(|| poisoned.map(|(_, fault)| fault.clone()))
    }
}

#[async_trait]
impl LockedRows for FaultyStore {
    async fn locked_rows(&self, rows: &RowLocks) -> Result<RowLocks, StoreError> {
        Ok(self.locked_of(rows))
    }
}

#[async_trait]
impl Store for FaultyStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Snapshot, StoreError> {
        self.loaded.fetch_add(identifiers.len(), Ordering::SeqCst);
        if let Some(error) = self.loads.lock().unwrap().clone() {
            return Err(error);
        }
        Store::load(&*self.memory, identifiers, companies).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Snapshot, StoreError> {
        Store::load_by_id(&*self.memory, ids).await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let fault = self.fault(&writes);
        let locks = RowLocks::of(&writes, &Snapshot::default());
        let locked = (!self.locked_of(&locks).is_empty())
            .then(|| Fault::Fail(StoreError::Locked("a row".to_owned())));
        self.begin(locked.or(fault)).await?;
        let postings = writes.postings.len();
        Store::commit(&*self.memory, writes).await?;
        self.commits.lock().unwrap().push(postings);
        Ok(())
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        self.memory.overdue(now, limit).await
    }
}

/// Waits until a condition holds, and fails after ten seconds.
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
