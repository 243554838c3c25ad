//! OAuth 2.0: tokens for clients (RFC 6749 §4.4), and who may do what with one (RFC 6750).
//!
//! oxide-auth drives both flows (`grant`); what it leaves to the transport, or does otherwise
//! than the RFCs say, is settled around it in `token` and `bearer`. Tokens are ES256-signed
//! JWTs (`jwt`) by the keys of a folder (`keys`), so every process checks them by itself;
//! only whether their client was revoked is asked of the store (`clients`).

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
    secret::random_bytes,
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
