//! Test doubles: a store in memory whose calls can be blocked, counted and made to fail.

mod model;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use ::webhooks::{AddressProblem, Attempt, Delivery, EndpointUrl, RetrySchedule, Sender};
use async_trait::async_trait;
use domain::{
    posting::duplicate::{Candidate, Fingerprint},
    store::{Known, LockedRows, RowLocks, Store, WriteSet},
};
use kernel::{
    CompanyId, PostingId, SourceIdentifier, StoreError,
    event::{EventLog, LogQuery},
};
use newsletter::{
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
    tasks::{CONSUMER, INDIVIDUAL_MEMBERSHIP_UPDATED},
    testing::MemoryStore,
};
use time::OffsetDateTime;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

pub use self::model::{Answer, ScriptedModel};
use crate::{webhooks, worker::WebhookParts};

/// A sender without a network.
struct NoSender;

#[async_trait]
impl Sender for NoSender {
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt {
        panic!("nobody registered {}", delivery.url)
    }

    async fn check(&self, _: &EndpointUrl) -> Result<(), AddressProblem> {
        Err(AddressProblem::Unresolved)
    }
}

/// The parts of deliveries, on a store without webhooks.
pub fn webhooks(memory: &Arc<MemoryStore>) -> WebhookParts {
    WebhookParts {
        endpoints: Arc::clone(memory) as _,
        postings: Arc::clone(memory) as _,
        clients: Arc::clone(memory) as _,
        sender: Arc::new(NoSender),
        body: webhooks::body(),
        schedule: RetrySchedule::default(),
    }
}

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
    /// The faults of the next commits that write postings or subscribers, first one first.
    pub next: Mutex<VecDeque<Fault>>,
    /// The error of every load.
    loads: Mutex<Option<StoreError>>,
    /// The faults of commits that write a posting with an identifier.
    poison: Mutex<Vec<(String, Fault)>>,
    /// The errors of loads that name a subscriber.
    poisoned_people: Mutex<HashMap<SubscriberId, StoreError>>,
    /// The rows that another transaction holds locked.
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
            poisoned_people: Mutex::default(),
            locked: Mutex::default(),
            gate: watch::Sender::new(true),
            read_gate: watch::Sender::new(true),
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

    /// Unblocks or blocks every load from now on.
    pub fn let_read(&self, may: bool) {
        self.read_gate.send_replace(may);
    }

    pub fn poison(&self, identifier: &str, fault: Fault) {
        self.poison
            .lock()
            .unwrap()
            .push((identifier.to_owned(), fault));
    }

    /// Fails loads that name a subscriber.
    pub fn poison_person(&self, id: SubscriberId, error: StoreError) {
        self.poisoned_people.lock().unwrap().insert(id, error);
    }

    /// Locks these rows for another transaction, and unlocks all others.
    pub fn lock(&self, rows: RowLocks) {
        *self.locked.lock().unwrap() = rows;
    }

    /// Removes the faults of identifiers and subscribers.
    pub fn heal(&self) {
        self.poison.lock().unwrap().clear();
        self.poisoned_people.lock().unwrap().clear();
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

    fn locked_of(&self, rows: &RowLocks) -> RowLocks {
        let locked = self.locked.lock().unwrap();
        RowLocks {
            postings: &locked.postings & &rows.postings,
            companies: &locked.companies & &rows.companies,
            references: &locked.references & &rows.references,
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

    async fn near(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        Store::near(&*self.memory, fingerprints, named).await
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
impl newsletter::store::Store for FaultyStore {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        newsletter::store::Store::load(&*self.memory, emails).await
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        let poisoned = self.poisoned_people.lock().unwrap().clone();
        if let Some(error) = ids.iter().find_map(|id| poisoned.get(id)) {
            return Err(error.clone());
        }
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

/// Whether the newsletter has passed all of its events.
pub async fn is_heard(log: &dyn EventLog) -> bool {
    let query = LogQuery {
        after: log.cursor(CONSUMER).await.unwrap(),
        names: vec![INDIVIDUAL_MEMBERSHIP_UPDATED],
        prefixes: kernel::Prefixes::ALL,
        limit: 1,
    };
    log.read(&query).await.unwrap().events.is_empty()
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
