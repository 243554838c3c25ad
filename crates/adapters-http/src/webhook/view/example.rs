//! The answers about webhooks that the OpenAPI document shows.

use domain::posting::event::{JOB_POSTING_APPROVED, JOB_POSTING_EXPIRED};
use kernel::event::{Cursor, EventName};
use time::macros::datetime;
use webhooks::EndpointState;

use super::{
    AttemptAnswer, DeliveriesAnswer, Delivery, Endpoint, EndpointAnswer, EndpointWithSecret,
    EndpointsAnswer, EventId, EventType, SecretAnswer, TestOutcome, Timestamp, Uuid, WebhookState,
};
use crate::{event::DeliveredEvent, schema::Answer};

static APPROVED: EventName = JOB_POSTING_APPROVED;
static EXPIRED: EventName = JOB_POSTING_EXPIRED;

impl Answer for EndpointAnswer<'_> {
    fn example() -> Self {
        Self { data: endpoint() }
    }
}

impl Answer for SecretAnswer<'_> {
    fn example() -> Self {
        let new = Endpoint {
            updated_at: Timestamp(datetime!(2026-01-31 12:00 UTC)),
            last_success_at: None,
            ..endpoint()
        };
        Self {
            data: EndpointWithSecret {
                endpoint: new,
                secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned(),
            },
        }
    }
}

impl Answer for EndpointsAnswer<'_> {
    fn example() -> Self {
        Self {
            data: vec![endpoint()],
        }
    }
}

impl Answer for AttemptAnswer<'_> {
    fn example() -> Self {
        Self {
            data: TestOutcome {
                status: Some(204),
                duration_ms: 87,
                error: None,
            },
        }
    }
}

impl Answer for DeliveriesAnswer<'_> {
    fn example() -> Self {
        let failed = Delivery {
            at: Timestamp(datetime!(2026-01-31 12:00:05 UTC)),
            event_id: event(2),
            name: EventType(&EXPIRED),
            unique_source_identifier: Some("acme-2"),
            attempt: 1,
            status: Some(500),
            duration_ms: 310,
            error: Some("answered 500"),
            payload: Some(DeliveredEvent::example()),
        };
        let delivered = Delivery {
            at: Timestamp(datetime!(2026-01-31 12:00:04.5 UTC)),
            event_id: event(1),
            name: EventType(&APPROVED),
            unique_source_identifier: None,
            attempt: 1,
            status: Some(204),
            duration_ms: 87,
            error: None,
            payload: None,
        };
        Self {
            data: vec![failed, delivered],
        }
    }
}

fn endpoint() -> Endpoint<'static> {
    Endpoint {
        id: Uuid::from_u128(0x0190_a1b2_0000_7000_8000_0000_0000_0002),
        url: "https://receiver.example/hooks",
        types: Some(vec![EventType(&APPROVED), EventType(&EXPIRED)]),
        include_posting: false,
        description: Some("The website"),
        state: WebhookState(EndpointState::Active),
        state_reason: None,
        created_at: Timestamp(datetime!(2026-01-31 12:00 UTC)),
        updated_at: Timestamp(datetime!(2026-01-31 12:00 UTC)),
        last_success_at: Some(Timestamp(datetime!(2026-01-31 12:00:04.5 UTC))),
        failing_since: None,
    }
}

const fn event(sequence: u64) -> EventId {
    EventId(Cursor {
        transaction: 4711,
        sequence,
    })
}
