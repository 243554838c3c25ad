//! The port that calls receivers.

use async_trait::async_trait;

use super::{Attempt, Delivery, EndpointUrl, InvalidEndpointUrl};

/// The client that calls receivers.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Makes one attempt: sends one signed request, and follows no redirect.
    ///
    /// If private addresses are refused, connects only to [public](super::is_public) addresses,
    /// whatever the earlier check resolved. Ends within 15 seconds, and discards the answer's body.
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt;

    /// Resolves a new endpoint's name, so that a bad name is refused early. Does not call the
    /// receiver.
    async fn check(&self, url: &EndpointUrl) -> Result<(), AddressProblem>;
}

/// Why an endpoint's URL cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressProblem {
    /// The URL is not allowed.
    #[error(transparent)]
    Url(#[from] InvalidEndpointUrl),
    /// The name has no public address. Private addresses get the same answer, so clients learn
    /// nothing about names in a private network.
    #[error("{}", InvalidEndpointUrl::Private)]
    NotPublic,
    /// The name has no address at all. Only reported where private addresses are allowed.
    #[error("must have a host whose name can be resolved")]
    Unresolved,
    /// The name did not resolve in time.
    #[error("must have a host whose name can be resolved, which took too long just now")]
    Late,
}
