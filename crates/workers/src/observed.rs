//! A store that logs the events of its commits, wakes loops and readers of events, and counts
//! activity.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use ::newsletter::subscriber::{Email, MigrationToken, Remembered, Subscriber, SubscriberId};
use async_trait::async_trait;
use domain::store::{Around, Store, WriteSet};
use kernel::{
    StoreError,
    event::{Event, Subject},
    outbox::{Effect, Queue, TaskWrites},
    trace::{NewSpan, OptionalTracer, Span},
};
use stores::Stores;
use tracing::Level;

use crate::{
    activity::{Activities, Verdict},
    wake::Wake,
};

#[derive(Clone, Debug, Default)]
pub struct Observer {
    pub wake: Arc<Wake>,
    pub activities: Arc<Activities>,
    pub tracer: OptionalTracer,
}

impl Observer {
    pub fn observe(self, stores: Stores) -> Stores {
        Stores {
            store: Arc::new(ObservedStore::new(stores.store, self.clone())),
            newsletter: Arc::new(ObservedStore::new(stores.newsletter, self)),
            ..stores
        }
    }

    /// The span of a commit, in the trace of its first traced command. `None` if no command is
    /// traced.
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

pub struct ObservedStore<S: ?Sized> {
    inner: Arc<S>,
    observer: Observer,
}

impl<S: ?Sized> ObservedStore<S> {
    pub const fn new(inner: Arc<S>, observer: Observer) -> Self {
        Self { inner, observer }
    }

    /// On success, logs the events and wakes the loops.
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
            self.observer.wake.call_readers();
        }
        Ok(())
    }
}

struct Additions {
    queues: BTreeSet<Queue>,
    has_events: bool,
    logged: Vec<Event>,
}

impl Additions {
    fn of(writes: &TaskWrites) -> Self {
        let is_logged = tracing::enabled!(target: "posthaste::event", Level::DEBUG);
        Self {
            queues: writes.asked().map(Effect::queue).collect(),
            has_events: !writes.events.is_empty(),
            logged: if is_logged {
                writes.events.clone()
            } else {
                Vec::new()
            },
        }
    }
}

fn log(event: &Event) {
    let source_identifier = match &event.subject {
        Subject::Posting(posting) => Some(posting.source_identifier.as_str()),
        Subject::Report(report) => Some(report.source_identifier.as_str()),
        _ => None,
    };
    tracing::debug!(
        target: "posthaste::event",
        event = %event.name,
        id = %event.subject.id(),
        unique_source_identifier = source_identifier,
    );
}

impl<S: Store + ?Sized> Around for ObservedStore<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.inner
    }
}

#[async_trait]
impl<S: Store + ?Sized> Store for ObservedStore<S> {
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
}

#[async_trait]
impl<S: ::newsletter::store::Store + ?Sized> ::newsletter::store::Store for ObservedStore<S> {
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

    async fn commit(&self, writes: ::newsletter::store::WriteSet) -> Result<(), StoreError> {
        let additions = Additions::of(&writes.tasks);
        self.waking(additions, self.inner.commit(writes)).await
    }
}
