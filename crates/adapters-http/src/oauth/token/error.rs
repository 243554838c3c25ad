//! The errors of the token endpoint (RFC 6749 §5.2).

use std::{borrow::Cow, fmt, num::NonZeroU32};

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{ALLOW, CACHE_CONTROL, PRAGMA, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::oauth::{
    AuthError,
    authorizer::{REALM, RETRY_AFTER_SECONDS},
};

/// The refusal of a token request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenError {
    status: StatusCode,
    code: TokenErrorCode,
    description: Cow<'static, str>,
    /// In how many seconds to try again.
    retry_after: Option<u64>,
}

/// Machine-readable code of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum TokenErrorCode {
    InvalidRequest,
    InvalidClient,
    UnsupportedGrantType,
    InvalidScope,
    TemporarilyUnavailable,
    ServerError,
}

impl TokenErrorCode {
    const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::InvalidScope => "invalid_scope",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
            Self::ServerError => "server_error",
        }
    }
}

/// An error of RFC 6749 §5.2.
#[derive(Serialize, ToSchema)]
#[schema(as = TokenError)]
pub(crate) struct TokenErrorBody<'a> {
    error: TokenErrorCode,
    /// Human-readable description of the problem.
    error_description: &'a str,
    /// The same text as `error_description`, under the name that all errors use.
    message: &'a str,
}

impl TokenError {
    fn new(
        status: StatusCode,
        code: TokenErrorCode,
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
    pub fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            TokenErrorCode::InvalidRequest,
            description,
        )
    }

    /// The client's credentials are missing or wrong.
    pub fn invalid_client(description: &'static str) -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            TokenErrorCode::InvalidClient,
            description,
        )
    }

    /// The grant type is not the only one supported.
    pub fn unsupported_grant_type() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            TokenErrorCode::UnsupportedGrantType,
            "The only supported grant_type is client_credentials.",
        )
    }

    /// The scope is unknown, or not one of the client's.
    pub fn invalid_scope() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            TokenErrorCode::InvalidScope,
            "The scope is unknown, malformed, or not one of the client's.",
        )
    }

    /// The body is too large.
    pub fn body_too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            TokenErrorCode::InvalidRequest,
            format!("The body is too large; at most {limit} bytes are accepted."),
        )
    }

    /// The body is compressed.
    pub fn unsupported_encoding() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            TokenErrorCode::InvalidRequest,
            "Content-Encoding must be absent or identity.",
        )
    }

    /// The error code, as the label of the metric.
    pub const fn label(&self) -> &'static str {
        self.code.as_str()
    }

    /// The body of the answer.
    pub(crate) fn body(&self) -> TokenErrorBody<'_> {
        TokenErrorBody {
            error: self.code,
            error_description: &self.description,
            message: &self.description,
        }
    }

    /// Whether client authentication failed.
    pub fn is_of_client(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    /// The method is not POST.
    pub fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            TokenErrorCode::InvalidRequest,
            "Use the method POST.",
        )
    }

    /// The store is unavailable. The code is from RFC 6749 §4.1.2.1, because §5.2 has none for
    /// this.
    pub fn unavailable(description: &'static str) -> Self {
        Self {
            retry_after: Some(RETRY_AFTER_SECONDS.into()),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                TokenErrorCode::TemporarilyUnavailable,
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
                StatusCode::TOO_MANY_REQUESTS,
                TokenErrorCode::TemporarilyUnavailable,
                limited.to_string(),
            )
        }
    }

    /// An internal error.
    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            TokenErrorCode::ServerError,
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
        response.json(self.body())
    }
}
