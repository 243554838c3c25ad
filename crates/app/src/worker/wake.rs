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

/// Notifies the loops of a worker about new tasks. A notification that comes while no loop waits is
/// kept for the next one that does.
#[derive(Debug)]
pub struct Wake {
    signals: [(Queue, Signal); QUEUES.len()],
}

/// A queue's signal.
#[derive(Debug, Default)]
struct Signal {
    calls: Notify,
    /// Held by the one of those who wait that looks at the clock.
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
    /// The signal of the loops that work on a queue, which also work on the one behind it.
    fn of(&self, queue: Queue) -> Option<&Signal> {
        let is_worked_on = |own: Queue| own == queue || own.behind() == Some(queue);
        let signal = self.signals.iter().find(|(own, _)| is_worked_on(*own));
        signal.map(|(_, signal)| signal)
    }

    /// Calls one of those who wait for tasks in this queue.
    pub(super) fn call(&self, queue: Queue) {
        if let Some(signal) = self.of(queue) {
            signal.calls.notify_one();
        }
    }

    /// Waits until there may be tasks in this queue: until somebody calls, or for about this
    /// long. Of many who wait only one looks at the clock, so that many ask no more than one.
    pub(super) async fn called_within(&self, queue: Queue, time: Duration) {
        let Some(signal) = self.of(queue) else {
            return sleep(waits::about(time)).await;
        };
        let tick = async {
            let _watch = signal.watch.lock().await;
            sleep(waits::about(time)).await;
        };
        tokio::select! {
            () = signal.calls.notified() => {}
            () = tick => {}
        }
    }
}

/// A store that wakes a worker after commits with something for it.
pub struct WakingStore<S: ?Sized> {
    inner: Arc<S>,
    wake: Arc<Wake>,
}

impl<S: ?Sized> WakingStore<S> {
    /// Puts a store and a worker together.
    pub const fn new(inner: Arc<S>, wake: Arc<Wake>) -> Self {
        Self { inner, wake }
    }

    /// Wakes a worker after a commit that succeeded.
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

/// The queues in which a commit leaves something.
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
