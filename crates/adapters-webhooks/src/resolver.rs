use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::{net::lookup_host, sync::Semaphore, time::timeout};
use webhooks::{PrivateAddresses, is_public};

#[async_trait]
pub trait Lookup: Send + Sync {
    /// Returns the addresses of a name, in the order in which to try them.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

pub struct SystemLookup(Arc<Semaphore>);

impl SystemLookup {
    /// `lookups` limits concurrent lookups.
    pub fn new(lookups: usize) -> Self {
        Self(Arc::new(Semaphore::new(lookups)))
    }
}

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let semaphore = Arc::clone(&self.0);
        let permit = semaphore.acquire_owned().await.map_err(io::Error::other)?;
        let name = name.to_owned();
        // A separate task, because the lookup's thread continues when the caller stops waiting.
        let lookup = tokio::spawn(async move {
            let addresses = lookup_host((name, 0)).await;
            drop(permit);
            addresses.map(|all| all.map(|address| address.ip()).collect())
        });
        lookup.await?
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// A name with a private address, or an unknown name, if private addresses are refused. With
    /// one error for both, registering endpoints reveals nothing about names in a private network.
    #[error("the name leads to no public address")]
    NotPublic,
    #[error("the name has no address")]
    Nothing,
    #[error("{0}")]
    Failed(io::Error),
    #[error("the name was not resolved in time")]
    Late,
}

/// Resolves a name and checks its addresses. Connections use only these addresses, so the name
/// cannot change after the check.
#[derive(Clone)]
pub struct CheckedResolver {
    pub lookup: Arc<dyn Lookup>,
    pub private: PrivateAddresses,
    pub limit: Duration,
}

impl CheckedResolver {
    /// Fails if any address is private, unless these are allowed: no honest receiver has both
    /// kinds.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let found = timeout(self.limit, self.lookup.lookup(name)).await;
        let found = found.map_err(|_| ResolveError::Late)?;
        match (self.private, found) {
            (PrivateAddresses::Allow, Err(error)) => Err(ResolveError::Failed(error)),
            (PrivateAddresses::Allow, Ok(none)) if none.is_empty() => Err(ResolveError::Nothing),
            (PrivateAddresses::Allow, Ok(addresses)) => Ok(addresses),
            (PrivateAddresses::Refuse, Ok(addresses))
                if !addresses.is_empty() && addresses.iter().copied().all(is_public) =>
            {
                Ok(addresses)
            }
            (PrivateAddresses::Refuse, _) => Err(ResolveError::NotPublic),
        }
    }
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.addresses(name.as_str()).await?;
            // The client replaces port 0 with the URL's port.
            let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
