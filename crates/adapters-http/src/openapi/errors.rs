//! The errors of operations, as they are sent.

use std::num::NonZeroU32;

use access::Scope;
use actix_web::{
    HttpResponse, ResponseError as _,
    body::MessageBody as _,
    http::header::{HeaderMap, HeaderValue},
};
use domain::{
    posting::Rejection,
    usecase::{ImportError, IngestError, ModerationError, Refused},
};
use fields::validation::FieldErrors;
use http_server::{RequestId, X_REQUEST_ID};
use kernel::event::LogError;
use serde::de::Error as _;
use serde_json::{Map, Value, json};
use webhooks::WebhookError;

use crate::{accept::PROBLEM, error::ApiError, middleware, oauth::AuthError, problem::Problem};

pub const LIMIT: [&str; 2] = ["RateLimit-Policy", "RateLimit"];
const HEADERS: [&str; 3] = ["WWW-Authenticate", "Retry-After", "Cache-Control"];

/// An error with its name, description and an example answer. Errors with capitalised names are
/// components of the document.
pub struct SharedError {
    name: &'static str,
    description: &'static str,
    sent: fn() -> HttpResponse,
}

macro_rules! errors {
    ($($name:literal $description:literal $sent:expr;)+) => {
        const ERRORS: &[SharedError] = &[$(SharedError {
            name: $name,
            description: $description,
            sent: || $sent,
        }),+];
    };
}

errors! {
    "BadRequest"
        "The body is empty, not JSON, or did not arrive as announced; the path has a percent sign that \
     begins no escape; or there are two `Authorization` headers."
        sent(ApiError::bad_request("The body is empty; it must be a JSON object."));
    "Unauthorized"
        "There is no token, or it is malformed, expired, revoked or not issued by this service."
        sent(AuthError::Missing);
    "Forbidden"
        "The token has none of the required scopes."
        sent(AuthError::InsufficientScope(vec![Scope::JobPostingsWrite]));
    "ForbiddenToPush"
        "The token has none of the required scopes; or, without `WWW-Authenticate`, the identifier \
     begins with none of the client's prefixes."
        sent(AuthError::InsufficientScope(Scope::WRITERS.to_vec()));
    "PostingNotFound"
        "There is no posting with this identifier."
        sent(Rejection::NotFound);
    "ReportNotFound"
        "There is no such report, or it is about a posting that the client may not see."
        sent(ApiError::no_such_report());
    "Objected"
        "The client has already objected to the decision."
        sent(ApiError::from(ModerationError::from(Refused::Repeated)));
    "NotAcceptable"
        "`Accept` allows only JSON-LD, and the posting is not approved."
        sent(ApiError::not_acceptable());
    "EventsGone"
        "Events after this cursor were deleted, or the service was restored from a backup that does not \
     have this cursor. Take a new export and continue from its cursor."
        sent(LogError::Gone);
    "WebhookNotFound"
        "There is no such webhook, or it is another client's."
        sent(WebhookError::NotFound);
    "TooManyWebhooks"
        "The client has reached its limit of webhooks."
        sent(WebhookError::TooMany);
    "WebhookEventNotFound"
        "There is no such webhook, or it is another client's; or there is no such event, it is no longer \
     kept, or the client may not see it."
        sent(WebhookError::EventNotFound);
    "TooManyWaiting"
        "The webhook has reached its limit of waiting events."
        sent(WebhookError::TooManyWaiting);
    "CatalogueNotFound"
        "The client has no catalogue of this name."
        sent(ApiError::no_such_catalogue());
    "ImportRunning"
        "Another import or undo of this catalogue is running, or the client has reached its limit of \
     catalogues."
        sent(ImportError::Running(30));
    "SubscriberNotFound"
        "No person with this address was reported."
        sent(ApiError::no_such_subscriber());
    "BadSignature"
        "There is no signature, it is malformed, or it does not match the body and a configured secret."
        sent(ApiError::bad_signature());
    "RequestTimeout"
        "The body did not arrive in time."
        sent(ApiError::body_too_slow());
    "PayloadTooLarge"
        "The body is larger than the limit."
        sent(ApiError::body_too_large(1 << 20));
    "UnsupportedMediaType"
        "The body is not declared as uncompressed `application/json`."
        sent(ApiError::unsupported_encoding());
    "UnsupportedImport"
        "The body is not declared as `application/x-ndjson`, or has an unknown encoding."
        sent(ApiError::unsupported_media_type("Content-Type must be application/x-ndjson."));
    "Invalid"
        "Parameters or fields are invalid, by themselves or together with the stored values. Nothing \
         was changed."
        sent(ApiError::invalid(FieldErrors::one("company.name", "is required")));
    "HttpVersionNotSupported"
        "The request used HTTP/1.0, which cannot distinguish a complete answer from a broken one."
        sent(ApiError::needs_http_1_1());
    "Unavailable"
        "The service cannot answer at the moment, or its memory is used up. Retry after `Retry-After`; this is safe."
        sent(IngestError::Overloaded);
    "TooManyRequests"
        "The client has used up its requests of this minute, or has too many requests, exports, waits \
     for events or calls of receivers under way. Retry after `Retry-After`."
        sent(AuthError::Limited { per_minute: limit(), retry_after: 1 });
    "InternalError"
        "An internal error of the service."
        {
            let id = HeaderValue::from_static("0190a1b2-0000-7000-8000-000000000000");
            let headers = HeaderMap::from_iter([(X_REQUEST_ID, id)]);
            middleware::internal(&RequestId::of(&headers), false)
        };

    "unknown_link"
        "No person has this token."
        sent(ApiError::no_such_token());
    "links_off"
        "The service cannot answer at the moment, or the new account is not configured yet."
        sent(ApiError::links_off());
    "invalid_request"
        "`invalid_request`, `unsupported_grant_type` or `invalid_scope` (RFC 6749 §5.2)."
        sent(ApiError::invalid_scope("job-postings:wirte", &[Scope::JobPostingsWrite]));
    "invalid_client"
        "`invalid_client`: the client is unknown or revoked, or the secret is wrong."
        sent(ApiError::invalid_client("Unknown client, or wrong client secret."));
    "form_too_large"
        "The form is too large."
        sent(ApiError::body_too_large(16 * 1024).of_token_body());
    "form_compressed"
        "The form is compressed."
        sent(ApiError::unsupported_encoding().of_token_body());
    "limited"
        "`temporarily_unavailable`: the client has used up its requests of this minute."
        sent(ApiError::limited(limit(), 1));
    "unavailable"
        "`temporarily_unavailable`: the client cannot be checked at the moment."
        sent(ApiError::no_token("The client cannot be checked at the moment."));
}

fn sent(error: impl Into<ApiError>) -> HttpResponse {
    error.into().error_response()
}

const fn limit() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(599)
}

impl SharedError {
    pub fn find(name: &str) -> serde_json::Result<&'static Self> {
        let found = ERRORS.iter().find(|error| error.name == name);
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
    let shared = ERRORS
        .iter()
        .filter(|error| error.name.starts_with(char::is_uppercase));
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
