//! The errors of bearer authentication (RFC 6750 §3) and of the token endpoint (RFC 6749 §5.2).

use std::{borrow::Cow, num::NonZeroU32};

use access::Scope;
use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{ALLOW, CACHE_CONTROL, HeaderValue, PRAGMA, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use kernel::suggest;
use serde::Serialize;
use tokens::TokenFault;

use crate::error::{ApiError, RETRY_UNAVAILABLE};

/// The realm of both `WWW-Authenticate` challenges.
const REALM: &str = "posthaste";
/// The most characters of a scope in an error.
const MAX_SHOWN: usize = 64;

/// The reason why a request is not authorised. The texts have no quotes, as they are quoted in a
/// header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// The request has no bearer token.
    #[error("Authentication is required: send an access token as Authorization: Bearer TOKEN.")]
    Missing,
    /// The request has more than one `Authorization` header.
    #[error("There is more than one Authorization header.")]
    Ambiguous,
    /// The token is not accepted.
    #[error(transparent)]
    Invalid(TokenFault),
    /// The client has used up its limit.
    #[error(
        "This client may send {per_minute} requests a minute. Try again after the seconds of \
         Retry-After."
    )]
    Limited {
        /// The limit.
        per_minute: NonZeroU32,
        /// The seconds until the next request is taken.
        retry_after: u64,
    },
    /// The token is valid but has none of these scopes.
    #[error("The access token lacks the scope {}.", any_of(.0))]
    InsufficientScope(Vec<Scope>),
    /// The token has one of these scopes, but its client has none of them any more.
    #[error("The client no longer has the scope {}.", any_of(.0))]
    WithdrawnScope(Vec<Scope>),
    /// The token's client could not be looked up.
    #[error("The access token cannot be checked at the moment. Try again.")]
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

/// The value of `WWW-Authenticate` (RFC 6750 §3). Without a token, it has no error code.
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

/// The refusal of a token request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {description}")]
pub(crate) struct TokenError {
    status: StatusCode,
    code: &'static str,
    description: Cow<'static, str>,
    /// In how many seconds to try again.
    retry_after: Option<u64>,
}

/// An error of RFC 6749 §5.2.
#[derive(Serialize)]
struct TokenErrorBody<'a> {
    error: &'static str,
    error_description: &'a str,
    /// The same text, under the name that all errors use.
    message: &'a str,
}

impl TokenError {
    fn new(
        status: StatusCode,
        code: &'static str,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            status,
            code,
            description: description.into(),
            retry_after: None,
        }
    }

    /// The request is malformed.
    pub fn invalid_request(description: &'static str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", description)
    }

    /// The client's credentials are missing or wrong.
    pub fn invalid_client(description: &'static str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "invalid_client", description)
    }

    /// The grant type is not the only one supported.
    pub fn unsupported_grant_type() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "unsupported_grant_type",
            "The only supported grant_type is client_credentials.",
        )
    }

    /// The scope is unknown, or not one of the client's, which are these.
    pub fn invalid_scope(asked: &str, has: &[Scope]) -> Self {
        // What RFC 6749 §5.2 allows in a description.
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
        Self::new(StatusCode::BAD_REQUEST, "invalid_scope", description)
    }

    /// The body is too large.
    pub fn body_too_large(limit: usize) -> Self {
        let description = format!("The body is too large; at most {limit} bytes are accepted.");
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "invalid_request",
            description,
        )
    }

    /// The body is compressed.
    pub fn unsupported_encoding() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "invalid_request",
            "Content-Encoding must be absent or identity.",
        )
    }

    /// The method is not POST.
    pub fn method_not_allowed() -> Self {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        Self::new(status, "invalid_request", "Use the method POST.")
    }

    /// The store is unavailable. The code is from RFC 6749 §4.1.2.1, because §5.2 has none for
    /// this.
    pub fn unavailable(description: &'static str) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self {
            retry_after: Some(RETRY_UNAVAILABLE.into()),
            ..Self::new(status, "temporarily_unavailable", description)
        }
    }

    /// The client has used up its limit. The code is that of [`unavailable`](Self::unavailable).
    pub fn limited(per_minute: NonZeroU32, retry_after: u64) -> Self {
        let limited = AuthError::Limited {
            per_minute,
            retry_after,
        };
        let status = StatusCode::TOO_MANY_REQUESTS;
        Self {
            retry_after: Some(retry_after),
            ..Self::new(status, "temporarily_unavailable", limited.to_string())
        }
    }

    /// An internal error.
    pub fn internal() -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(status, "server_error", "The service failed.")
    }

    /// The error code, as the label of the metric.
    pub const fn label(&self) -> &'static str {
        self.code
    }

    /// Whether client authentication failed.
    pub fn is_of_client(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }
}

impl ResponseError for TokenError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        response
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((PRAGMA, "no-cache"));
        match self.status {
            StatusCode::UNAUTHORIZED => {
                response.insert_header((WWW_AUTHENTICATE, format!("Basic realm=\"{REALM}\"")));
            }
            StatusCode::METHOD_NOT_ALLOWED => {
                response.insert_header((ALLOW, "POST"));
            }
            _ => {}
        }
        if let Some(seconds) = self.retry_after {
            response.insert_header((RETRY_AFTER, seconds));
        }
        response.json(TokenErrorBody {
            error: self.code,
            error_description: &self.description,
            message: &self.description,
        })
    }
}
