//! The port that calls receivers.

use async_trait::async_trait;

use super::{Attempt, Delivery, EndpointUrl, InvalidEndpointUrl};

/// The client that calls receivers.
#[async_trait]
pub trait Sender: Send + Sync {
    /// Makes one attempt: one signed request, without following redirects.
    ///
    /// With private addresses refused it connects to no address that is not
    /// [public](super::is_public), by whatever name, and however long ago the name was checked. It
    /// ends within 15 seconds and keeps nothing of the answer's body.
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt;

    /// Resolves the name of a new endpoint, to tell at once what each attempt would find. It calls
    /// nobody.
    async fn check(&self, url: &EndpointUrl) -> Result<(), AddressProblem>;
}

/// The reason why an endpoint's URL cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressProblem {
    /// The URL itself.
    #[error(transparent)]
    Url(#[from] InvalidEndpointUrl),
    /// An address of its name is not public.
    #[error("must not have a host whose name leads to a private address")]
    Private,
    /// Its name has no address.
    #[error("must have a host whose name can be resolved")]
    Unresolved,
    /// Its name was not resolved in time.
    #[error("must have a host whose name can be resolved, which took too long just now")]
    Late,
}
