//! The operations on webhooks, and the body of a delivery.

use serde_json::{Value, json};
use utoipa::openapi::{
    HttpMethod, KnownFormat, ObjectBuilder, PathItem, SchemaFormat, Type,
    path::{OperationBuilder, Parameter, ParameterIn, PathItemBuilder},
};

use super::{
    errors::{
        ALL, BAD_REQUEST, SharedError, TOO_MANY_WAITING, TOO_MANY_WEBHOOKS,
        WEBHOOK_EVENT_NOT_FOUND, WEBHOOK_NOT_FOUND, WRITING, with_errors,
    },
    operation::{Examples, conditional, integer, json_body, operation, parameter},
    response::{ok, response, with_header},
    security::{NONE, requires},
};
use crate::{
    event::DeliveredEvent,
    schema::{Answer as _, string},
    webhook::{
        AttemptAnswer, DeliveriesAnswer, EndpointAnswer, EndpointsAnswer, MANAGERS, MAX_DELIVERIES,
        PATH, SecretAnswer,
    },
};

/// The tag of these operations.
pub const TAG: &str = "Webhooks";

const WITH_BODY: &[&SharedError] = &[&BAD_REQUEST];

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    let all = PathItemBuilder::new()
        .operation(HttpMethod::Get, list())
        .operation(HttpMethod::Post, create())
        .build();
    let one = PathItemBuilder::new()
        .operation(HttpMethod::Get, show())
        .operation(HttpMethod::Patch, update())
        .operation(HttpMethod::Delete, delete())
        .build();
    let post = |operation| PathItem::new(HttpMethod::Post, operation);
    let path = format!("{PATH}/{{id}}");
    vec![
        (PATH.to_owned(), all),
        (path.clone(), one),
        (format!("{path}/rotate-secret"), post(rotate())),
        (format!("{path}/test"), post(test())),
        (format!("{path}/replay"), post(replay())),
        (format!("{path}/resend"), post(resend())),
        (
            format!("{path}/deliveries"),
            PathItem::new(HttpMethod::Get, deliveries_of()),
        ),
    ]
}

/// The requests that receivers get.
pub fn deliveries() -> impl Iterator<Item = (String, PathItem)> {
    [("event".to_owned(), delivered())].into_iter()
}

fn list() -> OperationBuilder {
    let operation = manage(
        "listWebhooks",
        "The client's webhooks",
        "All webhooks that this client has registered, oldest first.",
    )
    .response("200", ok::<EndpointsAnswer>("The webhooks."));
    with_errors(operation, &[ALL])
}

fn create() -> OperationBuilder {
    let created = ok::<SecretAnswer>("The webhook, with its secret, which is not shown again.");
    let created = with_header(with_header(created, "Cache-Control"), "Location");
    let operation = manage(
        "createWebhook",
        "Register a webhook",
        "Events from now on are delivered to the URL, by Standard Webhooks 1.0: those of all \
         postings that the client may see, and of companies. A name is resolved at once, and a \
         private address refused.",
    )
    .request_body(Some(json_body("NewWebhookEndpoint", None, new())))
    .response("201", created);
    with_errors(operation, &[ALL, WITH_BODY, WRITING, &[&TOO_MANY_WEBHOOKS]])
}

fn show() -> OperationBuilder {
    let operation = of_one(
        "getWebhook",
        "A webhook",
        "The webhook, without its secret.",
    );
    let operation = conditional(operation, ok::<EndpointAnswer>("The webhook."));
    with_errors(operation, &[ALL, &[&WEBHOOK_NOT_FOUND]])
}

fn update() -> OperationBuilder {
    let operation = of_one(
        "updateWebhook",
        "Change, pause or resume a webhook",
        "Absent fields are kept. What waits while it is paused is delivered when it is resumed, as \
         far as events are still kept.",
    )
    .request_body(Some(json_body("WebhookEndpointChange", None, changes())))
    .response("200", ok::<EndpointAnswer>("The webhook as it is now."));
    with_errors(operation, &[ALL, WITH_BODY, WRITING, &[&WEBHOOK_NOT_FOUND]])
}

fn delete() -> OperationBuilder {
    let operation = of_one(
        "deleteWebhook",
        "Delete a webhook",
        "Nothing is delivered any more, but for what is under way.",
    )
    .response("204", response("The webhook is deleted.").build());
    with_errors(operation, &[ALL, &[&WEBHOOK_NOT_FOUND]])
}

fn rotate() -> OperationBuilder {
    let rotated = ok::<SecretAnswer>("The webhook, with its new secret, which is not shown again.");
    let operation = of_one(
        "rotateWebhookSecret",
        "Replace a webhook's secret",
        "For 24 hours deliveries are signed with both secrets. Rotating again ends the oldest at \
         once.",
    )
    .response("200", with_header(rotated, "Cache-Control"));
    with_errors(operation, &[ALL, &[&WEBHOOK_NOT_FOUND]])
}

fn test() -> OperationBuilder {
    let operation = of_one(
        "testWebhook",
        "Try a webhook",
        "Delivers a `ping` now, whatever the webhook's state: `{\"type\":\"ping\",\"timestamp\":…,\
         \"data\":{}}`, signed like an event. Its outcome changes nothing.",
    )
    .response("200", ok::<AttemptAnswer>("What came of it."));
    with_errors(operation, &[ALL, &[&WEBHOOK_NOT_FOUND]])
}

fn replay() -> OperationBuilder {
    let example = json!({"since": "2026-01-31T12:00:00Z"});
    let operation = of_one(
        "replayWebhook",
        "Deliver again",
        "Goes back: all events from that time on are delivered again, with the same ids and in \
         order, as far as they are kept. A time that deliveries have not reached changes nothing.",
    )
    .request_body(Some(json_body(
        "WebhookReplay",
        None,
        vec![("since", "From a time on", example)],
    )))
    .response("204", response("Deliveries follow.").build());
    with_errors(operation, &[ALL, WITH_BODY, WRITING, &[&WEBHOOK_NOT_FOUND]])
}

fn resend() -> OperationBuilder {
    let example = json!({"event": "00000000000012670000000000000001"});
    let operation = of_one(
        "resendWebhookEvent",
        "Deliver one event again",
        "Has an event that is kept, and that the webhook gets by its types, delivered again with \
         the same id and all attempts of a new one. Of its posting, earlier events that still wait \
         go before it, and later ones that wait follow. An event that the webhook has yet to get \
         comes anyway.",
    )
    .request_body(Some(json_body(
        "WebhookResend",
        None,
        vec![("event", "One event", example)],
    )))
    .response("204", response("The delivery follows.").build());
    let own: &[_] = &[&WEBHOOK_EVENT_NOT_FOUND, &TOO_MANY_WAITING];
    with_errors(operation, &[ALL, WITH_BODY, WRITING, own])
}

fn deliveries_of() -> OperationBuilder {
    let operation = of_one(
        "listWebhookDeliveries",
        "The last attempts",
        &format!("The last {MAX_DELIVERIES} attempts at deliveries, newest first."),
    )
    .parameter(integer(
        "limit",
        "How many at most.",
        (1, MAX_DELIVERIES),
        MAX_DELIVERIES,
    ))
    .response("200", ok::<DeliveriesAnswer>("The attempts."));
    with_errors(operation, &[ALL, &[&WEBHOOK_NOT_FOUND]])
}

fn delivered() -> PathItem {
    let header = |name: &str, description: &str, schema: ObjectBuilder| {
        parameter(ParameterIn::Header, name, description, schema)
            .required(utoipa::openapi::Required::True)
    };
    let example = serde_json::to_value(DeliveredEvent::example()).unwrap_or(Value::Null);
    let body = json_body(
        "DeliveredEvent",
        Some("The event, and the posting at this moment if the webhook includes it."),
        vec![("approved", "A posting was approved", example)],
    );
    let operation = operation(
        TAG,
        "receiveEvent",
        "An event is delivered",
        "Answer 2xx within 15 seconds, after the signature was checked; anything else, redirects \
         included, is a failure and is tried again. 410 disables the webhook. A `ping` is \
         delivered on demand alone.",
    )
    .securities(Some(NONE))
    .parameter(header(
        "webhook-id",
        "The event's id, the same in each attempt: what was taken in once can be skipped.",
        string("An opaque id."),
    ))
    .parameter(header(
        "webhook-timestamp",
        "The time of this attempt, in seconds since 1970.",
        ObjectBuilder::new().schema_type(Type::Integer),
    ))
    .parameter(header(
        "webhook-signature",
        "One or two signatures, separated by a space: `v1,` and the base64 of the HMAC-SHA256 of \
         `webhook-id.webhook-timestamp.body`.",
        string("Signatures."),
    ))
    .request_body(Some(body))
    .response(
        "2XX",
        utoipa::openapi::ResponseBuilder::new()
            .description("The receiver has taken the event.")
            .build(),
    );
    PathItem::new(HttpMethod::Post, operation)
}

fn manage(id: &str, summary: &str, description: &str) -> OperationBuilder {
    operation(TAG, id, summary, description).securities(Some(requires(MANAGERS)))
}

fn of_one(id: &str, summary: &str, description: &str) -> OperationBuilder {
    manage(id, summary, description).parameter(endpoint())
}

fn endpoint() -> Parameter {
    let id = string("An id.").format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
    parameter(ParameterIn::Path, "id", "The webhook's id.", id)
        .example(Some(json!("0190a1b2-0000-7000-8000-000000000002")))
        .build()
}

fn new() -> Examples {
    let approved = json!({
        "url": "https://receiver.example/hooks",
        "types": ["JobPostingApproved", "JobPostingExpired"],
        "include_posting": true,
        "description": "The website"
    });
    vec![
        (
            "all",
            "All events",
            json!({"url": "https://receiver.example/hooks"}),
        ),
        ("some", "Two kinds of events, with the posting", approved),
    ]
}

fn changes() -> Examples {
    vec![
        ("pause", "Pause", json!({"state": "paused"})),
        ("resume", "Resume", json!({"state": "active"})),
        (
            "types",
            "Other events",
            json!({"types": ["CompanyUpdated"]}),
        ),
    ]
}
