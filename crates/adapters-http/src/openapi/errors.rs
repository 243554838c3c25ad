//! The errors of operations, as they are sent.

use access::Scope;
use actix_web::{
    body::MessageBody as _,
    http::header::{HeaderMap, HeaderValue},
};
use domain::usecase::IngestError;
use fields::validation::FieldErrors;
use http_server::{RequestId, X_REQUEST_ID};
use serde::de::Error as _;
use serde_json::{Map, Value, json};

use crate::{
    accept::PROBLEM,
    error::ApiError,
    middleware,
    oauth::AuthError,
    problem::Problem,
    section::{LIMIT_EXAMPLE, SharedError, errors},
    sections::SECTIONS,
};

pub const LIMIT: [&str; 2] = ["RateLimit-Policy", "RateLimit"];
const HEADERS: [&str; 3] = ["WWW-Authenticate", "Retry-After", "Cache-Control"];

errors! {
    "BadRequest"
        "The body is empty, not JSON, or did not arrive as announced; the path has a percent sign that \
         begins no escape; or there are two `Authorization` headers."
        ApiError::bad_request("The body is empty; it must be a JSON object.");
    "Unauthorized"
        "There is no token, or it is malformed, expired, revoked or not issued by this service."
        AuthError::Missing;
    "Forbidden"
        "The token has none of the required scopes."
        AuthError::InsufficientScope(vec![Scope::JobPostingsWrite]);
    "RequestTimeout"
        "The body did not arrive in time."
        ApiError::body_too_slow();
    "PayloadTooLarge"
        "The body is larger than the limit."
        ApiError::body_too_large(1 << 20);
    "UnsupportedMediaType"
        "The body is not declared as uncompressed `application/json`."
        ApiError::unsupported_encoding();
    "Invalid"
        "Parameters or fields are invalid, by themselves or together with the stored values. Nothing \
         was changed."
        ApiError::invalid(FieldErrors::one("company.name", "is required"));
    "Unavailable"
        "The service cannot answer at the moment, or its memory is used up. Retry after `Retry-After`; this is safe."
        IngestError::Overloaded;
    "TooManyRequests"
        "The client has used up its requests of this minute, or has too many requests, exports, waits \
         for events or calls of receivers under way. Retry after `Retry-After`."
        AuthError::Limited { per_minute: LIMIT_EXAMPLE, retry_after: 1 };
}

const INTERNAL: SharedError = SharedError {
    name: "InternalError",
    description: "An internal error of the service.",
    sent: || {
        let id = HeaderValue::from_static("0190a1b2-0000-7000-8000-000000000000");
        let headers = HeaderMap::from_iter([(X_REQUEST_ID, id)]);
        middleware::internal(&RequestId::of(&headers), false)
    },
};

/// All errors: those of many sections, and those of each section.
fn all() -> impl Iterator<Item = &'static SharedError> {
    let of_sections = SECTIONS.iter().flat_map(|section| section.errors);
    ERRORS.iter().chain([&INTERNAL]).chain(of_sections)
}

impl SharedError {
    pub fn find(name: &str) -> serde_json::Result<&'static Self> {
        let found = all().find(|error| error.name == name);
        found.ok_or_else(|| serde_json::Error::custom(format_args!("no error is called {name}")))
    }

    pub fn status(&self) -> String {
        (self.sent)().status().as_str().to_owned()
    }

    pub fn response(&self) -> Value {
        let sent = (self.sent)();
        let code = sent.status();
        let status = code.as_u16();
        let mut headers = HEADERS.to_vec();
        headers.retain(|name| sent.headers().contains_key(*name));
        headers.push("X-Request-Id");
        headers.extend(LIMIT.into_iter().filter(|_| status == 429));
        let body = sent.into_body().try_into_bytes().unwrap_or_default();
        let example: Value = serde_json::from_slice(&body).unwrap_or_default();
        let schema = match status {
            _ if example.get("error").is_some() => "TokenError",
            422 => "ValidationError",
            500 => "InternalError",
            _ => "Error",
        };
        let content = |schema: &str, example: Value| {
            let schema = format!("#/components/schemas/{schema}");
            json!({"schema": {"$ref": schema}, "example": example})
        };
        let mut response = json!({
            "description": self.description,
            "headers": header_refs(headers.into_iter()),
            "content": {"application/json": content(schema, example)},
        });
        if schema != "TokenError"
            && let Some(problem) = Problem::of(code, &body)
        {
            response["content"][PROBLEM] = content("Problem", json!(problem));
        }
        response
    }
}

pub fn responses() -> Map<String, Value> {
    let shared = all().filter(|error| error.name.starts_with(char::is_uppercase));
    shared
        .map(|error| (error.name.to_owned(), error.response()))
        .collect()
}

pub fn header_refs<'a>(names: impl Iterator<Item = &'a str>) -> Value {
    let reference = |name| json!({"$ref": format!("#/components/headers/{name}")});
    names
        .map(|name| (name.to_owned(), reference(name)))
        .collect::<Map<_, _>>()
        .into()
}
