//! The bodies of requests, as the OpenAPI document describes them. The rules are in
//! `webhooks`.

use utoipa::openapi::{ObjectBuilder, Type};
use webhooks::{LONGEST_DESCRIPTION, LONGEST_URL, WantedState};

use crate::schema::{
    Named, filled_string, format, object, one_of, optional_string, or_null, some_of, time,
};

/// The schemas of the bodies.
pub fn schemas() -> Vec<Named> {
    vec![
        ("NewWebhookEndpoint", new().into()),
        ("WebhookEndpointChange", change().into()),
        ("WebhookReplay", replay().into()),
        ("WebhookResend", resend().into()),
    ]
}

fn new() -> ObjectBuilder {
    let url = "Where events are delivered: an absolute `https` URL of a public host, without user \
               information and fragment.";
    common(
        object("A receiver of events. Unknown fields are ignored."),
        url,
    )
    .required("url")
}

fn change() -> ObjectBuilder {
    let description = "What is to change. An absent field is kept. Unknown fields are ignored.";
    let url = "Another address. Earlier failures no longer count, and failed events are due.";
    common(object(description), url).property(
        "state",
        one_of(
            "`active` resumes deliveries: events that waited follow, and earlier failures no \
             longer count.",
            WantedState::NAMES,
        ),
    )
}

fn common(object: ObjectBuilder, url: &str) -> ObjectBuilder {
    object
        .property(
            "url",
            filled_string(url)
                .format(Some(format("uri")))
                .max_length(Some(LONGEST_URL))
                .examples(["https://receiver.example/hooks"]),
        )
        .property(
            "types",
            some_of(
                "The types of the wanted events; `null` for all, also for those to come.",
                "EventType",
            )
            .min_items(Some(1)),
        )
        .property(
            "include_posting",
            or_null(Type::Boolean).description(Some(
                "Whether events of a posting carry the posting, as `GET` shows it at that moment; \
                 `null` is `false`.",
            )),
        )
        .property(
            "description",
            optional_string("What the endpoint is for.")
                .max_length(Some(LONGEST_DESCRIPTION))
                .examples(["The website"]),
        )
}

fn replay() -> ObjectBuilder {
    object("From when on to deliver again.")
        .property(
            "since",
            time("Events from this time on are delivered again.")
                .examples(["2026-01-31T12:00:00Z"]),
        )
        .required("since")
}

fn resend() -> ObjectBuilder {
    object("What to deliver again.")
        .property(
            "event",
            filled_string("The event's id, as in the feed and in `webhook-id`.")
                .examples(["00000000000012670000000000000001"]),
        )
        .required("event")
}
