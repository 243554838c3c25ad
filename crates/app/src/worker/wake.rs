//! Wakes the worker's loops and the readers of events after commits of this process, and logs the
//! events of these commits.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    company::CompanyId,
    event::{Event, Subject},
    outbox::{Effect, Queue, TaskWrites},
    posting::{PostingId, SourceIdentifier},
    store::{Known, RowLocks, Store, StoreError, WriteSet},
};
use newsletter::{
    subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId},
    tasks::INDIVIDUAL_MEMBERSHIP_UPDATED,
};
use time::OffsetDateTime;
use tokio::{
    sync::{Mutex, Notify},
    time::sleep,
};
use tracing::Level;

use crate::{kinds::QUEUES, waits};

/// Notifies a worker's loops of new tasks and events. A notification without a waiting loop is kept
/// for the next one.
#[derive(Debug)]
pub struct Wake {
    signals: [(Queue, Signal); QUEUES.len()],
    /// Events for the newsletter.
    newsletter: Signal,
    /// Events of any name, for the feed.
    recorded: Arc<Notify>,
    /// The same, for the deliveries to webhooks.
    deliveries: Arc<Notify>,
}

/// The notifications of one queue or consumer.
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
            newsletter: Signal::default(),
            recorded: Arc::default(),
            deliveries: Arc::default(),
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
        match self.of(queue) {
            Some(signal) => signal.called_within(time).await,
            None => sleep(waits::jittered(time)).await,
        }
    }

    /// Waits for an event for the newsletter, or for about this time.
    pub(super) async fn newsletter_called_within(&self, time: Duration) {
        self.newsletter.called_within(time).await;
    }

    /// The notification that this process has committed events. It has one waiter, the feed.
    pub fn recorded(&self) -> Arc<Notify> {
        Arc::clone(&self.recorded)
    }

    /// The same notification for the deliveries to webhooks, which are another waiter.
    pub(super) fn deliveries(&self) -> Arc<Notify> {
        Arc::clone(&self.deliveries)
    }
}

impl Signal {
    async fn called_within(&self, time: Duration) {
        let tick = async {
            let _watch = self.watch.lock().await;
            sleep(waits::jittered(time)).await;
        };
        tokio::select! {
            () = self.calls.notified() => {}
            () = tick => {}
        }
    }
}

/// A store that notifies the worker after commits with tasks or events, and logs the events.
pub struct WakingStore<S: ?Sized> {
    inner: Arc<S>,
    wake: Arc<Wake>,
}

impl<S: ?Sized> WakingStore<S> {
    /// Combines a store with a worker's notifications.
    pub const fn new(inner: Arc<S>, wake: Arc<Wake>) -> Self {
        Self { inner, wake }
    }

    /// Commits, and on success logs the events and notifies the loops.
    async fn waking(
        &self,
        additions: Additions,
        commit: impl Future<Output = Result<(), StoreError>> + Send,
    ) -> Result<(), StoreError> {
        commit.await?;
        for event in &additions.logged {
            log(event);
        }
        for queue in additions.queues {
            self.wake.call(queue);
        }
        if additions.has_events {
            self.wake.recorded.notify_one();
            self.wake.deliveries.notify_one();
        }
        if additions.is_for_newsletter {
            self.wake.newsletter.calls.notify_one();
        }
        Ok(())
    }
}

/// The tasks and events that a commit adds.
struct Additions {
    queues: BTreeSet<Queue>,
    has_events: bool,
    is_for_newsletter: bool,
    /// The events to log, if the log takes them.
    logged: Vec<Event>,
}

impl Additions {
    fn of(writes: &TaskWrites) -> Self {
        let mut names = writes.events.iter().map(|event| &event.name);
        let is_logged = tracing::enabled!(target: "posthaste::event", Level::DEBUG);
        Self {
            queues: writes.asked().map(Effect::queue).collect(),
            has_events: !writes.events.is_empty(),
            is_for_newsletter: names.any(|name| *name == INDIVIDUAL_MEMBERSHIP_UPDATED),
            logged: if is_logged {
                writes.events.clone()
            } else {
                Vec::new()
            },
        }
    }
}

/// Writes a line about a committed event.
fn log(event: &Event) {
    let source_identifier = match &event.subject {
        Subject::Posting(posting) => Some(posting.source_identifier.as_str()),
        Subject::Company(_) | Subject::Other(_) => None,
    };
    tracing::debug!(
        target: "posthaste::event",
        event = %event.name,
        id = %event.subject.id(),
        unique_source_identifier = source_identifier,
    );
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
        let additions = Additions::of(&writes.tasks);
        self.waking(additions, self.inner.commit(writes)).await
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
        let additions = Additions::of(&writes.tasks);
        self.waking(additions, self.inner.commit(writes)).await
    }
}
