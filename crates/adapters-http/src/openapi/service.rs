//! The operations of the service itself.

use serde_json::json;
use utoipa::openapi::{
    ContentBuilder, HttpMethod, PathItem, path::OperationBuilder, schema::AdditionalProperties,
};

use super::{
    errors::{INTERNAL, UNAVAILABLE, with_errors},
    operation::{conditional, operation},
    response::{ok, page, response},
    security::NONE,
};
use crate::{health::Health, schema::object};

/// The tag of these operations.
pub const TAG: &str = "Service";

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    let healthz = get(
        "getHealth",
        "Liveness",
        "Succeeds if the process answers. Nothing else is checked.",
    )
    .response("200", ok::<Health>("The process answers."));
    let readyz = get(
        "getReadiness",
        "Readiness",
        "Succeeds if the store can be reached, its schema is current, and tokens can be signed.",
    )
    .response("200", ok::<Health>("The service is ready."));
    let schema = object("An OpenAPI document.")
        .additional_properties(Some(AdditionalProperties::FreeForm(true)));
    let content = ContentBuilder::new()
        .schema(Some(schema))
        .example(Some(
            json!({"openapi": "3.1.0", "info": {"title": "Posthaste"}}),
        ))
        .build();
    let document = response("The document, OpenAPI 3.1.").content("application/json", content);
    let operation = get(
        "getOpenApi",
        "This document",
        "The machine-readable description of this service.",
    );
    let document = conditional(operation, document);
    let guide = response("The guide.").content("text/html", page());
    let guide = get(
        "getGuide",
        "The guide",
        "A page for people who write an integration, with examples.",
    )
    .response("200", guide);
    let docs = response("Swagger UI.").content("text/html", page());
    let docs = get(
        "getDocs",
        "This document as a page",
        "A page to read the document and to try the operations.",
    )
    .response("200", docs);
    [
        ("/healthz", healthz, &[&INTERNAL][..]),
        ("/readyz", readyz, &[&INTERNAL, &UNAVAILABLE]),
        ("/api/openapi.json", document, &[&INTERNAL]),
        ("/docs", guide, &[&INTERNAL]),
        ("/docs/reference", docs, &[&INTERNAL]),
    ]
    .into_iter()
    .map(|(path, operation, errors)| {
        let operation = with_errors(operation, &[errors]);
        (path.to_owned(), PathItem::new(HttpMethod::Get, operation))
    })
    .collect()
}

fn get(id: &str, summary: &str, description: &str) -> OperationBuilder {
    operation(TAG, id, summary, description).securities(Some(NONE))
}
