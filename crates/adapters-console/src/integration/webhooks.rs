//! `/integration/webhooks`: the client's webhooks.

use ::webhooks::{ManagedWebhooks, Manager};
use access::Scope;
use actix_web::{HttpRequest, web};
use kernel::ClientId;

use super::state::{State, Visitor, client_with};
use crate::{
    error::Answer,
    form::Form,
    webhooks::{Desk, change, create, delivery, list, page},
};

fn desk(state: &State, client: ClientId) -> Desk<'_> {
    let ports = &state.ports;
    Desk {
        webhooks: ManagedWebhooks {
            webhooks: &*ports.webhooks,
            log: &*ports.log,
            clients: &*ports.clients,
            sender: &*ports.sender,
            by: Manager::Client(client),
        },
        clients: &*ports.clients,
        postings: &*ports.postings,
        private_addresses: ports.private_addresses,
        new_ping: &ports.new_ping,
        event_text: &ports.event_text,
        store: None,
        now: state.now(),
    }
}

pub async fn show_all(request: HttpRequest, state: web::Data<State>) -> Answer {
    let client = client_with(&request, Scope::MANAGERS)?;
    list(&request, &desk(&state, client.id)).await
}

pub async fn show_one(
    request: HttpRequest,
    path: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    let client = client_with(&request, Scope::MANAGERS)?;
    page(&request, &path, &desk(&state, client.id)).await
}

pub async fn show_delivery(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    state: web::Data<State>,
) -> Answer {
    let client = client_with(&request, Scope::MANAGERS)?;
    delivery(&request, (&path.0, &path.1), &desk(&state, client.id)).await
}

pub async fn add(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let visitor = Visitor::of(&request)?;
    let form = Form::of_session(&request, payload, &state.site, &visitor.session).await?;
    let client = client_with(&request, Scope::MANAGERS)?;
    create(&request, &desk(&state, client.id), &form).await
}

pub async fn act(
    request: HttpRequest,
    path: web::Path<String>,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let visitor = Visitor::of(&request)?;
    let form = Form::of_session(&request, payload, &state.site, &visitor.session).await?;
    let client = client_with(&request, Scope::MANAGERS)?;
    let desk = desk(&state, client.id);
    change(&request, &path, &desk, &visitor, &form).await
}
