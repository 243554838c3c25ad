//! What the pages of webhooks need.

use std::{
    future::{Ready, ready},
    ops::Deref,
};

use access::{Client, Scope};
use actix_web::{FromRequest, HttpRequest, dev::Payload, web};
use domain::store::Store;
use kernel::{ClientId, audit::Attribution};
use webhooks::{EndpointId, ManagedWebhooks, Manager, Owner};

use crate::{by::By, error::Failure, state::State, visit::Visit};

/// The path of the list.
pub const PATH: &str = "/webhooks";

/// A request about webhooks.
pub struct Desk {
    visit: Visit,
    author: Author,
}

/// Who may do something with webhooks.
enum Author {
    /// An operator, whose tests are recorded in the store.
    Operator(Attribution, web::Data<State>),
    /// A client, with its own.
    Client(ClientId),
}

impl Desk {
    fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let visit = Visit::of(request)?;
        let author = match visit.attribution() {
            Some(by) => {
                let state = request.app_data::<web::Data<State>>().cloned();
                Author::Operator(by, state.ok_or(Failure::Forbidden)?)
            }
            None => Author::Client(visit.client(Scope::MANAGERS)?.id),
        };
        Ok(Self { visit, author })
    }

    /// The commands about webhooks.
    pub fn webhooks(&self) -> ManagedWebhooks<'_> {
        let ports = self.ports();
        ManagedWebhooks {
            webhooks: &*ports.webhooks,
            log: &*ports.log,
            clients: &*ports.clients,
            sender: &*ports.sender,
            by: match &self.author {
                Author::Operator(by, _) => Manager::Operator(by),
                Author::Client(id) => Manager::Client(*id),
            },
        }
    }

    /// Where a test is recorded.
    pub fn store(&self) -> Option<&dyn Store> {
        match &self.author {
            Author::Operator(_, state) => Some(&*state.ports.store),
            Author::Client(_) => None,
        }
    }

    /// The owner of a webhook, as the console says it.
    pub async fn owner(&self, owner: Owner) -> Result<By, Failure> {
        let mut known = Vec::new();
        if let Owner::Client(id) = owner {
            known.extend(self.ports().clients.find(id).await?);
        }
        Ok(by(owner, &known))
    }
}

/// The owner of a webhook, who may be one of these clients.
pub fn by(owner: Owner, clients: &[Client]) -> By {
    match owner {
        Owner::Client(id) => By::client(id, clients),
        Owner::Operator => By::named("operators"),
    }
}

/// The id of a webhook in an address.
pub fn id(text: &str) -> Result<EndpointId, Failure> {
    text.parse().map_err(|_| Failure::NotFound)
}

impl Deref for Desk {
    type Target = Visit;

    fn deref(&self) -> &Visit {
        &self.visit
    }
}

impl FromRequest for Desk {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request))
    }
}
