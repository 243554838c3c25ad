//! Test doubles: a store in memory whose calls can be blocked, counted and made to fail.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use domain::store::{Snapshot, Store, WriteSet};
use kernel::{CompanyId, PostingId, SourceIdentifier, StoreError};
use newsletter::{
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
    testing::MemoryStore,
};
use time::OffsetDateTime;
use tokio::sync::watch;

/// A store in memory with injected faults.
pub struct FaultyStore {
    pub memory: Arc<MemoryStore>,
    /// The number of attempted commits.
    pub tries: AtomicUsize,
    /// The errors of the next commits that write postings or subscribers, first one first.
    next: Mutex<VecDeque<StoreError>>,
    /// Whether commits may begin.
    gate: watch::Sender<bool>,
}

impl FaultyStore {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            memory: Arc::new(MemoryStore::new()),
            tries: AtomicUsize::new(0),
            next: Mutex::default(),
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

    pub fn fail_next(&self, errors: impl IntoIterator<Item = StoreError>) {
        self.next.lock().unwrap().extend(errors);
    }

    pub fn tries(&self) -> usize {
        self.tries.load(Ordering::SeqCst)
    }

    /// Waits until commits may begin, and fails one that writes if an error is left for it.
    async fn begin(&self, writes: bool) -> Result<(), StoreError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        let mut gate = self.gate.subscribe();
        gate.wait_for(|is_open| *is_open).await.unwrap();
        let next = || self.next.lock().unwrap().pop_front();
        writes.then(next).flatten().map_or(Ok(()), Err)
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
        self.begin(!writes.postings.is_empty()).await?;
        Store::commit(&*self.memory, writes).await
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
        self.begin(!writes.subscribers.is_empty()).await?;
        newsletter::store::Store::commit(&*self.memory, writes).await
    }
}
