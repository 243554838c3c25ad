//! OAuth 2.0: the client-credentials grant (RFC 6749 §4.4) and bearer tokens (RFC 6750).
//!
//! oxide-auth (`grant`) enforces the order of the grant: authenticate, bind, grant a scope, issue.
//! This module itself parses requests and writes refusals (`token`, `bearer`), because oxide-auth
//! deviates from the RFCs. Tokens are JWTs. The keys of a folder sign them, and the crate `tokens`
//! verifies them, so each process checks them on its own. Only the client is read from the store
//! (`clients`), with its current scopes, prefixes and limit (`crate::limit`).

mod authorizer;
mod bearer;
mod clients;
mod error;
mod failures;
#[cfg(fuzzing)]
pub mod fuzz;
mod grant;
mod metadata;
mod request;
mod token;

#[cfg(test)]
pub(crate) mod tests;

use access::Scope;
use actix_web::web::{self, ServiceConfig};

pub use self::{authorizer::Authorizer, bearer::Caller, error::AuthError};
pub(crate) use self::{
    metadata::{JWKS_PATH, METADATA_PATH},
    token::PATH as TOKEN_PATH,
};
use self::{
    metadata::{JwkSet, Metadata},
    token::TokenAnswer,
};
pub use crate::limit::Usage;
use crate::{
    error::ApiError,
    resource::open,
    section::{LIMIT_EXAMPLE, Section, errors, of_answer},
};

pub(crate) const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[
        of_answer::<TokenAnswer>,
        of_answer::<JwkSet>,
        of_answer::<Metadata>,
    ],
    errors: ERRORS,
};

errors! {
    "invalid_request"
        "`invalid_request`, `unsupported_grant_type` or `invalid_scope` (RFC 6749 §5.2)."
        ApiError::invalid_scope("job-postings:wirte", &[Scope::JobPostingsWrite]);
    "invalid_client"
        "`invalid_client`: the client is unknown or revoked, or the secret is wrong."
        ApiError::invalid_client("Unknown client, or wrong client secret.");
    "form_too_large"
        "The form is too large."
        ApiError::body_too_large(16 * 1024).of_token_body();
    "form_compressed"
        "The form is compressed."
        ApiError::unsupported_encoding().of_token_body();
    "limited"
        "`temporarily_unavailable`: the client has used up its requests of this minute."
        ApiError::limited(LIMIT_EXAMPLE, 1);
    "unavailable"
        "`temporarily_unavailable`: the client cannot be checked at the moment."
        ApiError::no_token("The client cannot be checked at the moment.");
}

fn routes(config: &mut ServiceConfig) {
    config
        .service(
            web::resource(token::PATH)
                .route(web::post().to(token::handle))
                .default_service(web::to(token::method_not_allowed)),
        )
        .service(open(JWKS_PATH).get(metadata::jwks))
        .service(open(METADATA_PATH).get(metadata::metadata));
}
