//! The port that calls receivers.

use async_trait::async_trait;

use super::{Attempt, Delivery, EndpointUrl, InvalidEndpointUrl};

/// The client that calls receivers.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Makes one attempt: one signed request, without following redirects.
    ///
    /// With private addresses refused it connects to [public](super::is_public) addresses alone,
    /// also if the name led to other addresses when it was checked. It ends within 15 seconds and
    /// keeps nothing of the answer's body.
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt;

    /// Resolves the name of a new endpoint, so that a bad address is refused at once and not at the
    /// first attempt. The receiver is not called.
    async fn check(&self, url: &EndpointUrl) -> Result<(), AddressProblem>;
}

/// The reason why an endpoint's URL cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressProblem {
    /// The URL itself.
    #[error(transparent)]
    Url(#[from] InvalidEndpointUrl),
    /// An address of its name is not public, or the name has none. The answer is that of a URL with
    /// a private address, so that no client learns which names exist in a private network.
    #[error("{}", InvalidEndpointUrl::Private)]
    NotPublic,
    /// Its name has no address, where private ones are allowed.
    #[error("must have a host whose name can be resolved")]
    Unresolved,
    /// Its name was not resolved in time.
    #[error("must have a host whose name can be resolved, which took too long just now")]
    Late,
}
