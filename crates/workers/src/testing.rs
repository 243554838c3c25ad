//! Test doubles: a store in memory whose commits can be made to fail, and the parts of a worker on
//! it.

mod model;

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use ::newsletter::{
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
    testing::MemoryStore,
};
use ::webhooks::{AddressProblem, Attempt, Delivery, EndpointUrl, Sender};
use async_trait::async_trait;
use domain::{
    posting::duplicate::{Candidate, Fingerprint},
    store::{Snapshot, Store, WriteSet},
};
use enrichment::{Pipeline, testing::MemoryDrafts};
use kernel::{
    CompanyId, PostingId, SourceIdentifier, StoreError,
    outbox::{Backlog, Kind, Outbox as _, TaskRow},
};
use runtime::{Clock, Throttle};
use time::OffsetDateTime;
use tokio::time::{sleep, timeout};

pub use self::model::{Answer, ScriptedModel};
use crate::{
    Enriching, ObservedStore, Observer, Wake, WebhookParts, WorkerParts, WorkerSettings, kinds,
    newsletter::tests::Script,
};

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

/// The store of a worker, which wakes it.
pub struct Stores {
    pub faulty: Arc<FaultyStore>,
    pub waking: Arc<ObservedStore<FaultyStore>>,
    pub wake: Arc<Wake>,
}

impl Stores {
    pub fn new() -> Self {
        let (faulty, wake) = (Arc::<FaultyStore>::default(), Arc::<Wake>::default());
        let observer = Observer {
            wake: Arc::clone(&wake),
            ..Observer::default()
        };
        Self {
            waking: Arc::new(ObservedStore::new(Arc::clone(&faulty), observer)),
            faulty,
            wake,
        }
    }

    pub fn memory(&self) -> &MemoryStore {
        &self.faulty.memory
    }

    /// The parts of a worker that enriches by rules, and has no account of the e-mail provider.
    pub fn parts(&self, clock: &Clock, settings: &WorkerSettings) -> WorkerParts {
        let memory = &self.faulty.memory;
        WorkerParts {
            store: Arc::clone(&self.waking) as _,
            newsletter: Arc::clone(&self.waking) as _,
            outbox: Arc::clone(memory) as _,
            events: Arc::clone(memory) as _,
            accounts: Arc::clone(memory) as _,
            subscribers: Arc::clone(memory) as _,
            drafts: Arc::<MemoryDrafts>::default(),
            sign_in_tokens: Arc::clone(memory) as _,
            retention: Arc::clone(memory) as _,
            enriching: Enriching {
                enricher: Arc::new(Pipeline::new(None, |_| {})),
                breaker: Arc::default(),
            },
            provider: Arc::new(Script::without_accounts()),
            webhooks: WebhookParts {
                endpoints: Arc::clone(memory) as _,
                postings: Arc::clone(memory) as _,
                clients: Arc::clone(memory) as _,
                sender: Arc::new(NoSender),
                body: Arc::new(|_, _| Ok(Vec::new())),
            },
            clock: Arc::clone(clock),
            store_clock: Arc::clone(memory) as _,
            wake: Arc::clone(&self.wake),
            throttle: Throttle(Arc::new(|| false)),
            tracer: None,
            settings: settings.clone(),
        }
    }

    pub async fn backlogs(&self) -> Vec<Backlog> {
        self.memory().backlog(&kinds::ALL).await.unwrap()
    }

    pub async fn backlog(&self, kind: Kind) -> Backlog {
        let backlogs = self.backlogs().await.into_iter();
        backlogs.into_iter().find(|one| one.kind == kind).unwrap()
    }

    pub async fn rows(&self, dead: bool) -> Vec<TaskRow> {
        let rows = self.memory().list(dead, None, usize::MAX);
        rows.await.unwrap()
    }
}

/// The behaviour of a faulty commit.
#[derive(Clone, Debug)]
pub enum Fault {
    Fail(StoreError),
    Panic,
}

impl Fault {
    fn happen(self) -> Result<(), StoreError> {
        match self {
            Self::Fail(error) => Err(error),
            Self::Panic => panic!("a poisoned commit"),
        }
    }
}

/// A store in memory with injected faults.
#[derive(Default)]
pub struct FaultyStore {
    pub memory: Arc<MemoryStore>,
    /// The number of postings in each successful commit.
    commits: Mutex<Vec<usize>>,
    /// The faults of the next commits that write postings or subscribers, first one first.
    next: Mutex<VecDeque<Fault>>,
    /// The faults of commits that write a posting with an identifier.
    poison: Mutex<Vec<(String, Fault)>>,
}

impl FaultyStore {
    pub fn poison(&self, identifier: &str, fault: Fault) {
        let poison = (identifier.to_owned(), fault);
        self.poison.lock().unwrap().push(poison);
    }

    /// Removes the faults of identifiers.
    pub fn heal(&self) {
        self.poison.lock().unwrap().clear();
    }

    pub fn fail_next(&self, faults: impl IntoIterator<Item = Fault>) {
        self.next.lock().unwrap().extend(faults);
    }

    pub fn commits(&self) -> Vec<usize> {
        self.commits.lock().unwrap().clone()
    }

    fn next(&self) -> Option<Fault> {
        self.next.lock().unwrap().pop_front()
    }

    fn poison_of(&self, writes: &WriteSet) -> Option<Fault> {
        let written = writes.postings.values();
        let written: Vec<_> = written
            .map(|write| write.posting.source_identifier.as_str())
            .collect();
        let poison = self.poison.lock().unwrap();
        let poison = poison.iter().find(|(one, _)| written.contains(&&**one));
        poison.map(|(_, fault)| fault.clone())
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
        if postings > 0
            && let Some(fault) = self.next().or_else(|| self.poison_of(&writes))
        {
            fault.happen()?;
        }
        Store::commit(&*self.memory, writes).await?;
        self.commits.lock().unwrap().push(postings);
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
        if !writes.subscribers.is_empty()
            && let Some(fault) = self.next()
        {
            fault.happen()?;
        }
        ::newsletter::store::Store::commit(&*self.memory, writes).await
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
