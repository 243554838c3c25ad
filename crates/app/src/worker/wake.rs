//! Wakes the worker's loops after commits of this process.

use std::{collections::HashMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    company::CompanyId,
    outbox::Queue,
    posting::{PostingId, SourceIdentifier},
    store::{Known, RowLocks, Store, StoreError, WriteSet},
    subscriber::{Account, Email, MigrationToken, Remembered, Subscriber, SubscriberId},
};
use time::OffsetDateTime;
use tokio::{
    sync::{Mutex, Notify},
    time::sleep,
};

use crate::waits;

/// Notifies the loops of a worker about new tasks. A notification that comes while no loop waits is
/// kept for the next one that does.
#[derive(Debug, Default)]
pub struct Wake {
    enrich: Bell,
    event: Bell,
    sync_old: Bell,
    sync_new: Bell,
    migrate: Bell,
    withdraw: Bell,
}

/// A queue's bell.
#[derive(Debug, Default)]
struct Bell {
    calls: Notify,
    /// Held by the one of those who wait that looks at the clock.
    watch: Mutex<()>,
}

impl Wake {
    fn of(&self, queue: Queue) -> &Bell {
        match queue {
            Queue::Enrich => &self.enrich,
            Queue::Event => &self.event,
            // The same loops work on both.
            Queue::Sync(Account::Old) | Queue::BulkSync(Account::Old) => &self.sync_old,
            Queue::Sync(Account::New) | Queue::BulkSync(Account::New) => &self.sync_new,
            Queue::Migrate => &self.migrate,
            Queue::Withdraw => &self.withdraw,
        }
    }

    /// Calls one of those who wait for tasks in this queue.
    pub(super) fn call(&self, queue: Queue) {
        self.of(queue).calls.notify_one();
    }

    /// Waits until there may be tasks in this queue: until somebody calls, or for about this
    /// long. Of many who wait only one looks at the clock, so that many ask no more than one.
    pub(super) async fn called_within(&self, queue: Queue, time: Duration) {
        let bell = self.of(queue);
        let tick = async {
            let _watch = bell.watch.lock().await;
            sleep(waits::about(time)).await;
        };
        tokio::select! {
            () = bell.calls.notified() => {}
            () = tick => {}
        }
    }
}

/// A store that wakes a worker after commits with something for it.
pub struct WakingStore {
    inner: Arc<dyn Store>,
    wake: Arc<Wake>,
}

impl WakingStore {
    /// Puts a store and a worker together.
    pub fn new(inner: Arc<dyn Store>, wake: Arc<Wake>) -> Self {
        Self { inner, wake }
    }
}

#[async_trait]
impl Store for WakingStore {
    async fn load(
        &self,
        identifiers: &[SourceIdentifier],
        companies: &[CompanyId],
    ) -> Result<Known, StoreError> {
        self.inner.load(identifiers, companies).await
    }

    async fn load_by_id(&self, ids: &[PostingId]) -> Result<Known, StoreError> {
        self.inner.load_by_id(ids).await
    }

    async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
        let mut queues: Vec<_> = Queue::ALL
            .into_iter()
            .filter(|queue| writes.effects.iter().any(|effect| effect.queue() == *queue))
            .collect();
        if !writes.events.is_empty() {
            queues.push(Queue::Event);
        }
        let result = self.inner.commit(writes).await;
        if result.is_ok() {
            for queue in queues {
                self.wake.call(queue);
            }
        }
        result
    }

    async fn held(&self, locks: &RowLocks) -> Result<RowLocks, StoreError> {
        self.inner.held(locks).await
    }

    async fn overdue(
        &self,
        now: OffsetDateTime,
        limit: usize,
    ) -> Result<Vec<SourceIdentifier>, StoreError> {
        self.inner.overdue(now, limit).await
    }

    async fn load_subscribers(
        &self,
        emails: &[Email],
    ) -> Result<HashMap<Email, Subscriber>, StoreError> {
        self.inner.load_subscribers(emails).await
    }

    async fn load_subscribers_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        self.inner.load_subscribers_by_id(ids).await
    }

    async fn find_subscriber_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        self.inner.find_subscriber_by_token(token).await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        self.inner.remembered(emails).await
    }
}
