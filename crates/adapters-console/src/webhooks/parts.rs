//! What the pages of webhooks share.

use std::collections::HashMap;

use access::{Client, Clients};
use kernel::ClientId;
use webhooks::{Endpoint, EndpointId, Owner};

use crate::error::Failure;

/// The path of the list.
pub const PATH: &str = "/webhooks";

/// The id of a webhook in an address.
pub fn id(text: &str) -> Result<EndpointId, Failure> {
    text.parse().map_err(|_| Failure::NotFound)
}

/// The owner of a webhook, if that is a client.
pub struct ClientLink {
    /// The client.
    pub id: ClientId,
    /// Its name, or else its id.
    pub name: String,
}

impl ClientLink {
    /// Reads the owner's name.
    pub async fn of(clients: &dyn Clients, endpoint: &Endpoint) -> Result<Option<Self>, Failure> {
        let Owner::Client(id) = endpoint.owner else {
            return Ok(None);
        };
        let client = clients.find(id).await?;
        Ok(Some(Self::new(id, client.map(|client| client.name))))
    }

    /// The owner among clients that were read.
    pub fn among(names: &HashMap<ClientId, String>, endpoint: &Endpoint) -> Option<Self> {
        match endpoint.owner {
            Owner::Client(id) => Some(Self::new(id, names.get(&id).cloned())),
            Owner::Operator => None,
        }
    }

    fn new(id: ClientId, name: Option<String>) -> Self {
        let name = name.unwrap_or_else(|| id.to_string());
        Self { id, name }
    }
}

/// The names of clients.
pub fn names(clients: Vec<Client>) -> HashMap<ClientId, String> {
    let clients = clients.into_iter();
    clients.map(|client| (client.id, client.name)).collect()
}
