//! The errors of bearer authentication (RFC 6750 §3) and of the token endpoint (RFC 6749 §5.2).

use std::{borrow::Cow, fmt, num::NonZeroU32};

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

use crate::error::ApiError;

/// The realm of both `WWW-Authenticate` challenges.
const REALM: &str = "posthaste";
/// The most characters of a scope in an error.
const MAX_SHOWN: usize = 64;
/// `Retry-After` in seconds when a client could not be looked up.
const RETRY_AFTER_SECONDS: u32 = 5;

/// The reason why a request is not authorised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthError {
    /// The request has no bearer token.
    Missing,
    /// The request has more than one `Authorization` header.
    Ambiguous,
    /// The token is not accepted.
    Invalid(TokenFault),
    /// The client has used up its limit.
    Limited {
        /// The limit.
        per_minute: NonZeroU32,
        /// The seconds until the next request is taken.
        retry_after: u64,
    },
    /// The token is valid but has none of these scopes.
    InsufficientScope(Vec<Scope>),
    /// The token has one of these scopes, but its client has none of them any more.
    WithdrawnScope(Vec<Scope>),
    /// The token's client could not be looked up.
    Unavailable,
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let status = match error {
            AuthError::Missing | AuthError::Invalid(_) => StatusCode::UNAUTHORIZED,
            AuthError::Ambiguous => StatusCode::BAD_REQUEST,
            AuthError::InsufficientScope(_) | AuthError::WithdrawnScope(_) => StatusCode::FORBIDDEN,
            AuthError::Limited { retry_after, .. } => {
                return Self::new(StatusCode::TOO_MANY_REQUESTS, error.to_string())
                    .with_header(RETRY_AFTER, retry_after);
            }
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

impl fmt::Display for AuthError {
    // The texts must not contain quotes: they are quoted in a header.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str(
                "Authentication is required: send an access token as Authorization: Bearer TOKEN.",
            ),
            Self::Ambiguous => f.write_str("There is more than one Authorization header."),
            Self::Invalid(fault) => fault.fmt(f),
            Self::Limited { per_minute, .. } => write!(
                f,
                "This client may send {per_minute} requests a minute. Try again after the seconds \
                 of Retry-After."
            ),
            Self::InsufficientScope(scopes) => {
                write!(f, "The access token lacks the scope {}.", any_of(scopes))
            }
            Self::WithdrawnScope(scopes) => {
                write!(f, "The client no longer has the scope {}.", any_of(scopes))
            }
            Self::Unavailable => {
                f.write_str("The access token cannot be checked at the moment. Try again.")
            }
        }
    }
}

fn any_of(scopes: &[Scope]) -> String {
    let names: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    names.join(" or ")
}

impl std::error::Error for AuthError {}

/// The refusal of a token request.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The request is malformed.
    pub fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
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
        let has: Vec<_> = has.iter().map(|scope| scope.as_str()).collect();
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_scope",
            format!(
                "The scope '{shown}' {problem}; the client has: {}.",
                has.join(", ")
            ),
        )
    }

    /// The body is too large.
    pub fn body_too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_request",
            format!("The body is too large; at most {limit} bytes are accepted."),
        )
        .with_status(StatusCode::PAYLOAD_TOO_LARGE)
    }

    /// The body is compressed.
    pub fn unsupported_encoding() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_request",
            "Content-Encoding must be absent or identity.",
        )
        .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    }

    /// The error code, as the label of the metric.
    pub const fn label(&self) -> &'static str {
        self.code
    }

    /// Whether client authentication failed.
    pub fn is_of_client(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// The method is not POST.
    pub fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_request",
            "Use the method POST.",
        )
        .with_status(StatusCode::METHOD_NOT_ALLOWED)
    }

    /// The store is unavailable. The code is from RFC 6749 §4.1.2.1, because §5.2 has none for
    /// this.
    pub fn unavailable(description: &'static str) -> Self {
        Self {
            retry_after: Some(RETRY_AFTER_SECONDS.into()),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "temporarily_unavailable",
                description,
            )
        }
    }

    /// The client has used up its limit. The code is that of [`unavailable`](Self::unavailable).
    pub fn limited(per_minute: NonZeroU32, retry_after: u64) -> Self {
        let limited = AuthError::Limited {
            per_minute,
            retry_after,
        };
        Self {
            retry_after: Some(retry_after),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "temporarily_unavailable",
                limited.to_string(),
            )
            .with_status(StatusCode::TOO_MANY_REQUESTS)
        }
    }

    /// An internal error.
    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "server_error",
            "The service failed.",
        )
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.label(), self.description)
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
