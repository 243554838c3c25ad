//! The HTTP form of errors: status, headers and body.
//!
//! Every error is JSON with a `message`, and field errors also have `errors`. Internal causes are
//! logged and never sent. A module declares the errors that only its endpoints return.

use std::{borrow::Cow, fmt};

use access::activity::Refusal;
use actix_web::{
    HttpResponse, HttpResponseBuilder, ResponseError,
    http::{
        StatusCode,
        header::{self, HeaderName, HeaderValue, InvalidHeaderValue},
    },
};
use domain::{posting::Rejection, usecase::IngestError};
use fields::{body::BodyError, validation::FieldErrors};
use kernel::{Forbidden, StoreError};
use serde::Serialize;
use time::OffsetDateTime;
use tokio::task::JoinError;
use utoipa::ToSchema;
use uuid::Uuid;
use views::json::Fields;

/// `Retry-After` in seconds when too many commands wait.
pub const RETRY_OVERLOADED: u32 = 1;
/// `Retry-After` in seconds when the store is unavailable.
pub const RETRY_UNAVAILABLE: u32 = 5;
/// `Retry-After` in seconds for a feature that the operator has not configured.
pub const RETRY_SWITCHED_OFF: u32 = 600;

#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ApiError(Box<Content>);

/// The boxed content of an [`ApiError`], so that results stay small.
#[derive(Clone, Debug)]
struct Content {
    status: StatusCode,
    message: Cow<'static, str>,
    errors: Option<FieldErrors>,
    header: Option<(HeaderName, HeaderValue)>,
    code: Option<&'static str>,
    /// The code of a rule that does not concern single fields.
    rule: Option<&'static str>,
}

/// Declares functions that return an [`ApiError`] with a fixed status, message and perhaps header.
macro_rules! refusals {
    ($(
        $(#[$about:meta])*
        $name:ident: $status:ident, $message:literal $(, $header:ident: $value:expr)?;
    )+) => {
        impl $crate::error::ApiError {$(
            $(#[$about])*
            pub fn $name() -> Self {
                Self::new(actix_web::http::StatusCode::$status, $message)
                    $(.with_header(actix_web::http::header::$header, $value))?
            }
        )+}
    };
}

pub(crate) use refusals;

refusals! {
    no_such_path: NOT_FOUND, "There is nothing at this path.";
}

impl ApiError {
    pub const INTERNAL: &'static str =
        "Something went wrong in the service. Report the request id if it happens again.";

    pub fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Content {
            status,
            message: message.into(),
            errors: None,
            header: None,
            code: None,
            rule: None,
        }))
    }

    pub fn with_header(mut self, name: HeaderName, value: impl Into<HeaderValue>) -> Self {
        self.0.header = Some((name, value.into()));
        self
    }

    /// Adds the error code of RFC 6749 §5.2 for the token endpoint.
    pub const fn with_code(mut self, code: &'static str) -> Self {
        self.0.code = Some(code);
        self
    }

    pub fn code(&self) -> Option<&'static str> {
        self.0.code
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn errors(&self) -> Option<&FieldErrors> {
        self.0.errors.as_ref()
    }

    /// An answer with the error's status and header, and another body.
    pub fn start(&self) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(self.0.status);
        if let Some(header) = self.0.header.clone() {
            response.insert_header(header);
        }
        response
    }

    /// Returns the record of a refused push for the client. `None` if the service failed.
    pub fn refusal(&self, id: Uuid, at: OffsetDateTime, identifier: &str) -> Option<Refusal> {
        let Content {
            status,
            message,
            errors,
            rule,
            ..
        } = &*self.0;
        let status = status.is_client_error().then(|| status.as_u16())?;
        let errors = errors.as_ref();
        let mut refusal = Refusal::new(id, at, identifier, status, message, errors);
        refusal.rules.extend(rule.map(str::to_owned));
        Some(refusal)
    }

    pub fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn method_not_allowed(allow: &str, instead: &str) -> Self {
        let message =
            format!("This path does not support the method; it supports {allow}. {instead}");
        let message = message.trim_end().to_owned();
        let refused = Self::new(StatusCode::METHOD_NOT_ALLOWED, message);
        match HeaderValue::from_str(allow) {
            Ok(allow) => refused.with_header(header::ALLOW, allow),
            Err(error) => error.into(),
        }
    }

    pub fn invalid(errors: FieldErrors) -> Self {
        let mut error = Self::new(StatusCode::UNPROCESSABLE_ENTITY, errors.to_string());
        error.0.errors = Some(errors);
        error
    }

    pub fn unavailable(message: &'static str, retry_after: u32) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
            .with_header(header::RETRY_AFTER, retry_after)
    }

    /// Returns 500. The cause is only logged.
    pub fn internal(cause: &dyn fmt::Display) -> Self {
        tracing::error!(%cause, "internal error");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, Self::INTERNAL)
    }
}

/// An error.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody<'a> {
    /// Human-readable description of the problem.
    pub message: &'a str,
}

/// A refusal, with `errors` if single fields are invalid.
#[derive(Serialize, ToSchema)]
#[schema(as = ValidationError)]
pub struct ValidationBody<'a> {
    /// Human-readable description of the problem.
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = Fields::schema)]
    errors: Option<Fields<'a>>,
    #[serde(flatten)]
    #[schema(ignore)]
    of_token: Option<OfToken<'a>>,
}

/// The members that RFC 6749 §5.2 defines for errors of the token endpoint.
#[derive(Serialize)]
pub struct OfToken<'a> {
    pub error: &'static str,
    pub error_description: &'a str,
}

/// A failure of the service.
#[derive(Serialize, ToSchema)]
#[schema(as = InternalError)]
pub struct InternalBody<'a> {
    /// Human-readable description of the problem.
    pub message: &'a str,
    /// The request's id, as in `X-Request-Id`.
    pub request_id: &'a str,
    #[serde(flatten)]
    #[schema(ignore)]
    pub of_token: Option<OfToken<'a>>,
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.0.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = self.start();
        if self.0.code.is_some() {
            response
                .insert_header((header::CACHE_CONTROL, "no-store"))
                .insert_header((header::PRAGMA, "no-cache"));
        }
        response.json(ValidationBody {
            message: &self.0.message,
            errors: self.0.errors.as_ref().map(Fields),
            of_token: self.0.code.map(|error| OfToken {
                error,
                error_description: &self.0.message,
            }),
        })
    }
}

/// Makes errors that no request can cause internal errors.
macro_rules! internal {
    ($($error:ty),+) => {$(
        impl From<$error> for ApiError {
            fn from(error: $error) -> Self {
                Self::internal(&error)
            }
        }
    )+};
}

internal!(
    askama::Error,
    serde_json::Error,
    InvalidHeaderValue,
    JoinError
);

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::NotJson(_) => Self::bad_request(error.to_string()),
            BodyError::Invalid(errors) => Self::invalid(errors),
        }
    }
}

impl From<Forbidden> for ApiError {
    fn from(error: Forbidden) -> Self {
        Self::new(StatusCode::FORBIDDEN, error.to_string())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict
            | StoreError::Locked(_)
            | StoreError::Unavailable(_)
            | StoreError::InDoubt(_) => {
                tracing::warn!(cause = %error, "the store did not answer");
                Self::unavailable(
                    "The service is temporarily unavailable. Retry later.",
                    RETRY_UNAVAILABLE,
                )
            }
            StoreError::Broken(_) => Self::internal(&error),
        }
    }
}

impl From<IngestError> for ApiError {
    fn from(error: IngestError) -> Self {
        match error {
            IngestError::Rejected(rejection) => rejection.into(),
            IngestError::Overloaded => Self::unavailable(
                "Too many postings are waiting to be written. Nothing was written; retry.",
                RETRY_OVERLOADED,
            ),
            IngestError::Unavailable(_) | IngestError::InDoubt { .. } => {
                tracing::warn!(cause = %error, "a push got no answer");
                Self::unavailable(
                    "The service is temporarily unavailable. Whether the posting was written is \
                     not known; repeating the request is safe.",
                    RETRY_UNAVAILABLE,
                )
            }
            IngestError::Broken(_) => Self::internal(&error),
        }
    }
}

impl From<Rejection> for ApiError {
    fn from(rejection: Rejection) -> Self {
        let status = match rejection {
            Rejection::Invalid(errors) => return Self::invalid(errors),
            Rejection::NotFound => StatusCode::NOT_FOUND,
            Rejection::Transition { .. } | Rejection::TakenDown => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let mut error = Self::new(status, rejection.to_string());
        error.0.rule = rejection.code();
        error
    }
}
