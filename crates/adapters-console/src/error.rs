//! What goes wrong. `page` shows it.

use std::fmt;

use access::Scope;

use actix_web::HttpResponse;
use kernel::StoreError;

/// The answer of a handler.
pub type Answer = Result<HttpResponse, Failure>;

/// Why there is no page.
#[derive(Clone, Debug)]
pub enum Failure {
    /// Nothing is there.
    NotFound,
    /// Another method is allowed.
    Method(&'static str),
    /// The request has no session.
    Forbidden,
    /// A form that no page of the session has sent.
    CrossSite,
    /// The proxy's header names no operator, or several.
    BadOperator,
    /// The body is no form, or did not arrive.
    Unreadable,
    /// The form is too large.
    TooLarge,
    /// The client has none of these scopes, one of which the page needs.
    Scope(&'static [Scope]),
    /// Too many links that are none were tried.
    Guesses,
    /// The address has a parameter that no page has put there.
    Address,
    /// The store is unavailable.
    Unavailable(String),
    /// A defect.
    Broken(String),
}

impl Failure {
    /// The title of its page.
    pub fn title(&self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Method(_) => "Not allowed",
            Self::Forbidden | Self::CrossSite | Self::BadOperator => "Refused",
            Self::Address | Self::Unreadable | Self::TooLarge => "Not understood",
            Self::Scope(_) => "A scope is missing",
            Self::Guesses => "Too many attempts",
            Self::Unavailable(_) => "The store is unavailable",
            Self::Broken(_) => "Something went wrong",
        }
    }

    /// What its page says.
    pub fn text(&self) -> &str {
        match self {
            Self::NotFound => "There is nothing at this address, or it is not there any more.",
            Self::Method(_) => "This address takes no such request.",
            Self::Forbidden => "Nobody is signed in.",
            Self::CrossSite => {
                "This form was not sent by a page of your session. Go back, reload the page and \
                 try again."
            }
            Self::BadOperator => "The proxy names no operator, or more than one.",
            Self::Unreadable => "The form did not arrive as a whole.",
            Self::TooLarge => "The form is too large.",
            Self::Scope(_) => {
                "The client lacks the scope that this page needs. The operators of the board can \
                 give it one."
            }
            Self::Guesses => "Too many links that are not valid were tried. Try again in a minute.",
            Self::Address => "This address leads to no place in a list.",
            Self::Unavailable(_) => {
                "The database cannot be reached at the moment. Nothing is lost; reload the page in \
                 a moment."
            }
            Self::Broken(_) => "The log of the service says what. Nothing was changed.",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => Self::Unavailable("a conflict".to_owned()),
            StoreError::Locked(why) | StoreError::Unavailable(why) | StoreError::InDoubt(why) => {
                Self::Unavailable(why)
            }
            StoreError::Broken(why) => Self::Broken(why),
        }
    }
}

/// The answer to an unknown path.
pub async fn not_found() -> Answer {
    Err(Failure::NotFound)
}
