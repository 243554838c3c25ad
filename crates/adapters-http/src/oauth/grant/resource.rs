//! Checks a token's expiry and scope for a resource, by oxide-auth's guard.

use std::{borrow::Cow, sync::Arc};

use access::Scope;
use oxide_auth::{
    code_grant::resource,
    primitives::{issuer::Issuer, scope::Scope as GrantScope},
};
use time::OffsetDateTime;

use super::issuer::{TokenIssuer, grant_scope};
use crate::oauth::{
    authorizer::Authorizer,
    jwt::{TokenFault, VerifiedToken},
};

/// The guard's verdict on a request's token.
pub(in crate::oauth) enum Verdict {
    /// The token is valid and has a scope of the resource.
    Allowed(Arc<VerifiedToken>),
    /// The token is valid but has no scope of the resource.
    WrongScope(Arc<VerifiedToken>),
    /// The token is not accepted.
    Invalid(TokenFault),
}

/// Checks that the token is valid and has any one of the scopes. Does not check revocation.
pub(in crate::oauth) fn guard(
    authorizer: &Authorizer,
    token: &str,
    scopes: &[Scope],
    now: OffsetDateTime,
) -> Verdict {
    // For a token that it has accepted once, oxide-auth would compute the same grant again.
    if let Some(token) = authorizer.remembered(token, now) {
        return if scopes.iter().any(|scope| token.scopes.contains(scope)) {
            Verdict::Allowed(token)
        } else {
            Verdict::WrongScope(token)
        };
    }
    let mut endpoint = GuardedResource {
        scopes: scopes
            .iter()
            .filter_map(|scope| grant_scope(&[*scope]))
            .collect(),
        issuer: TokenIssuer::new(authorizer, now),
    };
    let outcome = resource::protect(&mut endpoint, &BearerHeader(format!("Bearer {token}")));
    let recovered = endpoint.issuer.recovered.into_inner();
    match (outcome, recovered) {
        (Ok(_), Some(Ok(token))) => Verdict::Allowed(token),
        (_, Some(Err(fault))) => Verdict::Invalid(fault),
        (Err(resource::Error::AccessDenied { failure, .. }), Some(Ok(token))) => {
            match failure.code {
                Some(resource::ErrorCode::InsufficientScope) => Verdict::WrongScope(token),
                _ => Verdict::Invalid(TokenFault::Expired),
            }
        }
        (_, _) => Verdict::Invalid(TokenFault::Malformed),
    }
}

struct GuardedResource<'a> {
    scopes: Vec<GrantScope>,
    issuer: TokenIssuer<'a>,
}

impl resource::Endpoint for GuardedResource<'_> {
    fn scopes(&mut self) -> &[GrantScope] {
        &self.scopes
    }

    fn issuer(&mut self) -> &dyn Issuer {
        &self.issuer
    }
}

struct BearerHeader(String);

impl resource::Request for BearerHeader {
    fn valid(&self) -> bool {
        true
    }

    fn token(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(&self.0))
    }
}
