//! Wakes the worker's loops after commits of this process.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    company::CompanyId,
    outbox::{EVENTS, Effect, Queue, TaskWrites},
    posting::{PostingId, SourceIdentifier},
    store::{Known, RowLocks, Store, StoreError, WriteSet},
};
use newsletter::subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId};
use time::OffsetDateTime;
use tokio::{
    sync::{Mutex, Notify},
    time::sleep,
};

use crate::{kinds::QUEUES, waits};

/// Notifies a worker's loops of new tasks. A notification without a waiting loop is kept for the
/// next one.
#[derive(Debug)]
pub struct Wake {
    signals: [(Queue, Signal); QUEUES.len()],
}

/// The notifications of one queue.
#[derive(Debug, Default)]
struct Signal {
    calls: Notify,
    /// Held by the one waiting loop that polls.
    watch: Mutex<()>,
}

impl Default for Wake {
    fn default() -> Self {
        Self {
            signals: QUEUES.map(|queue| (queue, Signal::default())),
        }
    }
}

impl Wake {
    /// The signal of the loops of a queue, which also work on the queue behind it.
    fn of(&self, queue: Queue) -> Option<&Signal> {
        let is_worked_on = |own: Queue| own == queue || own.behind() == Some(queue);
        let signal = self.signals.iter().find(|(own, _)| is_worked_on(*own));
        signal.map(|(_, signal)| signal)
    }

    /// Notifies one loop that waits for tasks of this queue.
    pub(super) fn call(&self, queue: Queue) {
        if let Some(signal) = self.of(queue) {
            signal.calls.notify_one();
        }
    }

    /// Waits for a notification of this queue, or for about this time. Only one of the waiting
    /// loops runs a timer, so that many loops poll no more often than one.
    pub(super) async fn called_within(&self, queue: Queue, time: Duration) {
        let Some(signal) = self.of(queue) else {
            return sleep(waits::jittered(time)).await;
        };
        let tick = async {
            let _watch = signal.watch.lock().await;
            sleep(waits::jittered(time)).await;
        };
        tokio::select! {
            () = signal.calls.notified() => {}
            () = tick => {}
        }
    }
}

/// A store that notifies the worker after commits with tasks for it.
pub struct WakingStore<S: ?Sized> {
    inner: Arc<S>,
    wake: Arc<Wake>,
}

impl<S: ?Sized> WakingStore<S> {
    /// Combines a store with a worker's notifications.
    pub const fn new(inner: Arc<S>, wake: Arc<Wake>) -> Self {
        Self { inner, wake }
    }

    /// Commits, and notifies the queues' loops on success.
    async fn waking(
        &self,
        queues: BTreeSet<Queue>,
        commit: impl Future<Output = Result<(), StoreError>> + Send,
    ) -> Result<(), StoreError> {
        commit.await?;
        for queue in queues {
            self.wake.call(queue);
        }
        Ok(())
    }
}

/// The queues of the tasks that a commit adds.
fn queues(writes: &TaskWrites) -> BTreeSet<Queue> {
    let mut queues: BTreeSet<_> = writes.asked().map(Effect::queue).collect();
    if !writes.events.is_empty() {
        queues.insert(EVENTS);
    }
    queues
}

#[async_trait]
impl<S: Store + ?Sized> Store for WakingStore<S> {
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
        let queues = queues(&writes.tasks);
        self.waking(queues, self.inner.commit(writes)).await
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
}

#[async_trait]
impl<S: newsletter::store::Store + ?Sized> newsletter::store::Store for WakingStore<S> {
    async fn load(&self, emails: &[Email]) -> Result<HashMap<Email, Subscriber>, StoreError> {
        self.inner.load(emails).await
    }

    async fn load_by_id(
        &self,
        ids: &[SubscriberId],
    ) -> Result<HashMap<SubscriberId, Subscriber>, StoreError> {
        self.inner.load_by_id(ids).await
    }

    async fn find_by_token(
        &self,
        token: &MigrationToken,
    ) -> Result<Option<Subscriber>, StoreError> {
        self.inner.find_by_token(token).await
    }

    async fn remembered(&self, emails: &[Email]) -> Result<HashMap<Email, Remembered>, StoreError> {
        self.inner.remembered(emails).await
    }

    async fn commit(&self, writes: newsletter::store::WriteSet) -> Result<(), StoreError> {
        let queues = queues(&writes.tasks);
        self.waking(queues, self.inner.commit(writes)).await
    }
}
