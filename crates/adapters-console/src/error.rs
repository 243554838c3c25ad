//! Failures of requests. `page` renders them.

use std::{borrow::Cow, fmt};

use access::{Crowded, Scope};
use actix_web::{HttpResponse, http::StatusCode};
use kernel::StoreError;

pub type Answer = Result<HttpResponse, Failure>;

#[derive(Clone, Debug)]
pub enum Failure {
    NotFound,
    Method(&'static str),
    Forbidden,
    /// A form that did not come from a page of the session.
    CrossSite,
    BadOperator,
    Unreadable,
    TooLarge,
    /// A form with invalid or refused values. Its page explains why.
    Refused(Refusal),
    Scope(&'static [Scope]),
    Guesses,
    Crowded(Crowded),
    /// An address whose position in a list is invalid.
    Address,
    Unavailable(String),
    Broken(String),
}

impl Failure {
    pub fn broken(cause: impl fmt::Display) -> Self {
        Self::Broken(cause.to_string())
    }

    pub fn answer(&self) -> (StatusCode, &'static str, Cow<'static, str>) {
        let (status, title, text) = match self {
            Self::NotFound => (
                StatusCode::NOT_FOUND,
                "Not found",
                "There is nothing at this address, or it was removed.",
            ),
            Self::Method(_) => (
                StatusCode::METHOD_NOT_ALLOWED,
                "Not allowed",
                "This address does not accept this method.",
            ),
            Self::Forbidden => (StatusCode::FORBIDDEN, "Refused", "You are not signed in."),
            Self::CrossSite => (
                StatusCode::FORBIDDEN,
                "Refused",
                "This form was not sent by a page of your session. Go back, reload the page and \
                 retry.",
            ),
            Self::BadOperator => (
                StatusCode::FORBIDDEN,
                "Refused",
                "The proxy names no operator, or more than one.",
            ),
            Self::Unreadable => (
                StatusCode::BAD_REQUEST,
                "Not understood",
                "The form did not arrive as a whole.",
            ),
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "Not understood",
                "The form is too large.",
            ),
            Self::Refused(refusal) => {
                return (refusal.status, "Refused", refusal.to_string().into());
            }
            Self::Scope(_) => (
                StatusCode::FORBIDDEN,
                "A scope is missing",
                "This session lacks the scope that this page needs. A session has the scopes of \
                 the token that asked for its link, as far as the client still has them: ask for \
                 a link with a token that has the scope. The operators of the board can give a \
                 client more scopes.",
            ),
            Self::Guesses => (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many attempts",
                "This link is not valid, and too many such links were tried. Ask for a new link, \
                 or retry in a minute.",
            ),
            Self::Crowded(Crowded::Limited { per_minute, .. }) => {
                return (
                    StatusCode::TOO_MANY_REQUESTS,
                    "Too many requests",
                    format!(
                        "The client may make {per_minute} requests a minute, its pages included. \
                         Retry in a moment."
                    )
                    .into(),
                );
            }
            Self::Crowded(Crowded::TooMany) => (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests",
                "The client has too many of these requests under way. Retry when one has \
                 ended.",
            ),
            Self::Crowded(Crowded::Busy) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The service is busy",
                "Too many of these requests are under way. Nothing was changed; retry in a \
                 moment.",
            ),
            Self::Address => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "Not understood",
                "The position in the list that this address contains is invalid.",
            ),
            Self::Unavailable(_) | Self::Crowded(Crowded::Store(_)) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The store is unavailable",
                "The database cannot be reached at the moment. Nothing is lost; reload the page in \
                 a moment.",
            ),
            Self::Broken(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something went wrong",
                "The log of the service says what. Nothing was changed.",
            ),
        };
        (status, title, text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.answer().2)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => {
                Refusal::conflict("It was changed at the same time. Reload the page, and retry.")
            }
            StoreError::Locked(why) | StoreError::Unavailable(why) | StoreError::InDoubt(why) => {
                Self::Unavailable(why)
            }
            StoreError::Broken(why) => Self::Broken(why),
        }
    }
}

impl From<Crowded> for Failure {
    fn from(crowded: Crowded) -> Self {
        match crowded {
            Crowded::Store(error) => error.into(),
            crowded => Self::Crowded(crowded),
        }
    }
}

/// Why a form changed nothing: faults of fields, or a fault of the whole form, without a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: StatusCode,
    pub faults: Vec<(String, String)>,
}

impl Refusal {
    pub const fn of_fields(faults: Vec<(String, String)>) -> Failure {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Failure::Refused(Self { status, faults })
    }

    pub fn conflict(why: impl fmt::Display) -> Failure {
        let faults = vec![(String::new(), why.to_string())];
        let status = StatusCode::CONFLICT;
        Failure::Refused(Self { status, faults })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (name, why)) in self.faults.iter().enumerate() {
            let separator = if n == 0 { "" } else { "; " };
            let name = name.replace('_', " ");
            let colon = if name.is_empty() { "" } else { ": " };
            write!(f, "{separator}{name}{colon}{why}")?;
        }
        Ok(())
    }
}

pub async fn not_found() -> Answer {
    Err(Failure::NotFound)
}
