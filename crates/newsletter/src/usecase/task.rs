use std::pin::Pin;

use async_trait::async_trait;
use kernel::StoreError;
use time::OffsetDateTime;

use crate::{
    store::Store,
    subscriber::{
        Email,
        provider::{Provider, ProviderError},
    },
};

/// A step of a task: load, decide, commit.
pub type Step<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The ports of a claimed task. Calls to the provider happen between commits.
#[async_trait]
pub trait TaskPorts: Send + Sync {
    /// Dropping the guard allows further calls about an address.
    type Guard: Send;

    /// Reads and commits subscribers.
    fn store(&self) -> &dyn Store;

    /// Calls the accounts.
    fn provider(&self) -> &dyn Provider;

    /// The current time, which advances during the task.
    fn now(&self) -> OffsetDateTime;

    /// Waits until no other call about an address is in progress. Calls are not locked by record,
    /// because an address can pass to another record.
    async fn alone(&self, email: &Email) -> Self::Guard;

    /// Retries a step after conflicts, for a limited time.
    fn again<'a, T: Send + 'a>(
        &'a self,
        attempt: impl FnMut() -> Step<'a, T> + Send + 'a,
    ) -> Step<'a, T>;
}

/// The reason why a departure waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The sync of the new address is due. Until it is done, mail goes to the old address.
    ForSuccessor,
    /// An account that must be checked has no key.
    ForKey,
}

/// The reason why a task was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The provider failed.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The task has to wait.
    #[error("the task has to wait")]
    Waits(Waiting),
}
