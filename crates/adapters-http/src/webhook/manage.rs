//! The requests of clients about their endpoints.

use access::Scope;
use actix_web::{
    HttpRequest, HttpResponse,
    dev::Payload,
    http::{StatusCode, header},
};
use kernel::{ClientId, Prefixes, field::Patch};
use time::OffsetDateTime;
use uuid::Uuid;
use webhooks::{
    DELIVERIES_KEPT, EndpointChange, EndpointId, Health, MOST_ENDPOINTS, NewEndpoint, Secret,
    TrackedEndpoint, WebhookError, parse_replay,
};

use super::{new_ping, view};
use crate::{
    api,
    body::{self, BodyLimit},
    error::ApiError,
    etag::conditional,
    query::{Parameters, integer, no_parameters},
    state::State,
};

/// The path of the list.
pub const PATH: &str = "/api/job-board/webhooks";

/// The scopes that may manage webhooks.
pub const MANAGERS: &[Scope] = &[Scope::WebhooksManage];

/// The largest number of deliveries of an answer.
pub const MAX_DELIVERIES: usize = DELIVERIES_KEPT;

/// The largest body, in bytes: a URL, a description and the names of events are small.
const LARGEST_BODY: usize = 16 * 1024;

pub(super) async fn create(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    let body = body::read_json(request, payload, limit(state)).await?;
    no_parameters(request)?;
    let ports = &state.ports.webhooks;
    let new = NewEndpoint::parse(&body, ports.private)?;
    let id = EndpointId::new(Uuid::now_v7());
    let secret = Secret::drawn(rand::random());
    let webhooks = ports.of(client);
    let _slot = state.receiver_calls.take(client)?;
    let created = webhooks.create(new, Prefixes::ALL, id, secret, now());
    let endpoint = created.await?;
    let location = format!("{PATH}/{}", endpoint.id);
    let mut response = view::with_secret(StatusCode::CREATED, &endpoint, &Health::default())?;
    let location = header::HeaderValue::try_from(location);
    let location = location.map_err(|error| ApiError::internal(&error))?;
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

pub(super) async fn list(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    no_parameters(request)?;
    let webhooks = state.ports.webhooks.of(client);
    view::many(&webhooks.list(None, MOST_ENDPOINTS).await?)
}

pub(super) async fn show(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    no_parameters(request)?;
    let found = state.ports.webhooks.of(client).find(id(request)?).await?;
    conditional(request, view::one(&found)?)
}

pub(super) async fn update(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    let body = body::read_json(request, payload, limit(state)).await?;
    no_parameters(request)?;
    let ports = &state.ports.webhooks;
    let change = EndpointChange::parse(&body, ports.private)?;
    let webhooks = ports.of(client);
    let _slot = match change.url {
        Patch::Set(_) => Some(state.receiver_calls.take(client)?),
        _ => None,
    };
    view::one(&webhooks.update(id(request)?, &change, now()).await?)
}

pub(super) async fn delete(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    no_parameters(request)?;
    let webhooks = state.ports.webhooks.of(client);
    webhooks.delete(id(request)?, now()).await?;
    Ok(HttpResponse::new(StatusCode::NO_CONTENT))
}

pub(super) async fn rotate(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    no_parameters(request)?;
    let webhooks = state.ports.webhooks.of(client);
    let secret = Secret::drawn(rand::random());
    let rotated = webhooks.rotate(id(request)?, secret, now());
    let TrackedEndpoint {
        endpoint, health, ..
    } = rotated.await?;
    view::with_secret(StatusCode::OK, &endpoint, &health)
}

pub(super) async fn test(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    no_parameters(request)?;
    let now = now();
    let (delivery, body) = new_ping(now).map_err(|error| ApiError::internal(&error))?;
    let webhooks = state.ports.webhooks.of(client);
    let _slot = state.receiver_calls.take(client)?;
    let attempt = webhooks.test(id(request)?, (&delivery, &body), now).await?;
    view::attempt(&attempt)
}

pub(super) async fn replay(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    let body = body::read_json(request, payload, limit(state)).await?;
    no_parameters(request)?;
    let since = parse_replay(&body)?;
    let webhooks = state.ports.webhooks.of(client);
    webhooks.replay(id(request)?, since, now()).await?;
    Ok(HttpResponse::new(StatusCode::NO_CONTENT))
}

pub(super) async fn deliveries(
    request: &HttpRequest,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    let client = authorize(request, state).await?;
    let mut parameters = Parameters::of(request.query_string());
    let limit = parameters.take("limit", |text| integer(text, 1, MAX_DELIVERIES));
    let limit = parameters.finish(limit).map_err(ApiError::invalid)?;
    let webhooks = state.ports.webhooks.of(client);
    let deliveries = webhooks.deliveries(id(request)?, limit.unwrap_or(MAX_DELIVERIES));
    view::deliveries(&deliveries.await?)
}

async fn authorize(request: &HttpRequest, state: &State) -> Result<ClientId, ApiError> {
    Ok(api::authorize(request, state, MANAGERS).await?.id())
}

const fn limit(state: &State) -> BodyLimit {
    let limit = state.body_limit();
    BodyLimit {
        bytes: if limit.bytes < LARGEST_BODY {
            limit.bytes
        } else {
            LARGEST_BODY
        },
        ..limit
    }
}

/// The id of the endpoint in the path. A text that is no id is answered 404.
fn id(request: &HttpRequest) -> Result<EndpointId, ApiError> {
    let id = request.match_info().get("id").unwrap_or_default().parse();
    id.map_err(|_| WebhookError::NotFound.into())
}

fn now() -> OffsetDateTime {
    kernel::microseconds(OffsetDateTime::now_utc())
}
