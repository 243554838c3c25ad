//! A delivery, as the OpenAPI document describes it. Any other JSON is accepted as well, and
//! means nothing.

use newsletter::subscriber::SubscriberStatus;
use utoipa::openapi::{
    ArrayBuilder, ObjectBuilder,
    schema::{AdditionalProperties, AnyOfBuilder},
};

use crate::schema::{Named, object, reference, string};

/// The schemas of a delivery.
pub fn schemas() -> Vec<Named> {
    let delivery = AnyOfBuilder::new()
        .description(Some("What the provider calls back about."))
        .item(reference("ProviderEvent"))
        .item(batch());
    vec![
        ("WebhookDelivery", delivery.into()),
        ("ProviderEvent", event().into()),
    ]
}

fn batch() -> ObjectBuilder {
    open("Several events.")
        .property(
            "events",
            ArrayBuilder::new().items(reference("ProviderEvent")),
        )
        .required("events")
}

fn event() -> ObjectBuilder {
    let name = "What happened. `subscriber.bounced`, `subscriber.unsubscribed`, \
                `subscriber.spam_reported` and `subscriber.deleted` are news; other events are \
                not.";
    person(open("An event; the person is in it or under `subscriber`."))
        .property("event", string(name))
        .property("type", string("The same, where there is no `event`."))
        .property("subscriber", person(open("The person.")))
}

fn person(object: ObjectBuilder) -> ObjectBuilder {
    let status = format!(
        "The person's status at the provider. A bounce is news only if it is `{}`: soft bounces \
         are not.",
        SubscriberStatus::Bounced
    );
    object
        .property("email", string("The person's address, in any case."))
        .property("status", string(&status))
}

fn open(description: &str) -> ObjectBuilder {
    object(description).additional_properties(Some(AdditionalProperties::FreeForm(true)))
}
