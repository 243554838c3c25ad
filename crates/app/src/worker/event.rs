//! Delivers events: to the log, and to the newsletter's listener for its own.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    outbox::{Claimed, EVENTS, Event, Queue, Work},
    store::{Store, StoreError, WriteSet},
};
use newsletter::{
    subscriber::SubscriberId, tasks::INDIVIDUAL_MEMBERSHIP_UPDATED, usecase::deliver,
};
use tokio_util::sync::CancellationToken;

use super::{poll::Handler, split::SplitBatch, tasks::Tasks};
use crate::{metrics, panics};

/// Delivers events, each at least once, those of one subject in their order.
pub(super) struct Events {
    pub store: Arc<dyn Store>,
    pub newsletter: Arc<dyn newsletter::store::Store>,
    pub tasks: Tasks,
}

#[async_trait]
impl Handler for Events {
    type Permit = ();

    fn queue(&self) -> Queue {
        EVENTS
    }

    fn most(&self) -> usize {
        self.tasks.settings.claim
    }

    async fn ready(&self) {}

    async fn handle(&self, tasks: &[Claimed], _: &CancellationToken) -> Result<(), StoreError> {
        for task in tasks {
            if let Work::Event(event) = &task.work {
                log(event);
            }
        }
        match self.finish(tasks).await {
            Ok(()) => return Ok(()),
            Err(error) => tracing::debug!(%error, "events are finished one by one"),
        }
        let mut split = SplitBatch::new(&self.tasks, tasks.len());
        for task in tasks {
            match self.finish(std::slice::from_ref(task)).await {
                // The lease is lost: its new holder delivers once more.
                Err(StoreError::Conflict) => {}
                done => split.note(task, done).await?,
            }
        }
        Ok(())
    }
}

impl Events {
    /// Finishes events: those of the newsletter by its listener, all others as they are.
    async fn finish(&self, tasks: &[Claimed]) -> Result<(), StoreError> {
        let (mut of_newsletter, mut others) = (Vec::new(), Vec::new());
        for task in tasks {
            match &task.work {
                Work::Event(event) if event.name == INDIVIDUAL_MEMBERSHIP_UPDATED => {
                    of_newsletter.push((task.receipt, SubscriberId::new(event.subject.id)));
                }
                Work::Event(_) | Work::Effect(_) => others.push(task.receipt),
            }
        }
        let now = self.tasks.now();
        if !of_newsletter.is_empty() {
            let delivery = deliver(self.newsletter.as_ref(), &of_newsletter, now);
            panics::caught(delivery).await?;
            metrics::events_delivered(of_newsletter.len());
        }
        if !others.is_empty() {
            let delivered = others.len();
            let mut writes = WriteSet::new(now);
            writes.tasks.done = others;
            panics::caught(self.store.commit(writes)).await?;
            metrics::events_delivered(delivered);
        }
        Ok(())
    }
}

fn log(event: &Event) {
    tracing::info!(
        target: "posthaste::event",
        event = %event.name,
        id = %event.subject.id,
        unique_source_identifier = event.subject.source_identifier.as_deref(),
    );
}
