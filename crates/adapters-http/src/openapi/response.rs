//! Builders for responses and their headers.

use actix_web::{HttpResponse, body::MessageBody as _};
use kernel::{PutOutcome, Status};
use serde_json::Value;
use utoipa::{
    ToSchema,
    openapi::{
        Content, ContentBuilder, Header, ObjectBuilder, PathItem, Ref, RefOr, ResponseBuilder,
        Type, header::HeaderBuilder,
    },
};

use super::job_posting;
use crate::{
    import::ImportLine,
    posting::{JSON_LD, NDJSON},
    replica::REPLICA_LAG,
    request_id,
    schema::{Answer, one_of, reference},
};

const JSON: &str = "application/json";
const X_REQUEST_ID: &str = "X-Request-Id";
/// The headers of answers to a client that has a limit.
pub const LIMIT: [&str; 2] = ["RateLimit-Policy", "RateLimit"];
/// The header that says which preferences were honoured.
pub const PREFERENCE_APPLIED: &str = "Preference-Applied";
/// The tag of an answer's content.
pub const ETAG: &str = "ETag";

/// A successful response with this body.
pub fn ok<A: Answer>(description: &str) -> ResponseBuilder {
    let example = serde_json::to_value(A::example()).ok();
    response(description).content(JSON, content(&A::name(), example))
}

/// A success with any number of such lines.
pub fn lines<A: Answer>(description: &str) -> ResponseBuilder {
    let example = serde_json::to_value(A::example()).ok();
    response(description).content(NDJSON, content(&A::name(), example))
}

/// The content of an answer in JSON-LD, with its type.
pub fn json_ld() -> (&'static str, Content) {
    (
        JSON_LD,
        content(job_posting::NAME, Some(job_posting::example())),
    )
}

/// The content of an import's answer, with its type.
pub fn receipts() -> (&'static str, Content) {
    let example = serde_json::to_value(ImportLine::example()).ok();
    (NDJSON, content(&ImportLine::name(), example))
}

/// A refusal as it is sent: its headers, and its body as the example of the schema.
pub fn refusal<Body: ToSchema>(description: &str, sent: HttpResponse) -> ResponseBuilder {
    let known = headers().map(|(name, _)| name);
    let has = |name: &&str| sent.headers().contains_key(*name) && *name != X_REQUEST_ID;
    let answer = known
        .into_iter()
        .filter(has)
        .fold(response(description), with_header);
    let bytes = sent.into_body().try_into_bytes().unwrap_or_default();
    let example = serde_json::from_slice(&bytes).ok();
    answer.content(JSON, content(&Body::name(), example))
}

fn content(schema: &str, example: Option<Value>) -> Content {
    ContentBuilder::new()
        .schema(Some(reference(schema)))
        .example(example)
        .build()
}

/// A response with the header that every answer has.
pub fn response(description: &str) -> ResponseBuilder {
    with_header(
        ResponseBuilder::new().description(description),
        X_REQUEST_ID,
    )
}

/// Adds a reference to a header component.
pub fn with_header(response: ResponseBuilder, name: &str) -> ResponseBuilder {
    let header = Ref::new(format!("#/components/headers/{name}"));
    response.header_ref(name, header)
}

/// A path whose operations describe the headers of limits at what is no error, if clients are
/// limited there.
pub fn with_limits(mut path: PathItem) -> PathItem {
    let methods = [
        &mut path.get,
        &mut path.put,
        &mut path.post,
        &mut path.patch,
        &mut path.delete,
    ];
    for operation in methods.into_iter().flatten() {
        let responses = &mut operation.responses.responses;
        if !responses.contains_key("429") {
            continue;
        }
        for (status, response) in responses {
            if let RefOr::T(response) = response
                && (status.starts_with('2') || status == "304")
            {
                response.headers.extend(LIMIT.map(|name| {
                    let header = Ref::new(format!("#/components/headers/{name}"));
                    (name.to_owned(), RefOr::Ref(header))
                }));
            }
        }
    }
    path
}

/// The content of an HTML page.
pub fn page() -> Content {
    ContentBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .example(Some("<!doctype html>\n<html lang=\"en\">…</html>".into()))
        .build()
}

/// The headers as components.
pub fn headers() -> [(&'static str, Header); 14] {
    let plain = || ObjectBuilder::new().schema_type(Type::String);
    let number = |least| {
        let schema = ObjectBuilder::new().schema_type(Type::Integer);
        schema.minimum(Some(least))
    };
    let headers = [
        (
            X_REQUEST_ID,
            plain().pattern(Some(request_id::PATTERN)),
            "The request's id: the client's own, or a new one.",
        ),
        (
            "WWW-Authenticate",
            plain(),
            "The authentication scheme, and the error of the token (RFC 6750 §3).",
        ),
        (
            "Retry-After",
            number(0),
            "The number of seconds after which to try again.",
        ),
        ("Cache-Control", plain(), "Who may keep the answer."),
        (
            ETAG,
            plain(),
            "The tag of the content, for `If-None-Match` (RFC 9110 §8.8.3).",
        ),
        ("Location", plain(), "Where to go on."),
        (
            "RateLimit-Policy",
            plain(),
            "The client's limit: `q` requests in `w` seconds. Absent if it has none.",
        ),
        (
            "RateLimit",
            plain(),
            "What is left of the limit: `r` requests now, and `t` seconds until all of them. \
                 Absent if there is no limit.",
        ),
        (
            "Posthaste-Outcome",
            one_of("An outcome.", PutOutcome::NAMES),
            "What the push did, or would do.",
        ),
        (
            "Posthaste-Status",
            one_of("A status.", Status::NAMES),
            "The posting's status afterwards.",
        ),
        (
            "Posthaste-Notice",
            plain(),
            "What the push left undone, at most ten notices (a list of RFC 9651): \
             `still_expired`, `still_rejected`, `taken_down`, `company_kept`, `unknown_field`. \
             The last has the parameters `field` and, if one is similar, `nearest`.",
        ),
        (
            PREFERENCE_APPLIED,
            plain(),
            "`handling=strict` if that was preferred (RFC 7240 §3).",
        ),
        (
            "Posthaste-Events-Cursor",
            plain(),
            "The cursor from which on the events have what the export has not.",
        ),
        (
            REPLICA_LAG,
            number(1),
            "By how many seconds the answer is behind, if it is read from a replica that lags.",
        ),
    ];
    headers.map(|(name, schema, description)| {
        let header = HeaderBuilder::new().schema(Some(schema));
        (name, header.description(Some(description)).build())
    })
}
