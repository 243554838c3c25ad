//! Delivers events: to the log, and to their listener in the rules.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    outbox::{Claimed, Event, Queue, Work},
    posting::SourceIdentifier,
    store::{Store, StoreError},
    usecase,
};
use tokio_util::sync::CancellationToken;

use super::{poll::Handler, split::SplitBatch, tasks::Tasks};
use crate::{metrics, panics};

/// Delivers events, each at least once, those of one subject in their order.
pub(super) struct Events {
    pub store: Arc<dyn Store>,
    pub tasks: Tasks,
}

#[async_trait]
impl Handler for Events {
    type Pass = ();

    fn queue(&self) -> Queue {
        Queue::Event
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
    async fn finish(&self, tasks: &[Claimed]) -> Result<(), StoreError> {
        let events: Vec<_> = tasks
            .iter()
            .filter_map(|task| match &task.work {
                Work::Event(event) => Some((task.receipt, event)),
                Work::Effect(_) => None,
            })
            .collect();
        let now = self.tasks.now();
        panics::caught(usecase::deliver(self.store.as_ref(), &events, now)).await?;
        metrics::events_delivered(events.len());
        Ok(())
    }
}

fn log(event: &Event) {
    tracing::info!(
        target: "posthaste::event",
        event = %event.name,
        id = %event.subject.uuid(),
        unique_source_identifier = event.subject.source_identifier().map(SourceIdentifier::as_str),
    );
}
