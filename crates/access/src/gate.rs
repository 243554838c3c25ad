//! The limits that a client's pages share with its API requests.

use std::{any::Any, num::NonZeroU32};

use async_trait::async_trait;
use kernel::{ClientId, StoreError};

/// A kind of work that is limited for each client, and for all clients together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// A page of the client.
    Page,
    /// A call of a webhook receiver, or a lookup of its host.
    ReceiverCall,
}

/// Why a request of a client has to wait.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Crowded {
    /// The client has used up its limit of requests.
    #[error("the client may make {per_minute} requests a minute")]
    Limited {
        /// The limit.
        per_minute: NonZeroU32,
        /// Seconds until the next request.
        retry_after: u64,
    },
    /// The client uses its whole share.
    #[error("the client has too many of these requests under way")]
    TooMany,
    /// All clients together use the whole capacity.
    #[error("too many of these requests are under way")]
    Busy,
    /// The client's limit is unknown, because the store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Counts and limits the requests of clients.
#[async_trait(?Send)]
pub trait Gate {
    /// Counts a request of a client.
    async fn count(&self, client: ClientId) -> Result<(), Crowded>;

    /// Takes a place of a client's share. Dropping the result releases the place.
    fn take(&self, client: ClientId, share: Share) -> Result<Box<dyn Any>, Crowded>;
}
