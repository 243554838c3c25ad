//! The limits that the pages of a client share with its requests to the API.

use std::{any::Any, num::NonZeroU32};

use async_trait::async_trait;
use kernel::{ClientId, StoreError};

/// A kind of work that is limited for each client, and for all clients together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// A page of its own.
    Page,
    /// A call of a webhook's receiver, or a look-up of its host name.
    ReceiverCall,
}

/// The reason why a request of a client has to wait.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Crowded {
    /// The client has used up its limit of requests.
    #[error("the client may make {per_minute} requests a minute")]
    Limited {
        /// The limit.
        per_minute: NonZeroU32,
        /// The seconds until it may make the next one.
        retry_after: u64,
    },
    /// The client has its whole share under way.
    #[error("the client has too many of these requests under way")]
    TooMany,
    /// All clients together have as much under way as the service takes.
    #[error("too many of these requests are under way")]
    Busy,
    /// The client's limit is not known, as the store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Counts the requests of clients, and limits what they have under way.
#[async_trait(?Send)]
pub trait Gate {
    /// Counts a request of a client.
    async fn count(&self, client: ClientId) -> Result<(), Crowded>;

    /// Takes a place of a client's share, until the value is dropped.
    fn take(&self, client: ClientId, share: Share) -> Result<Box<dyn Any>, Crowded>;
}
