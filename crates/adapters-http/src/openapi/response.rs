//! Answers and their headers.

use utoipa::openapi::{
    Content, Header, ObjectBuilder, Ref, Response, ResponseBuilder, Type, header::HeaderBuilder,
};

use crate::{request_id, schema::reference};

const X_REQUEST_ID: &str = "X-Request-Id";

/// A finished answer.
pub fn ok(description: &str, schema: &str) -> Response {
    json_response(description, schema).build()
}

/// An answer of JSON with a schema of the components.
pub fn json_response(description: &str, schema: &str) -> ResponseBuilder {
    response(description).content("application/json", Content::new(Some(reference(schema))))
}

/// An answer, with the header that every answer has.
pub fn response(description: &str) -> ResponseBuilder {
    ResponseBuilder::new()
        .description(description)
        .header_ref(X_REQUEST_ID, header_ref(X_REQUEST_ID))
}

/// A header among the components.
pub fn header_ref(name: &str) -> Ref {
    Ref::new(format!("#/components/headers/{name}"))
}

/// The headers as components.
pub fn headers() -> [(&'static str, Header); 5] {
    let header = |schema: ObjectBuilder, description: &str| {
        HeaderBuilder::new()
            .schema(Some(schema))
            .description(Some(description))
            .build()
    };
    let plain = || ObjectBuilder::new().schema_type(Type::String);
    [
        (
            X_REQUEST_ID,
            header(
                plain().pattern(Some(request_id::PATTERN)),
                "The request's id: the client's own, or a new one.",
            ),
        ),
        (
            "WWW-Authenticate",
            header(
                plain(),
                "How to authenticate; what is wrong with the token (RFC 6750 §3).",
            ),
        ),
        (
            "Retry-After",
            header(
                ObjectBuilder::new()
                    .schema_type(Type::Integer)
                    .minimum(Some(0)),
                "After how many seconds to try again.",
            ),
        ),
        ("Cache-Control", header(plain(), "Who may keep the answer.")),
        ("Location", header(plain(), "Where to go on.")),
    ]
}
