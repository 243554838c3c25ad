//! The errors that several operations share.

use std::num::NonZeroU32;

use access::Scope;
use actix_web::{
    HttpResponse, ResponseError as _,
    http::header::{HeaderMap, HeaderValue},
};
use domain::{
    posting::Rejection,
    usecase::{ImportError, IngestError},
};
use kernel::{event::LogError, validation::FieldErrors};
use utoipa::openapi::{Ref, Response, path::OperationBuilder};
use webhooks::WebhookError;

use super::response::{receipts, refusal};
use crate::{
    error::{ApiError, ErrorBody, InternalBody, ValidationBody},
    middleware,
    oauth::{AuthError, RATE_LIMIT, RATE_LIMIT_POLICY},
    posting::{WRITERS, not_acceptable},
    request_id::{RequestId, X_REQUEST_ID},
};

/// A shared error: the name of its component, its description, and an answer as the example.
pub struct SharedError {
    name: &'static str,
    description: &'static str,
    sent: fn() -> HttpResponse,
}

impl SharedError {
    /// The response.
    pub fn response(&self) -> Response {
        let sent = (self.sent)();
        let response = match sent.status().as_u16() {
            422 => refusal::<ValidationBody>(self.description, sent),
            500 => refusal::<InternalBody>(self.description, sent),
            _ => refusal::<ErrorBody>(self.description, sent),
        };
        response.build()
    }
}

/// Declares shared errors, each with an error as the example.
macro_rules! shared {
    ($($id:ident $name:literal $description:literal $error:expr;)+) => {
        $(pub const $id: SharedError = SharedError {
            name: $name,
            description: $description,
            sent: || sent($error),
        };)+

        const SHARED: &[&SharedError] = &[$(&$id),+];
    };
}

fn sent(error: impl Into<ApiError>) -> HttpResponse {
    error.into().error_response()
}

shared! {
    BAD_REQUEST "BadRequest"
        "The body is empty, not JSON, or did not arrive as announced; the path has a percent sign that \
     begins no escape; or there are two `Authorization` headers."
        ApiError::bad_request("The body is empty; it must be a JSON object.");
    UNAUTHORIZED "Unauthorized"
        "There is no token, or it is malformed, expired, revoked or not issued by this service."
        AuthError::Missing;
    FORBIDDEN "Forbidden"
        "The token has none of the required scopes."
        AuthError::InsufficientScope(vec![Scope::JobPostingsWrite]);
    FORBIDDEN_TO_PUSH "ForbiddenToPush"
        "The token has none of the required scopes; or, without `WWW-Authenticate`, the identifier \
     begins with none of the client's prefixes."
        AuthError::InsufficientScope(WRITERS.to_vec());
    NOT_FOUND "PostingNotFound"
        "There is no posting with this identifier."
        Rejection::NotFound;
    NOT_ACCEPTABLE "NotAcceptable"
        "`Accept` takes JSON-LD alone, and the posting is not approved."
        not_acceptable();
    EVENTS_GONE "EventsGone"
        "Events after this cursor were deleted, or the service was restored from a backup that does not \
     have this cursor. Take a new export and go on from its cursor."
        LogError::Gone;
    WEBHOOK_NOT_FOUND "WebhookNotFound"
        "There is no such webhook, or it is another client's."
        WebhookError::NotFound;
    TOO_MANY_WEBHOOKS "TooManyWebhooks"
        "The client has as many webhooks as it may have."
        WebhookError::TooMany;
    WEBHOOK_EVENT_NOT_FOUND "WebhookEventNotFound"
        "There is no such webhook, or it is another client's; or there is no such event, it is no longer \
     kept, or the client may not see it."
        WebhookError::EventNotFound;
    TOO_MANY_WAITING "TooManyWaiting"
        "As many events wait for the webhook as may wait."
        WebhookError::TooManyWaiting;
    CATALOGUE_NOT_FOUND "CatalogueNotFound"
        "The client has no catalogue of this name."
        ApiError::no_such_catalogue();
    IMPORT_RUNNING "ImportRunning"
        "Another import or undo of this catalogue is running, or the client has as many catalogues as it \
     may have."
        ImportError::Running(30);
    SUBSCRIBER_NOT_FOUND "SubscriberNotFound"
        "Nobody with this address has been reported."
        ApiError::no_such_subscriber();
    BAD_SIGNATURE "BadSignature"
        "There is no signature, it is malformed, or it does not match the body and a configured secret."
        ApiError::bad_signature();
    TIMEOUT "RequestTimeout"
        "The body did not arrive in time."
        ApiError::body_too_slow();
    TOO_LARGE "PayloadTooLarge"
        "The body is larger than the limit."
        ApiError::body_too_large(1 << 20);
    UNSUPPORTED "UnsupportedMediaType"
        "The body is not declared as uncompressed `application/json`."
        ApiError::unsupported_encoding();
    UNSUPPORTED_IMPORT "UnsupportedImport"
        "The body is declared as something else than `application/x-ndjson`, or has an unknown encoding."
        ApiError::unsupported_media_type("Content-Type must be application/x-ndjson.");
    INVALID "Invalid"
        "Parameters or fields are invalid, by themselves or together with the stored values. Nothing \
         was changed."
        ApiError::invalid(FieldErrors::one("company.name", "is required"));
    NEEDS_HTTP_1_1 "HttpVersionNotSupported"
        "The request came by HTTP/1.0, in which the end of the answer cannot be told from a break."
        ApiError::needs_http_1_1();
    UNAVAILABLE "Unavailable"
        "The service cannot answer at the moment. Try again after `Retry-After`; repeating is safe."
        IngestError::Overloaded;
}

pub const LIMITED: SharedError = SharedError {
    name: "TooManyRequests",
    description: "The client has used up its requests of this minute, or has too many exports, waits for events \
     or calls of receivers under way. Try again after `Retry-After`.",
    sent: || {
        let limited = AuthError::Limited {
            per_minute: NonZeroU32::MIN.saturating_add(599),
            retry_after: 1,
        };
        let mut answer = ApiError::from(limited).error_response();
        used_up(answer.headers_mut());
        answer
    },
};

pub const INTERNAL: SharedError = SharedError {
    name: "InternalError",
    description: "An internal error of the service.",
    sent: || {
        let id = HeaderValue::from_static("0190a1b2-0000-7000-8000-000000000000");
        let headers = HeaderMap::from_iter([(X_REQUEST_ID, id)]);
        middleware::internal(&RequestId::of(&headers), false)
    },
};

/// The errors of every operation of a client.
pub const ALL: &[&SharedError] = &[
    &UNAUTHORIZED,
    &FORBIDDEN,
    &INVALID,
    &LIMITED,
    &INTERNAL,
    &UNAVAILABLE,
];
/// The further errors of an operation with a body.
pub const WRITING: &[&SharedError] = &[&TIMEOUT, &TOO_LARGE, &UNSUPPORTED];

/// Adds the headers of a limit that is used up, as an example.
pub fn used_up(headers: &mut HeaderMap) {
    let (policy, left) = ("\"client\";q=600;w=60", "\"client\";r=0;t=60");
    for (name, value) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, left)] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The shared errors as components.
pub fn responses() -> impl Iterator<Item = (&'static str, Response)> {
    let others = [&LIMITED, &INTERNAL];
    let all = SHARED.iter().copied().chain(others);
    all.map(|error| (error.name, error.response()))
}

/// Adds errors that an import may also have after lines were taken: then the answer has receipts.
pub fn with_incomplete(
    operation: OperationBuilder,
    errors: &[&[&SharedError]],
) -> OperationBuilder {
    let errors = errors.iter().copied().flatten();
    errors.fold(operation, |operation, error| {
        let status = (error.sent)().status();
        let mut response = error.response();
        let (lines, content) = receipts();
        response.content.insert(lines.to_owned(), content.into());
        operation.response(status.as_str(), response)
    })
}

/// Adds shared errors to an operation's responses.
pub fn with_errors(operation: OperationBuilder, errors: &[&[&SharedError]]) -> OperationBuilder {
    errors
        .iter()
        .copied()
        .flatten()
        .fold(operation, |operation, error| {
            let status = (error.sent)().status();
            operation.response(status.as_str(), Ref::from_response_name(error.name))
        })
}
