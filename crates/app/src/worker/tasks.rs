//! The outbox, as a worker deals with it.

use std::{convert::Infallible, sync::Arc};

use domain::{
    enrichment::EnrichError,
    outbox::{Claimed, Outbox, Queue, Receipt, RetryPolicy},
    store::StoreError,
    subscriber::provider::ProviderError,
};
use time::{Duration, OffsetDateTime};
use tokio::time::sleep;
use uuid::Uuid;

use super::{WorkerSettings, courtesy::Courtesy};
use crate::clock::Clock;

/// Claims tasks, keeps them, and settles what failed.
#[derive(Clone)]
pub(super) struct Tasks {
    pub outbox: Arc<dyn Outbox>,
    pub clock: Clock,
    pub settings: WorkerSettings,
    pub courtesy: Courtesy,
}

impl Tasks {
    pub fn now(&self) -> OffsetDateTime {
        (self.clock)()
    }

    /// How long a claim holds unless it is renewed.
    pub fn lease(&self) -> Duration {
        Duration::try_from(self.settings.lease).unwrap_or(Duration::MAX)
    }

    /// Claims what is due in a queue.
    pub async fn claim(&self, queue: Queue, limit: usize) -> Result<Vec<Claimed>, StoreError> {
        let (limit, lease) = (self.courtesy.bite(limit), self.lease());
        self.outbox
            .claim(&[queue], limit, lease, Uuid::now_v7(), self.now())
            .await
    }

    /// Keeps renewing leases, for as long as it is polled.
    pub async fn keep(&self, receipts: &[Receipt]) -> Infallible {
        loop {
            sleep(self.settings.renew_every).await;
            if let Err(error) = self.outbox.renew(receipts, self.now() + self.lease()).await {
                tracing::warn!(%error, tasks = receipts.len(), "leases could not be renewed");
            }
        }
    }

    /// Makes claimed tasks due again after a while, without calling it a failure: their leases
    /// end then. Best effort, as they end anyway.
    pub async fn give_back(&self, receipts: &[Receipt], after: Duration) {
        if receipts.is_empty() {
            return;
        }
        if let Err(error) = self.outbox.renew(receipts, self.now() + after).await {
            tracing::debug!(%error, "tasks stay leased until their leases end");
        }
    }

    /// Puts a failed task off, or gives it up.
    pub async fn failed(&self, task: &Claimed, failure: impl Into<Failure>) {
        let (now, failure) = (self.now(), failure.into());
        let next_at = match failure.again {
            Again::Never => None,
            Again::After(asked) => {
                // Longer than this the policy does not try anyway.
                let asked = asked.map(|asked| {
                    Duration::try_from(asked)
                        .unwrap_or(Duration::DAY)
                        .min(Duration::DAY)
                });
                let (attempts, since) = (task.attempts, task.first_failed_at);
                RetryPolicy::STANDARD.next(attempts, since, asked, rand::random(), now)
            }
        };
        let (error, attempts, work) = (failure.message.as_str(), task.attempts, &task.work);
        let settled = if let Some(next_at) = next_at {
            tracing::warn!(?work, attempts, %next_at, error, "a task failed");
            self.outbox.retry(task.receipt, next_at, error, now).await
        } else {
            tracing::error!(?work, attempts, error, "a task was given up");
            self.outbox.bury(task.receipt, error, now).await
        };
        if let Err(error) = settled {
            tracing::warn!(%error, "a failure was not recorded; its task is due when the lease ends");
        }
    }
}

/// Why a task was not done.
pub(super) struct Failure {
    message: String,
    again: Again,
}

/// Whether it may be done later.
enum Again {
    /// When the retry policy says so, but not before this time is over.
    After(Option<std::time::Duration>),
    /// Not without a person.
    Never,
}

impl From<EnrichError> for Failure {
    fn from(error: EnrichError) -> Self {
        let message = error.to_string();
        let again = match error {
            EnrichError::Retry { after, .. } | EnrichError::Unavailable { after, .. } => {
                Again::After(after)
            }
            EnrichError::Permanent(_) => Again::Never,
        };
        Self { message, again }
    }
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Self {
        let message = error.to_string();
        let again = match error {
            ProviderError::Retry { after, .. } => Again::After(after),
            // Whoever sees to the key has the task done; see `newsletter` for what happens first.
            ProviderError::Locked(_) => Again::After(None),
            ProviderError::Permanent(_) => Again::Never,
        };
        Self { message, again }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self {
            message: error.to_string(),
            again: Again::After(None),
        }
    }
}
