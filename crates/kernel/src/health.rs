//! The ports to the state that a store itself is in. All but [`Health`] have defaults, which are
//! right for a store that runs in this process.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::StoreError;

/// The port for the question whether the store can do its work.
#[async_trait]
pub trait Health: Send + Sync {
    /// Succeeds if the store can be reached, has the expected schema, and accepts commits.
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

/// The port to the progress of a store that has replicas.
#[async_trait]
pub trait ReplicaPosition: Send + Sync {
    /// How far the store has come: a number that grows with every write, and that a replica reaches
    /// once it has all of them. `None` if the store has no replicas.
    async fn position(&self) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }
}
