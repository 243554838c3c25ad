//! The published key set (RFC 7517) and the authorization server metadata (RFC 8414).

use std::sync::Arc;

use access::Scope;
use actix_web::{HttpResponse, http::header::CACHE_CONTROL, web::Data};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;
use tokens::Key;
use utoipa::ToSchema;

use super::{
    authorizer::Authorizer,
    token::{self, GRANT_TYPE},
};
use views::view;

pub(crate) const JWKS_PATH: &str = "/.well-known/jwks.json";
pub(crate) const METADATA_PATH: &str = "/.well-known/oauth-authorization-server";

/// `Cache-Control` of the key set. A new key is listed within seconds, and signs after 30 seconds.
/// A cached copy must expire in between.
const JWKS_CACHING: &str = "public, max-age=20";
const METADATA_CACHING: &str = "public, max-age=300";

/// The public keys that verify tokens.
#[derive(Serialize, ToSchema)]
pub(crate) struct JwkSet {
    keys: Vec<Jwk>,
}

view! {
    /// A public key (RFC 7517).
    #[derive(Serialize, ToSchema)]
    struct Jwk(key: &Key, coordinates: (&[u8], &[u8])) {
        /// The key type.
        #[schema(extensions(("const" = json!("EC"))))]
        kty: &'static str = "EC",
        /// The curve.
        #[schema(extensions(("const" = json!("P-256"))))]
        crv: &'static str = "P-256",
        /// The x coordinate, base64url.
        x: String = URL_SAFE_NO_PAD.encode(coordinates.0),
        /// The y coordinate, base64url.
        y: String = URL_SAFE_NO_PAD.encode(coordinates.1),
        /// The key id, as in the header of a token.
        kid: String = key.id().to_string(),
        /// The algorithm.
        #[schema(extensions(("const" = json!("ES256"))))]
        alg: &'static str = "ES256",
        /// The use of the key.
        #[serde(rename = "use")]
        #[schema(extensions(("const" = json!("sig"))))]
        purpose: &'static str = "sig",
    }
}

view! {
    /// The metadata of RFC 8414.
    #[derive(Serialize, ToSchema)]
    #[schema(as = AuthorizationServer)]
    pub(crate) struct Metadata(own: &str) {
        /// The issuer of the tokens.
        #[schema(format = "uri")]
        issuer: String = own.to_owned(),
        /// The token endpoint.
        #[schema(format = "uri")]
        token_endpoint: String = address(own, token::PATH),
        /// The address of the key set.
        #[schema(format = "uri")]
        jwks_uri: String = address(own, JWKS_PATH),
        /// The supported grant types.
        grant_types_supported: Vec<&'static str> = vec![GRANT_TYPE],
        /// Empty: there is no authorization endpoint.
        response_types_supported: Vec<&'static str> = Vec::new(),
        /// The supported scopes.
        scopes_supported: Vec<&'static str> =
            Scope::ALL.iter().map(|scope| scope.as_str()).collect(),
        /// The supported methods of client authentication.
        token_endpoint_auth_methods_supported: Vec<&'static str> =
            vec!["client_secret_basic", "client_secret_post"],
    }
}

fn address(issuer: &str, path: &str) -> String {
    format!("{}{path}", issuer.trim_end_matches('/'))
}

pub(super) async fn jwks(authorizer: Data<Authorizer>) -> HttpResponse {
    let keys = authorizer.keys().current();
    let of = |key: &Arc<Key>| Some(Jwk::new(key, key.coordinates()?));
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, JWKS_CACHING))
        .json(JwkSet {
            keys: keys.keys().iter().filter_map(of).collect(),
        })
}

pub(super) async fn metadata(authorizer: Data<Authorizer>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, METADATA_CACHING))
        .json(Metadata::new(&authorizer.tokens.issuer))
}
