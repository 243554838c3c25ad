//! The operations of the service itself.

use utoipa::openapi::{
    Content, HttpMethod, ObjectBuilder, PathItem, Type, path::OperationBuilder,
    schema::AdditionalProperties,
};

use super::{
    errors::{INTERNAL, UNAVAILABLE, with_errors},
    response::{ok, response},
};
use crate::schema::{Named, object, one_of, with_all};

/// The tag of these operations.
pub const TAG: &str = "Service";

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    let healthz =
        get("getHealth", "Whether the process lives").response("200", ok("It does.", "Health"));
    let readyz = get("getReadiness", "Whether the service can do its work")
        .description(Some(
            "The store can be reached, its schema is current, and tokens can be signed.",
        ))
        .response("200", ok("It can.", "Health"));
    let document = get("getOpenApi", "This document").response(
        "200",
        response("The document, OpenAPI 3.1.")
            .content("application/json", Content::new(Some(open_object())))
            .build(),
    );
    let docs = get("getDocs", "This document for people").response(
        "200",
        response("Swagger UI.")
            .content(
                "text/html",
                Content::new(Some(ObjectBuilder::new().schema_type(Type::String))),
            )
            .build(),
    );
    let item = |operation| PathItem::new(HttpMethod::Get, operation);
    vec![
        (
            "/healthz".to_owned(),
            item(with_errors(healthz, &[&INTERNAL])),
        ),
        (
            "/readyz".to_owned(),
            item(with_errors(readyz, &[&INTERNAL, &UNAVAILABLE])),
        ),
        (
            "/api/openapi.json".to_owned(),
            item(with_errors(document, &[&INTERNAL])),
        ),
        ("/docs".to_owned(), item(with_errors(docs, &[&INTERNAL]))),
    ]
}

fn get(id: &str, summary: &str) -> OperationBuilder {
    OperationBuilder::new()
        .tag(TAG)
        .operation_id(Some(id))
        .summary(Some(summary))
}

fn open_object() -> ObjectBuilder {
    object("An OpenAPI document.").additional_properties(Some(AdditionalProperties::FreeForm(true)))
}

/// The schemas of the answers.
pub fn schemas() -> Vec<Named> {
    let health = with_all(
        object("All is well."),
        [("status", one_of("How it is.", &["ok"]))],
    );
    vec![("Health", health.into())]
}
