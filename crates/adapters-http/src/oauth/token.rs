//! `POST /oauth/token`: an access token for a client's own credentials (RFC 6749 §4.4).

use std::time::Duration;

use actix_web::{
    HttpMessage as _, HttpResponse, ResponseError as _,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, PRAGMA},
    },
    web::Data,
};
use metrics::counter;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    authorizer::Authorizer,
    grant,
    request::{Form, TokenRequest},
};
use crate::{
    answer::Answer,
    body::{self, Body, BodyLimit},
    context::RequestContext,
    error::ApiError,
};

pub(crate) const PATH: &str = "/oauth/token";
pub(super) const GRANT_TYPE: &str = "client_credentials";

const LIMIT: BodyLimit = BodyLimit {
    bytes: 16 * 1024,
    time: Duration::from_secs(5),
};
const BEARER: &str = "Bearer";
const FORM: &str = "application/x-www-form-urlencoded";
/// RFC 6749 does not allow JSON, but many clients send it.
const JSON: &str = "application/json";

runtime::metrics! {
    start zero;
    counter REQUESTS in Count = "posthaste_token_requests_total",
        "Requests for a token by outcome: issued, or the code of the error";
}

fn zero() {
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

pub(super) async fn handle(body: Body, authorizer: Data<Authorizer>) -> Answer {
    let outcome = respond(body, &authorizer).await;
    let label = match &outcome {
        Ok(_) => "issued",
        Err(error) => error.code().unwrap_or("server_error"),
    };
    counter!(REQUESTS, "outcome" => label).increment(1);
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((PRAGMA, "no-cache"))
        .json(outcome?))
}

pub(super) async fn method_not_allowed() -> Answer {
    Err(ApiError::post_alone())
}

async fn respond(body: Body, authorizer: &Authorizer) -> Result<TokenAnswer, ApiError> {
    let request = body.head().clone();
    body::expect_uncompressed(request.headers()).map_err(ApiError::of_token_body)?;
    let body = body.read(LIMIT).await.map_err(ApiError::of_token_body)?;
    let kind = request.content_type();
    let form = if kind.eq_ignore_ascii_case(FORM) {
        Form::parse(&body)?
    } else if kind.eq_ignore_ascii_case(JSON) {
        Form::parse_json(&body)?
    } else {
        return Err(ApiError::invalid_request(
            "Content-Type must be application/x-www-form-urlencoded.",
        ));
    };
    let asked = TokenRequest::new(request.headers(), &form)?;
    let notice = |client, usage| RequestContext::set(&request, client, usage);
    let issued = grant::issue(authorizer, &asked, notice).await;
    let issued = issued.inspect_err(|error| {
        if error.status_code() == StatusCode::UNAUTHORIZED {
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
