//! The OpenAPI schema of a delivery. Any other JSON is accepted as well, and ignored.

use newsletter::subscriber::SubscriberStatus;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, schema::AnyOfBuilder};

use crate::schema::{Named, object, reference, string};

/// The schemas of a delivery.
pub fn schemas() -> Vec<Named> {
    let delivery = AnyOfBuilder::new()
        .description(Some("A delivery of the provider."))
        .item(reference("ProviderEvent"))
        .item(batch());
    vec![
        ("WebhookDelivery", delivery.into()),
        ("ProviderEvent", event().into()),
    ]
}

fn batch() -> ObjectBuilder {
    object("Several events.")
        .property(
            "events",
            ArrayBuilder::new().items(reference("ProviderEvent")),
        )
        .required("events")
}

fn event() -> ObjectBuilder {
    let name = "The name of the event. `subscriber.bounced`, `subscriber.unsubscribed`, \
                `subscriber.spam_reported` and `subscriber.deleted` are processed; other events \
                are ignored.";
    person(object(
        "An event; the person is in it or under `subscriber`.",
    ))
    .property("event", string(name))
    .property(
        "type",
        string("The name of the event, if `event` is absent."),
    )
    .property("subscriber", person(object("The person.")))
}

fn person(object: ObjectBuilder) -> ObjectBuilder {
    let status = format!(
        "The person's status at the provider. A bounce is processed only if it is `{}`: soft \
         bounces are ignored.",
        SubscriberStatus::Bounced
    );
    object
        .property("email", string("The person's address, in any case."))
        .property("status", string(&status))
}
