//! The requests of clients about their endpoints.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{self, Bytes},
};
use fields::Patch;
use kernel::Prefixes;
use uuid::Uuid;
use views::{
    attention::Pages,
    webhook::{Delivery, Endpoint, EndpointWithSecret, TestOutcome, ping},
};
use webhooks::{
    DELIVERIES_KEPT, EndpointChange, EndpointId, Health, MOST_ENDPOINTS, NewEndpoint, Secret,
    TrackedEndpoint, WebhookError, parse_replay, parse_resend,
};

use crate::{
    answer::{self, Answer, no_store},
    body::Body,
    error::ApiError,
    etag::conditional,
    oauth::Caller,
    query::{Options, Parameters, Query, integer},
    state::{State, now},
};

pub const PATH: &str = "/api/job-board/webhooks";

/// The largest body in bytes. It has a URL, a description and names of events.
const LARGEST_BODY: usize = 16 * 1024;

pub(super) async fn create(caller: Caller, body: Body, state: web::Data<State>) -> Answer {
    let body = read(body, &state).await?;
    let new = NewEndpoint::parse(&body, state.ports.private_addresses)?;
    let id = EndpointId::new(Uuid::now_v7());
    let secret = Secret::drawn(rand::random());
    let webhooks = state.ports.webhooks_of(caller.id());
    let _slot = state.receiver_calls.take(caller.id())?;
    let created = webhooks.create(new, Prefixes::ALL, id, secret, now());
    let endpoint = created.await?;
    let location = format!("{PATH}/{}", endpoint.id);
    let shown = EndpointWithSecret::new(&endpoint, &Health::default());
    let mut response = answer::data_with(StatusCode::CREATED, shown).map(no_store)?;
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location.try_into()?);
    Ok(response)
}

pub(super) async fn list(caller: Caller, _: Query<()>, state: web::Data<State>) -> Answer {
    let webhooks = state.ports.webhooks_of(caller.id());
    let all = webhooks.list(None, MOST_ENDPOINTS).await?;
    let shown: Vec<_> = all.iter().map(Endpoint::from).collect();
    answer::data(shown)
}

pub(super) async fn show(
    caller: Caller,
    _: Query<()>,
    id: web::Path<String>,
    request: HttpRequest,
    state: web::Data<State>,
) -> Answer {
    let webhooks = state.ports.webhooks_of(caller.id());
    let found = webhooks.find(parse(&id)?).await?;
    let answer = answer::data(Endpoint::from(&found))?;
    conditional(&request, answer)
}

pub(super) async fn update(
    caller: Caller,
    id: web::Path<String>,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    let body = read(body, &state).await?;
    let change = EndpointChange::parse(&body, state.ports.private_addresses)?;
    let _slot = match change.url {
        Patch::Set(_) => Some(state.receiver_calls.take(caller.id())?),
        _ => None,
    };
    let webhooks = state.ports.webhooks_of(caller.id());
    let updated = webhooks.update(parse(&id)?, &change, now()).await?;
    answer::data(Endpoint::from(&updated))
}

pub(super) async fn delete(
    caller: Caller,
    _: Query<()>,
    id: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    let webhooks = state.ports.webhooks_of(caller.id());
    webhooks.delete(parse(&id)?, now()).await?;
    Ok(HttpResponse::NoContent().finish())
}

pub(super) async fn rotate(
    caller: Caller,
    _: Query<()>,
    id: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    let webhooks = state.ports.webhooks_of(caller.id());
    let secret = Secret::drawn(rand::random());
    let rotated = webhooks.rotate(parse(&id)?, secret, now());
    let TrackedEndpoint {
        endpoint, health, ..
    } = rotated.await?;
    let shown = EndpointWithSecret::new(&endpoint, &health);
    answer::data(shown).map(no_store)
}

pub(super) async fn test(
    caller: Caller,
    _: Query<()>,
    id: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    let now = now();
    let (delivery, body) = ping(Uuid::now_v7(), now)?;
    let webhooks = state.ports.webhooks_of(caller.id());
    let _slot = state.receiver_calls.take(caller.id())?;
    let attempt = webhooks.test(parse(&id)?, (&delivery, &body), now).await?;
    answer::data(TestOutcome::new(&attempt))
}

pub(super) async fn replay(
    caller: Caller,
    id: web::Path<String>,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    let since = parse_replay(&read(body, &state).await?)?;
    let webhooks = state.ports.webhooks_of(caller.id());
    webhooks.replay(parse(&id)?, since, now()).await?;
    Ok(HttpResponse::NoContent().finish())
}

pub(super) async fn resend(
    caller: Caller,
    id: web::Path<String>,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    let event = parse_resend(&read(body, &state).await?)?;
    let webhooks = state.ports.webhooks_of(caller.id());
    webhooks.resend(parse(&id)?, event, now()).await?;
    Ok(HttpResponse::NoContent().finish())
}

pub(super) struct Last(usize);

impl Options for Last {
    fn take(parameters: &mut Parameters<'_>) -> Self {
        let limit = parameters.take("limit", |text| integer(text, 1, DELIVERIES_KEPT));
        Self(limit.unwrap_or(DELIVERIES_KEPT))
    }
}

pub(super) async fn deliveries(
    caller: Caller,
    Query(Last(limit)): Query<Last>,
    id: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    let webhooks = state.ports.webhooks_of(caller.id());
    let deliveries = webhooks.deliveries(parse(&id)?, limit).await?;
    let pages = Pages::Integration(&state.public_url);
    let shown = deliveries.iter().map(|one| Delivery::new(one, pages));
    let shown: Vec<_> = shown.collect();
    answer::data(shown)
}

async fn read(body: Body, state: &State) -> Result<Bytes, ApiError> {
    let request = body.head().clone();
    let body = body.json(state.small_limit(LARGEST_BODY)).await?;
    <()>::read(request.query_string()).map_err(ApiError::invalid)?;
    Ok(body)
}

/// An invalid id in the path gets 404.
fn parse(id: &str) -> Result<EndpointId, ApiError> {
    id.parse().map_err(|_| WebhookError::NotFound.into())
}
