//! Ports that report on the store itself. All but [`Health`] have defaults for a store in this
//! process.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::StoreError;

/// The port for the store's readiness.
#[async_trait]
pub trait Health: Send + Sync {
    /// Succeeds if the store is reachable, has the expected schema, and accepts commits.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// The port to the store's own clock.
#[async_trait]
pub trait StoreClock: Send + Sync {
    /// The time by the store's clock; `None` if it uses this machine's.
    async fn time(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(None)
    }
}

/// The port for the progress of a replicated store.
#[async_trait]
pub trait ReplicaPosition: Send + Sync {
    /// A number that grows with every write. A replica that has reached this number has all writes.
    /// `None` without replicas.
    async fn position(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }
}
