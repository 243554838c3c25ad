//! An endpoint and its deliveries as answers show them. A secret is shown once, when it is made.

use kernel::SourceIdentifier;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use webhooks::{Attempt, Health, LoggedDelivery, TrackedEndpoint};

use crate::{
    answer::Timestamp,
    event::{DeliveredEvent, EventId, EventType},
    schema::vocabularies,
};

vocabularies! {
    /// Whether events are delivered. A `disabled` endpoint waits for its owner.
    WebhookState(webhooks::EndpointState);
}

/// An endpoint as the API shows it under `data`, for commands to print.
pub fn endpoint_data(endpoint: &TrackedEndpoint) -> impl Serialize {
    Endpoint::from(endpoint)
}

/// A delivery as the API shows it, for commands to print.
pub fn delivery_data(delivery: &LoggedDelivery) -> impl Serialize {
    Delivery::from(delivery)
}

/// A receiver of events.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookEndpoint)]
pub struct Endpoint<'a> {
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
pub struct EndpointWithSecret<'a> {
    #[serde(flatten)]
    endpoint: Endpoint<'a>,
    /// Signs deliveries. It is not shown again.
    #[schema(pattern = "^whsec_[A-Za-z0-9+/]+=*$")]
    secret: String,
}

/// The outcome of a ping.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookTest)]
pub struct TestOutcome<'a> {
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
pub struct Delivery<'a> {
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

impl<'a> EndpointWithSecret<'a> {
    pub fn new(endpoint: &'a webhooks::Endpoint, health: &Health) -> Self {
        Self {
            endpoint: Endpoint::new(endpoint, health),
            secret: endpoint.secret.reveal(),
        }
    }
}

impl<'a> From<&'a Attempt> for TestOutcome<'a> {
    fn from(attempt: &'a Attempt) -> Self {
        Self {
            status: attempt.outcome.status(),
            duration_ms: milliseconds(attempt.duration),
            error: attempt.error.as_deref(),
        }
    }
}

impl<'a> From<&'a LoggedDelivery> for Delivery<'a> {
    fn from(delivery: &'a LoggedDelivery) -> Self {
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
