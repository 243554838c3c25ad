//! Bearer authentication (RFC 6750): the client of a request, and whether its scopes suffice.
//!
//! Only the header is read, before a handler reads the body. Two `Authorization` headers are a bad
//! request (RFC 6750 §3.1). Tokens in the query or in the body (RFC 6750 §2.2, §2.3) are not
//! accepted.

use std::fmt;

use actix_web::http::{
    StatusCode,
    header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};
use domain::client::{ClientId, Scope};

use super::{
    authorizer::{Authorizer, REALM, RETRY_AFTER_SECONDS},
    grant::{Verdict, guard},
    jwt::TokenFault,
};
use crate::error::ApiError;

/// The reason why a request is not authorised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthError {
    /// The request has no bearer token.
    Missing,
    /// The request has more than one `Authorization` header.
    Ambiguous,
    /// The token is not accepted.
    Invalid(TokenFault),
    /// The token is valid but has none of these scopes.
    InsufficientScope(Vec<Scope>),
    /// The token's client could not be looked up.
    Unavailable,
}

impl Authorizer {
    /// Returns the client of a request with these headers if its token has any one of the scopes.
    /// List the weakest scope first: it is the one that `WWW-Authenticate` names.
    pub async fn authorize(
        &self,
        headers: &HeaderMap,
        scopes: &[Scope],
    ) -> Result<ClientId, AuthError> {
        let token = token_of(headers)?;
        let now = self.now();
        let (token, allowed) = match guard(self, token, scopes, now) {
            Verdict::Allowed(token) => (token, true),
            Verdict::WrongScope(token) => (token, false),
            Verdict::Invalid(fault) => return Err(AuthError::Invalid(fault)),
        };
        match self.states.may_act(token.client_id, now).await {
            Ok(true) if allowed => Ok(token.client_id),
            Ok(true) => Err(AuthError::InsufficientScope(scopes.to_vec())),
            Ok(false) => Err(AuthError::Invalid(TokenFault::Revoked)),
            Err(error) => {
                tracing::error!(%error, "a token's client could not be looked up");
                Err(AuthError::Unavailable)
            }
        }
    }
}

fn token_of(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION);
    let value = values.next().ok_or(AuthError::Missing)?;
    if values.next().is_some() {
        return Err(AuthError::Ambiguous);
    }
    let value = value.to_str().map_err(|_| AuthError::Missing)?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(AuthError::Missing);
    }
    Ok(token.trim_matches(' '))
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let status = match error {
            AuthError::Missing | AuthError::Invalid(_) => StatusCode::UNAUTHORIZED,
            AuthError::Ambiguous => StatusCode::BAD_REQUEST,
            AuthError::InsufficientScope(_) => StatusCode::FORBIDDEN,
            AuthError::Unavailable => {
                return Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
                    .with_header(RETRY_AFTER, RETRY_AFTER_SECONDS);
            }
        };
        let answer = Self::new(status, error.to_string());
        match HeaderValue::try_from(challenge(&error)) {
            Ok(challenge) => answer.with_header(WWW_AUTHENTICATE, challenge),
            Err(_) => answer,
        }
    }
}

/// The value of `WWW-Authenticate` (RFC 6750 §3). Without a token, it has no error code.
fn challenge(error: &AuthError) -> String {
    let (code, scope) = match error {
        AuthError::Missing | AuthError::Unavailable => return format!("Bearer realm=\"{REALM}\""),
        AuthError::Ambiguous => ("invalid_request", None),
        AuthError::Invalid(_) => ("invalid_token", None),
        AuthError::InsufficientScope(scopes) => ("insufficient_scope", scopes.first()),
    };
    let scope = scope.map_or_else(String::new, |scope| format!(", scope=\"{scope}\""));
    format!("Bearer realm=\"{REALM}\", error=\"{code}\", error_description=\"{error}\"{scope}")
}

impl fmt::Display for AuthError {
    // The texts must not contain quotes: they are quoted in a header.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str(
                "Authentication is required: send an access token as Authorization: Bearer TOKEN.",
            ),
            Self::Ambiguous => f.write_str("There is more than one Authorization header."),
            Self::Invalid(fault) => fault.fmt(f),
            Self::InsufficientScope(scopes) => {
                let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
                write!(
                    f,
                    "The access token lacks the scope {}.",
                    names.join(" or ")
                )
            }
            Self::Unavailable => {
                f.write_str("The access token cannot be checked at the moment. Try again.")
            }
        }
    }
}

impl std::error::Error for AuthError {}
