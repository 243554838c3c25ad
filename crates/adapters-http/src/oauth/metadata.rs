//! What others need to know: the public keys (RFC 7517) and the addresses (RFC 8414).

use actix_web::{HttpResponse, http::header::CACHE_CONTROL, web::Data};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::client::Scope;
use serde::Serialize;

use super::{
    authorizer::Authorizer,
    keys::Key,
    token::{self, GRANT_TYPE},
};

/// Where the keys are.
pub(crate) const JWKS_PATH: &str = "/.well-known/jwks.json";
/// Where the addresses are.
pub(crate) const METADATA_PATH: &str = "/.well-known/oauth-authorization-server";

/// A new key is listed 5 seconds after it was made and signs after 30: a copy of the list must
/// not last for longer than what is between.
const JWKS_CACHING: &str = "public, max-age=20";
const METADATA_CACHING: &str = "public, max-age=300";

#[derive(Serialize)]
struct JwkSet {
    keys: Vec<Jwk>,
}

#[derive(Serialize)]
struct Jwk {
    kty: &'static str,
    crv: &'static str,
    x: String,
    y: String,
    kid: String,
    alg: &'static str,
    #[serde(rename = "use")]
    purpose: &'static str,
}

impl Jwk {
    fn of(key: &Key) -> Option<Self> {
        let (x, y) = key.coordinates()?;
        Some(Self {
            kty: "EC",
            crv: "P-256",
            x: URL_SAFE_NO_PAD.encode(x),
            y: URL_SAFE_NO_PAD.encode(y),
            kid: key.id().to_string(),
            alg: "ES256",
            purpose: "sig",
        })
    }
}

#[derive(Serialize)]
struct Metadata {
    issuer: String,
    token_endpoint: String,
    jwks_uri: String,
    grant_types_supported: [&'static str; 1],
    response_types_supported: [&'static str; 0],
    scopes_supported: Vec<&'static str>,
    token_endpoint_auth_methods_supported: [&'static str; 2],
}

/// `GET /.well-known/jwks.json`
pub(super) async fn jwks(authorizer: Data<Authorizer>) -> HttpResponse {
    let keys = authorizer.keys().current(authorizer.now());
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, JWKS_CACHING))
        .json(JwkSet {
            keys: keys.keys().iter().filter_map(|key| Jwk::of(key)).collect(),
        })
}

/// `GET /.well-known/oauth-authorization-server`
pub(super) async fn metadata(authorizer: Data<Authorizer>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, METADATA_CACHING))
        .json(Metadata {
            issuer: authorizer.issuer.clone(),
            token_endpoint: authorizer.address(token::PATH),
            jwks_uri: authorizer.address(JWKS_PATH),
            grant_types_supported: [GRANT_TYPE],
            response_types_supported: [],
            scopes_supported: Scope::ALL.iter().map(|scope| scope.as_str()).collect(),
            token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        })
}
