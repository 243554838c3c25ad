//! The port that calls receivers.

use async_trait::async_trait;

use super::{Attempt, Delivery, EndpointUrl, InvalidEndpointUrl};

/// The client that calls receivers.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Makes one attempt: one signed request, without redirects.
    ///
    /// If private addresses are refused, it connects only to [public](super::is_public) ones,
    /// whatever the name resolved to when it was checked. It ends within 15 seconds and discards
    /// the answer's body.
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt;

    /// Resolves a new endpoint's name, so that a bad address is refused at once. Does not call the
    /// receiver.
    async fn check(&self, url: &EndpointUrl) -> Result<(), AddressProblem>;
}

/// Why an endpoint's URL cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressProblem {
    /// The URL itself.
    #[error(transparent)]
    Url(#[from] InvalidEndpointUrl),
    /// A name without public addresses. The answer is the same as for a private address, so that
    /// clients learn nothing about names in a private network.
    #[error("{}", InvalidEndpointUrl::Private)]
    NotPublic,
    /// The name has no address, where private ones are allowed.
    #[error("must have a host whose name can be resolved")]
    Unresolved,
    /// The name was not resolved in time.
    #[error("must have a host whose name can be resolved, which took too long just now")]
    Late,
}
