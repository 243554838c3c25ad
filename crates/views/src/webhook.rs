use kernel::SourceIdentifier;
use serde::Serialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;
use webhooks::{Attempt, Health, LoggedDelivery, TrackedEndpoint};

use crate::{
    attention::Pages,
    event::{DeliveredEvent, EventId, EventType},
    json::Timestamp,
    schema::vocabularies,
    view,
};

vocabularies! {
    /// Whether events are delivered. A `disabled` endpoint waits for its owner.
    WebhookState(webhooks::EndpointState);
}

view! {
    /// A receiver of events.
    #[derive(Serialize, ToSchema)]
    #[schema(as = WebhookEndpoint)]
    pub struct Endpoint<'a>(endpoint: &'a webhooks::Endpoint, health: &Health) {
        /// The endpoint's id.
        id: Uuid = endpoint.id.uuid(),
        /// Where events are delivered.
        #[schema(format = "uri")]
        url: &'a str = endpoint.url.as_str(),
        /// The delivered types of events; `null` for all permitted types, including future ones.
        types: Option<Vec<EventType<'a>>> =
            endpoint.names.as_ref().map(|names| names.iter().map(EventType).collect()),
        /// Whether events of a posting carry the posting, as `GET` shows it at that moment.
        include_posting: bool = endpoint.include_posting,
        /// What the endpoint is for.
        description: Option<&'a str> = endpoint.description.as_deref(),
        state: WebhookState = WebhookState(endpoint.state),
        /// Why the endpoint is disabled.
        state_reason: Option<&'a str> = endpoint.state_reason.as_deref(),
        /// When the endpoint was registered.
        #[schema(value_type = OffsetDateTime)]
        created_at: Timestamp = Timestamp(endpoint.created_at),
        /// When the endpoint last changed.
        #[schema(value_type = OffsetDateTime)]
        updated_at: Timestamp = Timestamp(endpoint.updated_at),
        /// When the receiver last accepted an event.
        #[schema(value_type = Option<OffsetDateTime>)]
        last_success_at: Option<Timestamp> = health.last_success_at.map(Timestamp),
        /// When deliveries began to fail; five days later, a further failure disables the endpoint.
        #[schema(value_type = Option<OffsetDateTime>)]
        failing_since: Option<Timestamp> = health.failing_since.map(Timestamp),
    }
}

impl<'a> From<&'a TrackedEndpoint> for Endpoint<'a> {
    fn from(tracked: &'a TrackedEndpoint) -> Self {
        Self::new(&tracked.endpoint, &tracked.health)
    }
}

view! {
    /// A receiver of events, and the secret that signs them.
    #[derive(Serialize, ToSchema)]
    #[schema(as = WebhookEndpointWithSecret)]
    pub struct EndpointWithSecret<'a>(of: &'a webhooks::Endpoint, health: &Health) {
        #[serde(flatten)]
        endpoint: Endpoint<'a> = Endpoint::new(of, health),
        /// Signs deliveries. It is not shown again.
        #[schema(pattern = "^whsec_[A-Za-z0-9+/]+=*$")]
        secret: String = of.secret.reveal(),
    }
}

view! {
    /// The outcome of a ping.
    #[derive(Serialize, ToSchema)]
    #[schema(as = WebhookTest)]
    pub struct TestOutcome<'a>(attempt: &'a Attempt) {
        /// The status of the receiver's answer; `null` if there was none.
        #[schema(minimum = 100, maximum = 999)]
        status: Option<u16> = attempt.outcome.status(),
        /// How long the call took, in milliseconds.
        #[schema(minimum = 0)]
        duration_ms: u64 = milliseconds(attempt.duration),
        /// Why the attempt failed; `null` if the receiver accepted it.
        error: Option<&'a str> = attempt.error.as_deref(),
    }
}

view! {
    /// An attempt to deliver an event.
    #[derive(Serialize, ToSchema)]
    #[schema(as = WebhookAttempt)]
    pub struct Delivery<'a>(delivery: &'a LoggedDelivery, pages: Pages<'a>) {
        /// When the attempt ended.
        #[schema(value_type = OffsetDateTime)]
        at: Timestamp = Timestamp(delivery.record.at),
        /// The event's id, the delivery's `webhook-id`.
        #[schema(value_type = String)]
        event_id: EventId = EventId(delivery.record.event),
        #[serde(rename = "type")]
        name: EventType<'a> = EventType(&delivery.record.name),
        /// The identifier of the event's posting; `null` if the event is not about a posting, and
        /// once it is no longer kept or visible to the client.
        unique_source_identifier: Option<&'a str> =
            delivery.identifier().map(SourceIdentifier::as_str),
        /// The number of this attempt at the event; 0 if the event was no longer kept before its
        /// first attempt.
        #[schema(minimum = 0)]
        attempt: u32 = delivery.record.attempt,
        /// The status of the receiver's answer; `null` if there was none.
        #[schema(minimum = 100, maximum = 999)]
        status: Option<u16> = delivery.record.status,
        /// How long the call took, in milliseconds.
        #[schema(minimum = 0)]
        duration_ms: u64 = milliseconds(delivery.record.duration),
        /// Why the attempt failed; `null` if the receiver accepted it.
        error: Option<&'a str> = delivery.record.error.as_deref(),
        /// The payload, rebuilt from the event without `data.posting`; `null` once the event is no
        /// longer kept or visible to the client.
        #[schema(value_type = Option<Object>)]
        payload: Option<DeliveredEvent<'a>> =
            (delivery.event.as_ref())
                .and_then(|of| DeliveredEvent::new(&of.event, None, None, pages)),
    }
}

/// A ping, with which an owner tests a receiver: an event without a subject.
#[derive(Serialize)]
struct Ping {
    r#type: &'static str,
    timestamp: Timestamp,
    data: Map<String, Value>,
}

/// Returns the delivery's id and the JSON of a ping with this id.
pub fn ping(id: Uuid, at: OffsetDateTime) -> Result<(String, Vec<u8>), serde_json::Error> {
    let ping = Ping {
        r#type: "ping",
        timestamp: Timestamp(at),
        data: Map::new(),
    };
    Ok((format!("ping_{id}"), serde_json::to_vec(&ping)?))
}

fn milliseconds(duration: std::time::Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::posting::event::JOB_POSTING_ERASED;
    use kernel::{
        event::{Cursor, Event, RecordedEvent, Subject},
        testing::noon,
    };
    use serde_json::json;
    use webhooks::DeliveryRecord;

    use super::*;

    #[test]
    fn a_delivery_is_shown_with_its_event_while_that_is_kept() {
        let company = domain::testing::company("acme");
        let posting = domain::testing::posting(1, company.id);
        let posting = kernel::event::PostingState::from(&posting);
        let identifier = posting.source_identifier.clone();
        let event = RecordedEvent {
            cursor: Cursor::START,
            event: Event {
                name: JOB_POSTING_ERASED,
                subject: Subject::Posting(posting),
                at: noon(),
                trace: None,
            },
        };
        let mut delivery = LoggedDelivery {
            record: DeliveryRecord {
                at: noon(),
                event: Cursor::START,
                name: JOB_POSTING_ERASED,
                attempt: 2,
                status: None,
                duration: Duration::from_millis(15),
                error: Some("no connection".to_owned()),
            },
            event: Some(event),
        };
        let at = "2026-03-01T12:00:00.123456Z";
        let mut expect = json!({
            "at": at, "event_id": Cursor::START.to_string(), "type": "JobPostingErased",
            "unique_source_identifier": identifier.as_str(), "attempt": 2, "status": null,
            "duration_ms": 15, "error": "no connection",
            "payload": {"type": "JobPostingErased", "timestamp": at,
                "data": {"unique_source_identifier": identifier.as_str(), "decision": null}},
        });
        let shown = |delivery: &_| {
            serde_json::to_value(Delivery::new(delivery, Pages::Console(""))).unwrap()
        };
        assert_eq!(shown(&delivery), expect);
        delivery.event = None;
        expect["unique_source_identifier"] = json!(null);
        expect["payload"] = json!(null);
        assert_eq!(shown(&delivery), expect);
    }
}
