//! Security schemes and requirements.

use access::Scope;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, ClientCredentials, Flow, HttpAuthScheme, HttpBuilder, OAuth2, Scopes,
    SecurityRequirement, SecurityScheme,
};

use crate::{oauth::TOKEN_PATH, subscriber};

const OAUTH2: &str = "oauth2";
const BEARER: &str = "bearer";
/// HTTP Basic with a client's credentials, only at the token endpoint.
pub const BASIC: &str = "basic";
/// A delivery's signature, only at the webhook.
pub const SIGNATURE: &str = "signature";

/// Requires any one of the scopes.
pub fn requires(scopes: &[Scope]) -> Vec<SecurityRequirement> {
    let by_scope = scopes
        .iter()
        .map(|scope| SecurityRequirement::new(OAUTH2, [scope.as_str()]));
    by_scope
        .chain([SecurityRequirement::new(BEARER, [""; 0])])
        .collect()
}

/// Requires nothing. An absent list would mean the document's default.
pub const NONE: [SecurityRequirement; 0] = [];

/// The security schemes as components.
pub fn schemes() -> [(&'static str, SecurityScheme); 4] {
    let scopes = Scopes::from_iter(Scope::ALL.map(|scope| (scope.as_str(), meaning(scope))));
    [
        (
            OAUTH2,
            SecurityScheme::OAuth2(OAuth2::with_description(
                [Flow::ClientCredentials(ClientCredentials::new(
                    TOKEN_PATH, scopes,
                ))],
                "OAuth 2.0 client credentials (RFC 6749 §4.4).",
            )),
        ),
        (
            BEARER,
            SecurityScheme::Http(
                HttpBuilder::new()
                    .scheme(HttpAuthScheme::Bearer)
                    .bearer_format("JWT")
                    .description(Some("A token from `/oauth/token`."))
                    .build(),
            ),
        ),
        (
            BASIC,
            SecurityScheme::Http(
                HttpBuilder::new()
                    .scheme(HttpAuthScheme::Basic)
                    .description(Some("The client's id and secret, only at `/oauth/token`."))
                    .build(),
            ),
        ),
        (
            SIGNATURE,
            SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
                subscriber::SIGNATURE,
                "The HMAC-SHA256 of the body's bytes with the webhook's secret, in lower-case \
                 hex, only at the webhook.",
            ))),
        ),
    ]
}

const fn meaning(scope: Scope) -> &'static str {
    match scope {
        Scope::JobPostingsWrite => "Push postings, and read them.",
        Scope::JobPostingsRead => "Read postings.",
        Scope::NewsletterSubscribersWrite => "Report newsletter subscribers, and read them.",
        Scope::WebhooksManage => "Manage webhooks.",
    }
}
