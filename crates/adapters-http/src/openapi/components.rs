//! What the operations share: schemas, headers, ways to authorise.

use domain::client::Scope;
use utoipa::openapi::{
    Components, ComponentsBuilder, Content, Header, ObjectBuilder, Ref, Response, ResponseBuilder,
    Type,
    header::HeaderBuilder,
    security::{
        ApiKey, ApiKeyValue, ClientCredentials, Flow, HttpAuthScheme, HttpBuilder, OAuth2, Scopes,
        SecurityRequirement, SecurityScheme,
    },
};

use super::{errors, oauth, schema::reference, service};
use crate::{posting, request_id, subscriber};

const OAUTH2: &str = "oauth2";
const BEARER: &str = "bearer";
/// HTTP Basic with a client's credentials, for the token endpoint alone.
pub const BASIC: &str = "basic";
/// A delivery's signature, for the webhook alone.
pub const SIGNATURE: &str = "signature";

const X_REQUEST_ID: &str = "X-Request-Id";

/// All components of the document.
pub fn components() -> Components {
    let schemas = [
        posting::payload_schemas(),
        posting::view_schemas(),
        subscriber::payload_schemas(),
        subscriber::view_schemas(),
        subscriber::webhook_schemas(),
        subscriber::form_schemas(),
        oauth::schemas(),
        service::schemas(),
        errors::schemas(),
    ]
    .into_iter()
    .flatten();
    let components = schemas.fold(ComponentsBuilder::new(), |all, (name, schema)| {
        all.schema(name, schema)
    });
    let components = headers()
        .into_iter()
        .fold(components, |all, (name, header)| all.header(name, header));
    let components = errors::responses()
        .into_iter()
        .fold(components, |all, (name, response)| {
            all.response(name, response)
        });
    security_schemes()
        .into_iter()
        .fold(components, |all, (name, scheme)| {
            all.security_scheme(name, scheme)
        })
        .build()
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

fn headers() -> [(&'static str, Header); 5] {
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

fn security_schemes() -> [(&'static str, SecurityScheme); 4] {
    let scopes = Scopes::from_iter(Scope::ALL.map(|scope| (scope.as_str(), meaning(scope))));
    [
        (
            OAUTH2,
            SecurityScheme::OAuth2(OAuth2::with_description(
                [Flow::ClientCredentials(ClientCredentials::new(
                    oauth::TOKEN_PATH,
                    scopes,
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
                    .description(Some("The client's id and secret, at `/oauth/token` alone."))
                    .build(),
            ),
        ),
        (
            SIGNATURE,
            SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
                subscriber::SIGNATURE,
                "The HMAC-SHA256 of the body's bytes with the webhook's secret, in lower-case \
                 hex; for the webhook alone.",
            ))),
        ),
    ]
}

const fn meaning(scope: Scope) -> &'static str {
    match scope {
        Scope::JobPostingsWrite => "Push postings, and read them.",
        Scope::JobPostingsRead => "Read postings.",
        Scope::NewsletterSubscribersWrite => "Report newsletter subscribers, and read them.",
    }
}

/// Any one of the scopes will do.
pub fn requires(scopes: &[Scope]) -> Vec<SecurityRequirement> {
    let by_scope = scopes
        .iter()
        .map(|scope| SecurityRequirement::new(OAUTH2, [scope.as_str()]));
    by_scope
        .chain([SecurityRequirement::new(BEARER, [""; 0])])
        .collect()
}

/// A finished answer.
pub fn ok(description: &str, schema: &str) -> Response {
    json_response(description, schema).build()
}
