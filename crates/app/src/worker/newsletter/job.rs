//! What syncs and moves have in common: each task has its own calls and commits. Several loops
//! take tasks of the same queue, so that calls overlap.

use std::time::Duration;

use async_trait::async_trait;
use domain::{
    outbox::{Claimed, Queue},
    store::StoreError,
};
use newsletter::subscriber::provider::ProviderError;
use tokio_util::sync::CancellationToken;

use super::super::{poll::Handler, split::SplitBatch, tasks::Tasks};

/// How long a step is decided again after conflicts. One that stays is a lost lease.
pub(super) const CONFLICTS: Duration = Duration::from_secs(2);

/// Something to do with the provider.
#[async_trait]
pub(super) trait ProviderJobs: Send + Sync {
    /// Where it waits.
    fn queue(&self) -> Queue;

    /// The outbox.
    fn tasks(&self) -> &Tasks;

    /// Waits until the provider may be called.
    async fn ready(&self);

    /// How long a task whose account refuses us waits while the others go on; `None` when they
    /// all speak to that account.
    fn waits_alone(&self) -> Option<time::Duration> {
        None
    }

    /// Carries a task out, up to the commit that finishes it.
    async fn carry_out(&self, task: &Claimed) -> Result<(), JobError>;
}

/// Why a task was not carried out.
#[derive(Debug)]
pub(super) enum JobError {
    Store(StoreError),
    Provider(ProviderError),
    /// It has to wait for something else, so long.
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

/// Carries tasks out one by one, in as many loops as calls may overlap. What is not got to is
/// given back, which is no failure, and neither is an account that is left alone.
pub(super) struct Sequential<E>(pub E);

#[async_trait]
impl<E: ProviderJobs> Handler for Sequential<E> {
    type Pass = ();

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

    async fn handle(
        &self,
        claimed: &[Claimed],
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let tasks = self.0.tasks();
        let mut split = SplitBatch::new(tasks, claimed.len());
        for (index, task) in claimed.iter().enumerate() {
            let failure = if stop.is_cancelled() {
                None
            } else {
                match self.0.carry_out(task).await {
                    Ok(()) => continue,
                    Err(failure) => Some(failure),
                }
            };
            match failure {
                Some(JobError::Waits(wait)) => tasks.give_back(&[task.receipt], wait).await,
                Some(JobError::Provider(
                    ProviderError::Locked(_) | ProviderError::Limited { .. },
                )) if let Some(wait) = self.0.waits_alone() => {
                    tasks.give_back(&[task.receipt], wait).await;
                }
                None
                | Some(JobError::Provider(
                    ProviderError::Locked(_) | ProviderError::Limited { .. },
                )) => {
                    let rest = claimed.iter().skip(index).map(|task| task.receipt);
                    let rest: Vec<_> = rest.collect();
                    tasks.give_back(&rest, time::Duration::ZERO).await;
                    return Ok(());
                }
                Some(JobError::Provider(error)) => {
                    tasks.failed(task, error).await;
                }
                Some(JobError::Store(error)) => split.note(task, Err(error)).await?,
            }
        }
        Ok(())
    }
}
