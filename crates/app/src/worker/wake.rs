//! Wakes the worker's loops and the readers of events after commits of this process, and logs the
//! events of these commits.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    posting::duplicate::{Candidate, Fingerprint},
    store::{Known, Store, WriteSet},
};
use kernel::{
    CompanyId, PostingId, SourceIdentifier, StoreError,
    event::{Event, Subject},
    outbox::{Effect, Queue, TaskWrites},
    trace::{NewSpan, OptionalTracer, Span},
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

use crate::{
    activity::{Activities, Verdict},
    kinds::QUEUES,
    waits,
};

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

/// The parts of the program that have to know of commits.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    /// The worker's loops and the readers of events.
    pub wake: Arc<Wake>,
    /// The activity of clients.
    pub activities: Arc<Activities>,
    /// Records commits of traced commands.
    pub tracer: OptionalTracer,
}

impl Observer {
    /// The span of a commit; `None` if none of its commands is traced. It belongs to the trace of
    /// the first one, and is linked to all.
    fn span(&self, writes: &TaskWrites) -> Option<Box<dyn Span>> {
        let tracer = self.tracer.as_ref()?;
        let links = writes.links();
        let parent = *links.first()?;
        let mut span = tracer.start(NewSpan {
            name: "commit",
            parent: Some(parent),
            links: &links,
            ..NewSpan::default()
        });
        let events = i64::try_from(writes.events.len());
        span.count("posthaste.commit.events", events.unwrap_or(i64::MAX));
        Some(span)
    }
}

#[cfg(test)]
impl Observer {
    /// An observer that wakes a worker; nothing reads the verdicts that it counts.
    pub fn waking(wake: &Arc<Wake>) -> Self {
        Self {
            wake: Arc::clone(wake),
            ..Self::default()
        }
    }
}

/// A store that notifies the worker after commits with tasks or events, logs the events, and
/// counts verdicts as activity.
pub struct ObservedStore<S: ?Sized> {
    inner: Arc<S>,
    observer: Observer,
}

impl<S: ?Sized> ObservedStore<S> {
    /// Combines a store with those that have to know of its commits.
    pub const fn new(inner: Arc<S>, observer: Observer) -> Self {
        Self { inner, observer }
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
            self.observer.wake.call(queue);
        }
        if additions.has_events {
            self.observer.wake.recorded.notify_one();
            self.observer.wake.deliveries.notify_one();
        }
        if additions.is_for_newsletter {
            self.observer.wake.newsletter.calls.notify_one();
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
impl<S: Store + ?Sized> Store for ObservedStore<S> {
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
        let verdicts = Verdict::all_of(&writes);
        let mut span = self.observer.span(&writes.tasks);
        let committed = self.waking(additions, self.inner.commit(writes)).await;
        if let (Some(span), Err(error)) = (&mut span, &committed) {
            span.fail(&error.to_string());
        }
        drop(span);
        committed?;
        self.observer.activities.judged_all(&verdicts);
        Ok(())
    }

    async fn near(
        &self,
        fingerprints: &[Fingerprint],
        named: &[PostingId],
    ) -> Result<Vec<Candidate>, StoreError> {
        self.inner.near(fingerprints, named).await
    }

    async fn copies(
        &self,
        of: &[PostingId],
        after: Option<PostingId>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.inner.copies(of, after, limit).await
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
impl<S: newsletter::store::Store + ?Sized> newsletter::store::Store for ObservedStore<S> {
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
