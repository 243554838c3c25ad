//! For tests: a store in memory whose calls can be held up, counted and made to fail.

mod author;
mod drafts;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    company::CompanyId,
    posting::{PostingId, SourceIdentifier},
    store::{Known, RowLocks, Store, StoreError, WriteSet},
};
use newsletter::{
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
    testing::MemoryStore,
};
use time::OffsetDateTime;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

pub use self::{
    author::{Answer, ScriptedAuthor},
    drafts::MemoryDrafts,
};

/// What a commit does instead of its work.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It fails.
    Fail(StoreError),
    /// It panics.
    Panic,
}

/// A store in memory with faults.
pub struct FaultyStore {
    pub memory: Arc<MemoryStore>,
    /// How many postings each commit that succeeded wrote.
    pub commits: Mutex<Vec<usize>>,
    /// How many commits were tried.
    pub tries: AtomicUsize,
    /// How many identifiers were loaded.
    pub loaded: AtomicUsize,
    /// What the next commits that write postings or subscribers do, the first one first.
    pub next: Mutex<VecDeque<Fault>>,
    /// What loads fail with.
    loads: Mutex<Option<StoreError>>,
    /// What every commit does that writes a posting with this identifier.
    poison: Mutex<Vec<(String, Fault)>>,
    /// The rows that somebody else holds locked.
    locked: Mutex<RowLocks>,
    /// Whether commits may begin.
    gate: watch::Sender<bool>,
    /// Whether loads may begin.
    read_gate: watch::Sender<bool>,
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
            read_gate: watch::Sender::new(true),
        })
    }

    /// Holds up every commit from now on.
    pub fn close_gate(&self) {
        self.gate.send_replace(false);
    }

    /// Lets commits pass again.
    pub fn open_gate(&self) {
        self.gate.send_replace(true);
    }

    /// Holds up every load from now on, or lets them pass again.
    pub fn let_read(&self, may: bool) {
        self.read_gate.send_replace(may);
    }

    pub fn poison(&self, identifier: &str, fault: Fault) {
        self.poison
            .lock()
            .unwrap()
            .push((identifier.to_owned(), fault));
    }

    /// Has somebody else hold these rows locked, and no others.
    pub fn lock(&self, rows: RowLocks) {
        *self.locked.lock().unwrap() = rows;
    }

    /// Takes all poison away.
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
impl Store for FaultyStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError> {
        self.loaded.fetch_add(identifiers.len(), Ordering::SeqCst);
        self.read_gate
            .subscribe()
            .wait_for(|is_open| *is_open)
            .await
            .unwrap();
        if let Some(error) = self.loads.lock().unwrap().clone() {
            return Err(error);
        }
        Store::load(&*self.memory, identifiers, companies).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError> {
        Store::load_by_id(&*self.memory, ids).await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let fault = self.fault(&writes);
        let locks = RowLocks::of(&writes, &Known::default());
        let locked = (!self.locked_of(&locks).is_empty())
            .then(|| Fault::Fail(StoreError::Locked("a row".to_owned())));
        self.begin(locked.or(fault)).await?;
        let postings = writes.postings.len();
        Store::commit(&*self.memory, writes).await?;
        self.commits.lock().unwrap().push(postings);
        Ok(())
    }

    async fn held(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        Ok(self.locked_of(locks))
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
impl newsletter::store::Store for FaultyStore {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        newsletter::store::Store::load(&*self.memory, emails).await
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        newsletter::store::Store::load_by_id(&*self.memory, ids).await
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

    async fn commit(&self, writes: newsletter::store::WriteSet) -> Result<(), StoreError> {
        let next = || self.next.lock().unwrap().pop_front();
        let fault = if writes.subscribers.is_empty() {
            None
        } else {
            next()
        };
        self.begin(fault).await?;
        newsletter::store::Store::commit(&*self.memory, writes).await?;
        self.commits.lock().unwrap().push(0);
        Ok(())
    }
}

/// Waits until something holds, and fails when it does not within some seconds.
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
