//! `POST /oauth/token`: an access token for a client's own credentials (RFC 6749 §4.4).

use std::time::Duration;

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse, ResponseError as _,
    body::{BodyStream, to_bytes_limited},
    http::header::{CACHE_CONTROL, PRAGMA},
    web::{Bytes, Data, Payload},
};
use http_server::Connection;
use metrics::{Unit, counter, describe_counter};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    authorizer::Authorizer,
    context::RequestContext,
    error::TokenError,
    grant,
    request::{Form, TokenRequest},
};
use crate::body;

/// The path of the token endpoint.
pub(crate) const PATH: &str = "/oauth/token";
/// The only supported grant type.
pub(super) const GRANT_TYPE: &str = "client_credentials";

/// The largest form that is read; a larger one is answered 413.
const MAX_BODY_BYTES: usize = 16 * 1024;
/// The time limit for reading the form, which happens before any authentication.
const PATIENCE: Duration = Duration::from_secs(5);
const BEARER: &str = "Bearer";
const FORM: &str = "application/x-www-form-urlencoded";
/// Not part of RFC 6749, but sent by many clients.
const JSON: &str = "application/json";
/// The metric that counts requests by outcome: `issued`, or the error code.
const REQUESTS: &str = "posthaste_token_requests_total";

/// Describes the metric of requests for a token.
pub fn describe() {
    describe_counter!(
        REQUESTS,
        Unit::Count,
        "Requests for a token by outcome: issued, or the code of the error, such as invalid_client"
    );
    for outcome in ["issued", "invalid_client"] {
        counter!(REQUESTS, "outcome" => outcome).increment(0);
    }
}

/// An access token.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenAnswer {
    /// The token, a JWT.
    #[schema(min_length = 1)]
    access_token: String,
    /// The token type: send the token as `Authorization: Bearer`.
    #[schema(extensions(("const" = json!(BEARER))))]
    token_type: &'static str,
    /// The lifetime of the token in seconds.
    #[schema(minimum = 1)]
    expires_in: i64,
    /// The granted scopes, separated by spaces.
    scope: String,
}

/// Answers a request for a token.
pub(super) async fn handle(
    request: HttpRequest,
    payload: Payload,
    authorizer: Data<Authorizer>,
) -> HttpResponse {
    let outcome = respond(&request, payload, &authorizer).await;
    let label = outcome
        .as_ref()
        .map_or_else(TokenError::label, |_| "issued");
    counter!(REQUESTS, "outcome" => label).increment(1);
    match outcome {
        Ok(response) => HttpResponse::Ok()
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((PRAGMA, "no-cache"))
            .json(response),
        Err(error) => error.error_response(),
    }
}

/// Answers every method but POST.
pub(super) async fn method_not_allowed() -> HttpResponse {
    TokenError::method_not_allowed().error_response()
}

async fn respond(
    request: &HttpRequest,
    payload: Payload,
    authorizer: &Authorizer,
) -> Result<TokenAnswer, TokenError> {
    body::expect_uncompressed(request.headers()).map_err(|_| TokenError::unsupported_encoding())?;
    if let Some(connection) = Connection::of(request) {
        connection.ask_for_body();
    }
    let body = read(payload).await?;
    let kind = request.content_type();
    let form = if kind.eq_ignore_ascii_case(FORM) {
        Form::parse(&body)?
    } else if kind.eq_ignore_ascii_case(JSON) {
        Form::parse_json(&body)?
    } else {
        return Err(TokenError::invalid_request(
            "Content-Type must be application/x-www-form-urlencoded.",
        ));
    };
    let asked = TokenRequest::new(request.headers(), &form)?;
    let notice = |client, usage| RequestContext::set(request, client, usage);
    let issued = grant::issue(authorizer, &asked, notice).await;
    let issued = issued.inspect_err(|error| {
        if error.is_of_client() {
            let credentials = asked.credentials.as_ref();
            authorizer.note_failure(credentials.map_or("", |sent| &sent.client_id));
        }
    })?;
    tracing::debug!(client_id = %issued.client_id, scope = issued.scope, "token issued");
    Ok(TokenAnswer {
        access_token: issued.token,
        token_type: BEARER,
        expires_in: authorizer.token_ttl,
        scope: issued.scope,
    })
}

async fn read(payload: Payload) -> Result<Bytes, TokenError> {
    let body = to_bytes_limited(BodyStream::new(payload.into_inner()), MAX_BODY_BYTES);
    tokio::time::timeout(PATIENCE, body)
        .await
        .map_err(|_| TokenError::invalid_request("The body did not arrive in time."))?
        .map_err(|_| TokenError::body_too_large(MAX_BODY_BYTES))?
        .map_err(|_| TokenError::invalid_request("The body ended early."))
}
