//! An endpoint and its deliveries as answers show them. A secret is shown once, when it is made.

use actix_web::{HttpResponse, http::StatusCode};
use kernel::SourceIdentifier;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use webhooks::{Attempt, Health, LoggedDelivery, TrackedEndpoint};

use crate::{
    answer::{self, Timestamp, no_store},
    error::ApiError,
    event::{DeliveredEvent, EventId, EventType},
    schema::vocabularies,
};

mod example;

vocabularies! {
    /// Whether events are delivered. A `disabled` endpoint waits for its owner.
    WebhookState(webhooks::EndpointState);
}

/// The answer with one endpoint.
pub(super) fn one(endpoint: &TrackedEndpoint) -> Result<HttpResponse, ApiError> {
    let data = Endpoint::from(endpoint);
    answer::json(StatusCode::OK, &EndpointAnswer { data })
}

/// The answer with one endpoint and its secret.
pub(super) fn with_secret(
    status: StatusCode,
    endpoint: &webhooks::Endpoint,
    health: &Health,
) -> Result<HttpResponse, ApiError> {
    let data = EndpointWithSecret {
        endpoint: Endpoint::new(endpoint, health),
        secret: endpoint.secret.reveal(),
    };
    answer::json(status, &SecretAnswer { data }).map(no_store)
}

/// The answer with all endpoints.
pub(super) fn many(endpoints: &[TrackedEndpoint]) -> Result<HttpResponse, ApiError> {
    let data = endpoints.iter().map(Endpoint::from).collect();
    answer::json(StatusCode::OK, &EndpointsAnswer { data })
}

/// The answer with the outcome of a ping.
pub(super) fn attempt(attempt: &Attempt) -> Result<HttpResponse, ApiError> {
    let data = TestOutcome {
        status: attempt.outcome.status(),
        duration_ms: milliseconds(attempt.duration),
        error: attempt.error.as_deref(),
    };
    answer::json(StatusCode::OK, &AttemptAnswer { data })
}

/// The answer with deliveries.
pub(super) fn deliveries(deliveries: &[LoggedDelivery]) -> Result<HttpResponse, ApiError> {
    let data = deliveries.iter().map(Delivery::new).collect();
    answer::json(StatusCode::OK, &DeliveriesAnswer { data })
}

/// An endpoint as the API shows it under `data`, for commands to print.
pub fn endpoint_data(endpoint: &TrackedEndpoint) -> impl Serialize {
    Endpoint::from(endpoint)
}

/// A delivery as the API shows it, for commands to print.
pub fn delivery_data(delivery: &LoggedDelivery) -> impl Serialize {
    Delivery::new(delivery)
}

/// One endpoint.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointAnswer)]
pub struct EndpointAnswer<'a> {
    data: Endpoint<'a>,
}

/// An endpoint with its new secret, which is not shown again.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookSecretAnswer)]
pub struct SecretAnswer<'a> {
    data: EndpointWithSecret<'a>,
}

/// All endpoints of the client, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointsAnswer)]
pub struct EndpointsAnswer<'a> {
    data: Vec<Endpoint<'a>>,
}

/// The outcome of a ping.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookTestAnswer)]
pub struct AttemptAnswer<'a> {
    data: TestOutcome<'a>,
}

/// The last attempts at deliveries, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookDeliveriesAnswer)]
pub struct DeliveriesAnswer<'a> {
    data: Vec<Delivery<'a>>,
}

/// A receiver of events.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpoint)]
struct Endpoint<'a> {
    /// The endpoint's id.
    id: Uuid,
    /// Where events are delivered.
    #[schema(format = "uri")]
    url: &'a str,
    /// The types of the events that are delivered; `null` for all, also for those to come.
    types: Option<Vec<EventType<'a>>>,
    /// Whether events of a posting carry the posting, as `GET` shows it at that moment.
    include_posting: bool,
    /// What the endpoint is for.
    description: Option<&'a str>,
    state: WebhookState,
    /// Why the endpoint is disabled.
    state_reason: Option<&'a str>,
    /// When the endpoint was registered.
    #[schema(value_type = OffsetDateTime)]
    created_at: Timestamp,
    /// When the endpoint last changed.
    #[schema(value_type = OffsetDateTime)]
    updated_at: Timestamp,
    /// When the receiver last took an event.
    #[schema(value_type = Option<OffsetDateTime>)]
    last_success_at: Option<Timestamp>,
    /// The first failure since then; after five days the endpoint is disabled.
    #[schema(value_type = Option<OffsetDateTime>)]
    failing_since: Option<Timestamp>,
}

/// A receiver of events, and the secret that signs them.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpointWithSecret)]
struct EndpointWithSecret<'a> {
    #[serde(flatten)]
    endpoint: Endpoint<'a>,
    /// Signs deliveries. It is not shown again.
    #[schema(pattern = "^whsec_[A-Za-z0-9+/]+=*$")]
    secret: String,
}

/// The outcome of a ping.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookTest)]
struct TestOutcome<'a> {
    /// The status of the receiver's answer; `null` if there was none.
    #[schema(minimum = 100, maximum = 999)]
    status: Option<u16>,
    /// How long it took, in milliseconds.
    #[schema(minimum = 0)]
    duration_ms: u64,
    /// Why it failed; `null` if the receiver took it.
    error: Option<&'a str>,
}

/// An attempt to deliver an event.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
struct Delivery<'a> {
    /// When the attempt ended.
    #[schema(value_type = OffsetDateTime)]
    at: Timestamp,
    /// The event's id, the delivery's `webhook-id`.
    #[schema(value_type = String)]
    event_id: EventId,
    #[serde(rename = "type")]
    name: EventType<'a>,
    /// The identifier of the event's posting; `null` for `CompanyUpdated`, and once the event is no
    /// longer kept or the client may not see it any more.
    unique_source_identifier: Option<&'a str>,
    /// Counts the attempts at this event, from 1.
    #[schema(minimum = 0)]
    attempt: u32,
    /// The status of the receiver's answer; `null` if there was none.
    #[schema(minimum = 100, maximum = 999)]
    status: Option<u16>,
    /// How long it took, in milliseconds.
    #[schema(minimum = 0)]
    duration_ms: u64,
    /// Why it failed; `null` if the receiver took it.
    error: Option<&'a str>,
    /// What was delivered, made anew from the event, so without `data.posting`; `null` as the
    /// identifier is.
    #[schema(value_type = Option<Object>)]
    payload: Option<DeliveredEvent<'a>>,
}

impl<'a> Endpoint<'a> {
    fn new(endpoint: &'a webhooks::Endpoint, health: &Health) -> Self {
        let names = endpoint.names.as_ref();
        Self {
            id: endpoint.id.uuid(),
            url: endpoint.url.as_str(),
            types: names.map(|names| names.iter().map(EventType).collect()),
            include_posting: endpoint.include_posting,
            description: endpoint.description.as_deref(),
            state: WebhookState(endpoint.state),
            state_reason: endpoint.state_reason.as_deref(),
            created_at: Timestamp(endpoint.created_at),
            updated_at: Timestamp(endpoint.updated_at),
            last_success_at: health.last_success_at.map(Timestamp),
            failing_since: health.failing_since.map(Timestamp),
        }
    }
}

impl<'a> From<&'a TrackedEndpoint> for Endpoint<'a> {
    fn from(tracked: &'a TrackedEndpoint) -> Self {
        Self::new(&tracked.endpoint, &tracked.health)
    }
}

impl<'a> Delivery<'a> {
    fn new(delivery: &'a LoggedDelivery) -> Self {
        let (record, event) = (&delivery.record, delivery.event.as_ref());
        Self {
            at: Timestamp(record.at),
            event_id: EventId(record.event),
            name: EventType(&record.name),
            unique_source_identifier: delivery.identifier().map(SourceIdentifier::as_str),
            attempt: record.attempt,
            status: record.status,
            duration_ms: milliseconds(record.duration),
            error: record.error.as_deref(),
            payload: event.and_then(|event| DeliveredEvent::new(&event.event, None, None)),
        }
    }
}

fn milliseconds(duration: std::time::Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}
