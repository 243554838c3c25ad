//! Delivers events. Today's one listener is the log.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    outbox::{Claimed, Event, Kind, Work},
    store::{Store, StoreError, WriteSet},
};
use tokio_util::sync::CancellationToken;

use super::{poll::Handler, tasks::Tasks};

/// Delivers events, each at least once, those of one posting in their order.
pub(super) struct Events {
    pub store: Arc<dyn Store>,
    pub tasks: Tasks,
}

#[async_trait]
impl Handler for Events {
    const KIND: Kind = Kind::Event;

    async fn handle(&self, tasks: &[Claimed], _: &CancellationToken) -> Result<(), StoreError> {
        for task in tasks {
            if let Work::Event(event) = &task.work {
                deliver(event);
            }
        }
        match self.finish(tasks).await {
            Ok(()) => return Ok(()),
            Err(error @ (StoreError::Unavailable(_) | StoreError::InDoubt(_))) => {
                return Err(error);
            }
            Err(error) => tracing::debug!(%error, "events are finished one by one"),
        }
        for task in tasks {
            match self.finish(std::slice::from_ref(task)).await {
                // After a conflict the lease is lost: whoever has it now delivers once more.
                Ok(()) | Err(StoreError::Conflict) => {}
                Err(error @ (StoreError::Unavailable(_) | StoreError::InDoubt(_))) => {
                    return Err(error);
                }
                Err(error @ StoreError::Broken(_)) => {
                    self.tasks.failed(task, error).await;
                }
            }
        }
        Ok(())
    }
}

impl Events {
    async fn finish(&self, tasks: &[Claimed]) -> Result<(), StoreError> {
        let mut writes = WriteSet::new(self.tasks.now());
        writes.done = tasks.iter().map(|task| task.receipt).collect();
        self.store.commit(writes).await
    }
}

fn deliver(event: &Event) {
    tracing::info!(
        target: "posthaste::event",
        event = %event.name,
        id = %event.posting,
        unique_source_identifier = event.source_identifier.as_str(),
    );
}
