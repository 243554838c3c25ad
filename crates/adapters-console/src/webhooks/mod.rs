//! Webhooks: the list, one with its deliveries, one delivery, and all that the commands do.

mod act;
mod delivery;
mod list;
mod show;

use std::collections::HashMap;

use access::Client;
use actix_web::web;
use kernel::{ClientId, audit::Attribution};
use webhooks::{Endpoint, EndpointId, ManagedWebhooks, Manager, Owner};

use crate::{error::Failure, state::State};

/// The path of the list.
const PATH: &str = "/webhooks";

/// Adds the routes.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(
            web::resource(PATH)
                .route(web::get().to(list::list))
                .route(web::head().to(list::list))
                .route(web::post().to(act::create)),
        )
        .service(
            web::resource("/webhooks/{id}")
                .route(web::get().to(show::show))
                .route(web::head().to(show::show))
                .route(web::post().to(act::change)),
        )
        .service(
            web::resource("/webhooks/{id}/deliveries/{event}")
                .route(web::get().to(delivery::show))
                .route(web::head().to(delivery::show)),
        );
}

/// The use cases, by an operator.
fn managed<'a>(state: &'a State, by: &'a Attribution) -> ManagedWebhooks<'a> {
    ManagedWebhooks {
        webhooks: &*state.ports.webhooks,
        log: &*state.ports.log,
        clients: &*state.ports.clients,
        sender: &*state.ports.sender,
        by: Manager::Operator(by),
    }
}

/// The id of a webhook in an address.
fn id(text: &str) -> Result<EndpointId, Failure> {
    text.parse().map_err(|_| Failure::NotFound)
}

/// The owner of a webhook, if that is a client.
struct ClientLink {
    id: ClientId,
    name: String,
}

impl ClientLink {
    /// Reads the owner's name.
    async fn of(state: &State, endpoint: &Endpoint) -> Result<Option<Self>, Failure> {
        let Owner::Client(id) = endpoint.owner else {
            return Ok(None);
        };
        let client = state.ports.clients.find(id).await?;
        Ok(Some(Self::new(id, client.map(|client| client.name))))
    }

    /// The owner among clients that were read.
    fn among(names: &HashMap<ClientId, String>, endpoint: &Endpoint) -> Option<Self> {
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
fn names(clients: Vec<Client>) -> HashMap<ClientId, String> {
    let clients = clients.into_iter();
    clients.map(|client| (client.id, client.name)).collect()
}
