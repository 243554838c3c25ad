//! Jobs at the provider: tasks with calls and commits of their own. Several loops share a queue, so
//! that calls overlap.

use std::time::Duration;

use async_trait::async_trait;
use kernel::{
    StoreError,
    outbox::{Claimed, Queue},
};
use newsletter::subscriber::provider::ProviderError;
use tokio_util::sync::CancellationToken;

use super::super::{
    poll::Handler,
    tasks::{Failure, Tasks},
};

/// The time limit for deciding a step again after conflicts. A conflict that lasts is a lost lease.
pub(super) const CONFLICTS: Duration = Duration::from_secs(2);

/// The jobs of one queue.
#[async_trait]
pub(super) trait ProviderJobs: Send + Sync {
    fn queue(&self) -> Queue;

    fn tasks(&self) -> &Tasks;

    /// Waits until the provider may be called.
    async fn ready(&self);

    /// How long a task waits if its account refuses calls while the other account works; `None` if
    /// all tasks of the queue call the same account.
    fn waits_alone(&self) -> Option<time::Duration> {
        None
    }

    /// Carries a task out, up to the commit that finishes it.
    async fn carry_out(&self, task: &Claimed) -> Result<(), JobError>;
}

/// The reason why a task was not carried out.
#[derive(Debug)]
pub(super) enum JobError {
    Store(StoreError),
    Provider(ProviderError),
    /// It has to wait, for this long.
    Waits(time::Duration),
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ProviderError> for JobError {
    fn from(error: ProviderError) -> Self {
        Self::Provider(error)
    }
}

/// Carries out one task at a time. A task whose account may not be called is given back, which does
/// not count as a failure.
pub(super) struct Sequential<E>(pub E);

#[async_trait]
impl<E: ProviderJobs> Handler for Sequential<E> {
    type Permit = ();

    fn queue(&self) -> Queue {
        self.0.queue()
    }

    fn most(&self) -> usize {
        1
    }

    fn is_shared_queue(&self) -> bool {
        true
    }

    async fn ready(&self) {
        self.0.ready().await;
    }

    async fn dead_letter(&self, task: &Claimed) -> Result<(), StoreError> {
        let tasks = self.0.tasks();
        tasks.dead_letter(task, &Failure::poison()).await;
        Ok(())
    }

    async fn handle(
        &self,
        claimed: &[Claimed],
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let tasks = self.0.tasks();
        for task in claimed {
            let back_after = if stop.is_cancelled() {
                time::Duration::ZERO
            } else {
                match self.0.carry_out(task).await {
                    Ok(()) => continue,
                    Err(JobError::Waits(wait)) => wait,
                    Err(JobError::Provider(
                        ProviderError::Locked(_) | ProviderError::Limited { .. },
                    )) => self.0.waits_alone().unwrap_or_default(),
                    Err(JobError::Provider(error)) => {
                        tasks.failed(task, error).await;
                        continue;
                    }
                    Err(JobError::Store(error)) => {
                        if !tasks.failed(task, error.clone()).await {
                            return Err(error);
                        }
                        continue;
                    }
                }
            };
            tasks.give_back(&[task.token], back_after).await;
        }
        Ok(())
    }
}
