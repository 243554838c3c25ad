//! Whether a token opens a resource, as oxide-auth's guard sees it: time and scope.

use std::{borrow::Cow, sync::Arc};

use domain::client::Scope;
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

/// What the guard makes of a request's token.
pub(in crate::oauth) enum Verdict {
    /// The token opens this resource.
    Allowed(Arc<VerifiedToken>),
    /// The token is good, but for something else.
    WrongScope(Arc<VerifiedToken>),
    /// The token is no good.
    Invalid(TokenFault),
}

/// Whether the token opens what any one of the scopes opens. Revocation is not looked at.
pub(in crate::oauth) fn guard(
    authorizer: &Authorizer,
    token: &str,
    scopes: &[Scope],
    now: OffsetDateTime,
) -> Verdict {
    // For a token that the machine has let pass once it would work out the same grant again.
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
