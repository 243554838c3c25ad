//! OAuth 2.0: tokens for clients (RFC 6749 §4.4), and what a client may do with one (RFC 6750).
//!
//! oxide-auth (`grant`) is trusted with the order of the client-credentials grant: nothing is
//! issued before the client is authenticated, bound and granted a scope; and, when a process sees
//! a token for the first time, with comparing its end and its scopes with what a resource needs.
//!
//! It is trusted with nothing else. The form, the credentials in it and what a refusal looks like
//! are read and written here, because oxide-auth deviates from the RFCs (`token`, `bearer`);
//! secrets are compared in constant time (`secret`), and `scope` is cut to the client's
//! (`grant::credentials`). Tokens are JWTs, signed with ES256 by the keys of a folder (`keys`):
//! what is wrong with one (`jwt`) is found before oxide-auth sees it, so every process checks
//! tokens by itself. A token that passed is remembered, and then oxide-auth is not asked again.
//! Only whether the client was revoked is asked of the store (`clients`).

mod authorizer;
mod bearer;
mod clients;
mod failures;
#[cfg(fuzzing)]
pub mod fuzz;
mod grant;
mod jwt;
mod keys;
mod metadata;
mod secret;
mod token;

#[cfg(test)]
mod tests;

use actix_web::web::{self, ServiceConfig};

pub use self::{
    authorizer::{AuthSettings, Authorizer, Clock},
    bearer::AuthError,
    jwt::TokenFault,
    keys::{Key, KeyError, KeyFolder, KeyId, KeyProblem, KeyRing, KeySet},
    secret::{ClientSecret, NoRandom},
};
pub(crate) use self::{
    metadata::{JWKS_PATH, JwkSet, METADATA_PATH, Metadata},
    token::{
        PATH as TOKEN_PATH, TokenAnswer,
        error::{TokenError, TokenErrorBody},
    },
};
use crate::routing::get_only;

/// Adds the routes. They need a [`web::Data`] of an [`Authorizer`].
pub fn routes(config: &mut ServiceConfig) {
    config
        .service(
            web::resource(token::PATH)
                .route(web::post().to(token::handle))
                .default_service(web::to(token::method_not_allowed)),
        )
        .service(get_only(JWKS_PATH, metadata::jwks))
        .service(get_only(METADATA_PATH, metadata::metadata));
}
