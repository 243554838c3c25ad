//! The errors of bearer authentication (RFC 6750 §3) and of the token endpoint (RFC 6749 §5.2).

use std::{borrow::Cow, num::NonZeroU32};

use access::Scope;
use actix_web::{
    ResponseError as _,
    http::{
        StatusCode,
        header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use fields::suggest;
use tokens::TokenFault;

use crate::error::{ApiError, RETRY_UNAVAILABLE};

const REALM: &str = "posthaste";
const MAX_SHOWN: usize = 64;

/// Why a request is not authorised. The texts contain no quotation marks: a header quotes them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    #[error("Authentication is required: send an access token as Authorization: Bearer TOKEN.")]
    Missing,
    #[error("There is more than one Authorization header.")]
    Ambiguous,
    #[error(transparent)]
    Invalid(TokenFault),
    #[error(
        "This client may send {per_minute} requests a minute. Retry after the seconds in \
         Retry-After."
    )]
    Limited {
        per_minute: NonZeroU32,
        retry_after: u64,
    },
    #[error("The access token lacks the scope {}.", any_of(.0))]
    InsufficientScope(Vec<Scope>),
    #[error("The client no longer has the scope {}.", any_of(.0))]
    WithdrawnScope(Vec<Scope>),
    #[error("The access token cannot be checked at the moment. Retry.")]
    Unavailable,
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let answer = |status| Self::new(status, error.to_string());
        let status = match error {
            AuthError::Missing | AuthError::Invalid(_) => StatusCode::UNAUTHORIZED,
            AuthError::Ambiguous => StatusCode::BAD_REQUEST,
            AuthError::InsufficientScope(_) | AuthError::WithdrawnScope(_) => StatusCode::FORBIDDEN,
            AuthError::Limited { retry_after, .. } => {
                return answer(StatusCode::TOO_MANY_REQUESTS).with_header(RETRY_AFTER, retry_after);
            }
            AuthError::Unavailable => {
                return answer(StatusCode::SERVICE_UNAVAILABLE)
                    .with_header(RETRY_AFTER, RETRY_UNAVAILABLE);
            }
        };
        match HeaderValue::try_from(challenge(&error)) {
            Ok(challenge) => answer(status).with_header(WWW_AUTHENTICATE, challenge),
            Err(_) => answer(status),
        }
    }
}

/// The value of `WWW-Authenticate` (RFC 6750 §3). If there was no token, it has no error code.
fn challenge(error: &AuthError) -> String {
    let (code, scope) = match error {
        AuthError::Missing | AuthError::Limited { .. } | AuthError::Unavailable => {
            return format!("Bearer realm=\"{REALM}\"");
        }
        AuthError::Ambiguous => ("invalid_request", None),
        AuthError::Invalid(_) => ("invalid_token", None),
        AuthError::InsufficientScope(scopes) | AuthError::WithdrawnScope(scopes) => {
            ("insufficient_scope", scopes.first())
        }
    };
    let scope = scope.map_or_else(String::new, |scope| format!(", scope=\"{scope}\""));
    format!("Bearer realm=\"{REALM}\", error=\"{code}\", error_description=\"{error}\"{scope}")
}

fn any_of(scopes: &[Scope]) -> String {
    names_of(scopes).join(" or ")
}

fn names_of(scopes: &[Scope]) -> Vec<&'static str> {
    scopes.iter().copied().map(Scope::as_str).collect()
}

const INVALID_REQUEST: &str = "invalid_request";
/// This code is from RFC 6749 §4.1.2.1, because §5.2 has none for temporary failures.
const TEMPORARILY_UNAVAILABLE: &str = "temporarily_unavailable";

impl ApiError {
    pub fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
        Self::bad_request(description).with_code(INVALID_REQUEST)
    }

    pub fn invalid_client(description: &'static str) -> Self {
        let challenge = format!("Basic realm=\"{REALM}\"");
        let error = Self::new(StatusCode::UNAUTHORIZED, description).with_code("invalid_client");
        match HeaderValue::try_from(challenge) {
            Ok(challenge) => error.with_header(WWW_AUTHENTICATE, challenge),
            Err(_) => error,
        }
    }

    pub fn unsupported_grant_type() -> Self {
        Self::bad_request("The only supported grant_type is client_credentials.")
            .with_code("unsupported_grant_type")
    }

    pub fn invalid_scope(asked: &str, has: &[Scope]) -> Self {
        // The characters that RFC 6749 §5.2 allows in a description.
        let is_shown = |c: &char| matches!(c, ' '..='~') && !['"', '\\'].contains(c);
        let shown: String = asked.chars().filter(is_shown).take(MAX_SHOWN).collect();
        let names = Scope::ALL.iter().map(|scope| scope.as_str());
        let problem = match (Scope::parse(asked), suggest::nearest(asked, names)) {
            (Some(_), _) => "is not one of the client's".to_owned(),
            (None, Some(nearest)) => format!("is unknown (is '{nearest}' meant?)"),
            (None, None) => "is unknown".to_owned(),
        };
        let has = names_of(has).join(", ");
        let description = format!("The scope '{shown}' {problem}; the client has: {has}.");
        Self::bad_request(description).with_code("invalid_scope")
    }

    pub fn post_alone() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "Use the method POST.")
            .with_header(ALLOW, HeaderValue::from_static("POST"))
            .with_code(INVALID_REQUEST)
    }

    pub fn of_token_body(self) -> Self {
        match self.status_code() {
            StatusCode::REQUEST_TIMEOUT => Self::invalid_request(self.message().to_owned()),
            _ => self.with_code(INVALID_REQUEST),
        }
    }

    pub fn no_token(description: &'static str) -> Self {
        Self::unavailable(description, RETRY_UNAVAILABLE).with_code(TEMPORARILY_UNAVAILABLE)
    }

    pub fn limited(per_minute: NonZeroU32, retry_after: u64) -> Self {
        let limited = AuthError::Limited {
            per_minute,
            retry_after,
        };
        Self::from(limited).with_code(TEMPORARILY_UNAVAILABLE)
    }

    pub fn not_granted() -> Self {
        Self::internal(&"the grant was not carried out").with_code("server_error")
    }
}
