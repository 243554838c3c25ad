//! The operations of OAuth: tokens, keys and metadata.

use std::num::NonZeroU32;

use access::Scope;
use actix_web::{ResponseError as _, http::StatusCode};
use serde_json::json;
use utoipa::openapi::{
    ContentBuilder, HttpMethod, ObjectBuilder, PathItem, Required, path::OperationBuilder,
    request_body::RequestBodyBuilder, security::SecurityRequirement,
};

use super::{
    errors::{INTERNAL, used_up, with_errors},
    operation::operation,
    response::{ok, refusal, with_header},
    security::{BASIC, NONE},
};
use crate::{
    oauth::{
        JWKS_PATH, JwkSet, METADATA_PATH, Metadata, TOKEN_PATH, TokenAnswer, TokenError,
        TokenErrorBody,
    },
    schema::{Answer, Named, format, object, one_of, reference, string},
};

/// The tag of these operations.
pub const TAG: &str = "OAuth";

const FORM: &str = "application/x-www-form-urlencoded";

/// The paths with their operations.
pub fn paths() -> Vec<(String, PathItem)> {
    vec![
        (
            TOKEN_PATH.to_owned(),
            PathItem::new(HttpMethod::Post, token()),
        ),
        (
            JWKS_PATH.to_owned(),
            get::<JwkSet>(
                "getJwks",
                "The keys that verify tokens",
                "Tokens are JWTs by RFC 9068, signed with ES256.",
            ),
        ),
        (
            METADATA_PATH.to_owned(),
            get::<Metadata>(
                "getAuthorizationServerMetadata",
                "Metadata of the authorization server",
                "The metadata of RFC 8414.",
            ),
        ),
    ]
}

fn get<A: Answer>(id: &str, summary: &str, description: &str) -> PathItem {
    let operation = operation(TAG, id, summary, description)
        .securities(Some(NONE))
        .response("200", ok::<A>(description));
    PathItem::new(HttpMethod::Get, with_errors(operation, &[&[&INTERNAL]]))
}

fn token() -> OperationBuilder {
    let content = ContentBuilder::new()
        .schema(Some(reference("TokenRequest")))
        .example(Some(json!({
            "grant_type": "client_credentials",
            "client_id": "0190a1b2-0000-7000-8000-000000000000",
            "client_secret": "YOUR_CLIENT_SECRET",
            "scope": Scope::JobPostingsWrite.as_str(),
        })))
        .build();
    let body = RequestBodyBuilder::new()
        .required(Some(Required::True))
        .content(FORM, content);
    let refusals = [
        (
            TokenError::invalid_scope("job-postings:wirte", &[Scope::JobPostingsWrite]),
            "`invalid_request`, `unsupported_grant_type` or `invalid_scope` (RFC 6749 §5.2).",
        ),
        (
            TokenError::invalid_client("Unknown client, or wrong client secret."),
            "`invalid_client`: the client is unknown or revoked, or the secret is wrong.",
        ),
        (
            TokenError::body_too_large(16 * 1024),
            "The form is too large.",
        ),
        (
            TokenError::unsupported_encoding(),
            "The form is compressed.",
        ),
        (
            TokenError::limited(NonZeroU32::MIN.saturating_add(599), 1),
            "`temporarily_unavailable`: the client has used up its requests of this minute.",
        ),
        (
            TokenError::unavailable("The client cannot be checked at the moment."),
            "`temporarily_unavailable`: the client cannot be checked at the moment.",
        ),
    ];
    let operation = operation(
        TAG,
        "createToken",
        "Get an access token",
        "The client-credentials grant of RFC 6749 §4.4. The client authenticates by HTTP \
             Basic, or by `client_id` and `client_secret` in the form. Without `scope` the token \
             gets all scopes of the client.",
    )
    // Credentials in the form (no scheme), or by HTTP Basic.
    .securities(Some([
        SecurityRequirement::default(),
        SecurityRequirement::new(BASIC, [""; 0]),
    ]))
    .request_body(Some(body.build()))
    .response(
        "200",
        with_header(ok::<TokenAnswer>("A token."), "Cache-Control"),
    );
    let operation = refusals
        .into_iter()
        .fold(operation, |operation, (error, description)| {
            let mut answer = error.error_response();
            if error.status_code() == StatusCode::TOO_MANY_REQUESTS {
                used_up(answer.headers_mut());
            }
            let refusal = refusal::<TokenErrorBody>(description, answer);
            operation.response(error.status_code().as_str(), refusal)
        });
    with_errors(operation, &[&[&INTERNAL]])
}

/// The schema of a request.
pub fn schema() -> Named {
    ("TokenRequest", token_request().into())
}

fn token_request() -> ObjectBuilder {
    object("A request for a token. A parameter may be sent once.")
        .property("grant_type", one_of("The grant.", &["client_credentials"]))
        .required("grant_type")
        .property(
            "client_id",
            string("The client's id, unless it is in the header."),
        )
        .property(
            "client_secret",
            string("The client's secret, unless it is in the header.")
                .format(Some(format("password"))),
        )
        .property(
            "scope",
            string("Scopes of the client, separated by spaces."),
        )
}
