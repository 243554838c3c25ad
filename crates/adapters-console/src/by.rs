//! Who did something, as pages say it.

use access::Client;
use askama::Template;
use kernel::{Actor, ClientId};

/// An actor; a client by its name, with a link to its page.
#[derive(Template)]
#[template(path = "by.html")]
pub struct By {
    name: String,
    client: Option<ClientId>,
}

impl By {
    /// An actor without a link.
    pub fn unlinked(actor: &Actor) -> Self {
        Self {
            name: actor.to_string(),
            client: None,
        }
    }

    /// An actor, who may be one of these clients.
    pub fn of(actor: Option<&Actor>, clients: &[Client]) -> Self {
        let client = match actor {
            Some(Actor::Client(id)) => Some(*id),
            _ => None,
        };
        let known = clients.iter().find(|known| Some(known.id) == client);
        let name = match (known, client, actor) {
            (Some(known), ..) => known.name.clone(),
            (None, Some(id), _) => id.to_string(),
            (None, None, actor) => actor.map(ToString::to_string).unwrap_or_default(),
        };
        Self { name, client }
    }
}
