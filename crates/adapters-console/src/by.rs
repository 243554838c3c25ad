//! Actors and owners as pages show them.

use access::Client;
use askama::Template;
use kernel::{Actor, ClientId};

/// An actor or owner. A client is shown by name, with a link to its page.
#[derive(Template)]
#[template(path = "by.html")]
pub struct By {
    name: String,
    client: Option<ClientId>,
}

impl By {
    pub fn unlinked(actor: &Actor) -> Self {
        let name = actor.to_string();
        Self { name, client: None }
    }

    pub fn actor(actor: Option<&Actor>, clients: &[Client]) -> Self {
        match actor {
            Some(Actor::Client(id)) => Self::client(*id, clients),
            Some(actor) => Self::unlinked(actor),
            None => Self::named(""),
        }
    }

    pub fn client(id: ClientId, clients: &[Client]) -> Self {
        let known = clients.iter().find(|known| known.id == id);
        Self {
            name: known.map_or_else(|| id.to_string(), |known| known.name.clone()),
            client: Some(id),
        }
    }

    pub const fn is_client(&self) -> bool {
        self.client.is_some()
    }

    pub fn named(name: &str) -> Self {
        let name = name.to_owned();
        Self { name, client: None }
    }
}
