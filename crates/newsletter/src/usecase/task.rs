//! What a worker carries claimed tasks out with.

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

/// The ports of a claimed task. Calls to the provider happen outside any transaction, between
/// commits of their own.
#[async_trait]
pub trait TaskPorts: Send + Sync {
    /// Keeps other calls about an address away while it lives.
    type Guard: Send;

    /// The subscribers.
    fn store(&self) -> &dyn Store;

    /// The provider.
    fn provider(&self) -> &dyn Provider;

    /// The time.
    fn now(&self) -> OffsetDateTime;

    /// Waits until no other call about an address is in progress. The address may pass from one
    /// record to another, and calls for the former must not end after calls for the latter.
    async fn alone(&self, email: &Email) -> Self::Guard;

    /// Decides a step again after conflicts, for a while.
    fn again<'a, T: Send + 'a>(
        &'a self,
        attempt: impl FnMut() -> Step<'a, T> + Send + 'a,
    ) -> Step<'a, T>;
}

/// The condition that a departure waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The sync of the new address: until then mail goes to the old one.
    ForSuccessor,
    /// The key of the other account.
    ForKey,
}

/// The reason why a task was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The provider did not do it.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// It has to wait.
    #[error("it waits")]
    Waits(Waiting),
}
