//! The operation on events.

use serde_json::json;
use utoipa::openapi::{
    ArrayBuilder, HttpMethod, PathItem,
    path::{OperationBuilder, ParameterIn, ParameterStyle},
};

use super::{
    errors::{ALL, EVENTS_GONE, with_errors},
    operation::{integer, operation, parameter},
    response::{ok, with_header},
    security::requires,
};
use crate::{
    event::{DEFAULT_LIMIT, EventPageAnswer, LATEST, MAX_LIMIT, MAX_WAIT, PATH},
    posting::READERS,
    replica::REPLICA_LAG,
    schema::{reference, string},
};

/// The tag of these operations.
pub const TAG: &str = "Events";

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    vec![(PATH.to_owned(), PathItem::new(HttpMethod::Get, list()))]
}

fn list() -> OperationBuilder {
    let operation = operation(
        TAG,
        "listEvents",
        "What happened",
        "The events after a cursor, in order. Whoever goes on with `next_cursor` each time sees \
         every event exactly once, those of one posting in the order of its changes. A page may be \
         short, or even empty, before the end: the end is an empty page whose `next_cursor` is the \
         `after` that was sent. Unknown and repeated parameters are refused.",
    )
    .securities(Some(requires(READERS)))
    .parameter(
        parameter(
            ParameterIn::Query,
            "after",
            &format!(
                "The `next_cursor` of the page before, an event's `id`, the \
                 `Posthaste-Events-Cursor` of an export, or `{LATEST}` for what happens from now \
                 on. Without it, from the oldest event that is kept."
            ),
            string("An opaque position.").min_length(Some(1)),
        )
        .example(Some(json!(LATEST))),
    )
    .parameter(integer(
        "limit",
        "How many events a page has at most.",
        (1, MAX_LIMIT),
        DEFAULT_LIMIT,
    ))
    .parameter(
        parameter(
            ParameterIn::Query,
            "types",
            "Only events of these types, separated by commas.",
            ArrayBuilder::new()
                .items(reference("EventType"))
                .min_items(Some(1)),
        )
        .style(Some(ParameterStyle::Form))
        .explode(Some(false)),
    )
    .parameter(integer(
        "wait",
        "How many seconds to hold the answer while there is no event.",
        (0, MAX_WAIT),
        0,
    ))
    .response(
        "200",
        with_header(
            with_header(ok::<EventPageAnswer>("A page of events."), "Cache-Control"),
            REPLICA_LAG,
        ),
    );
    with_errors(operation, &[ALL, &[&EVENTS_GONE]])
}
