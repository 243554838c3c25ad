//! The event log over HTTP.

mod feed;

use access::Scope;
use actix_web::{http::StatusCode, web};
use kernel::event::LogError;

use crate::{error::ApiError, guard::protected};

/// The path of the feed.
pub const PATH: &str = "/api/job-board/events";

/// `GET` of the feed.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(protected(PATH, Scope::READERS).get(feed::follow));
}

impl From<LogError> for ApiError {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Gone => Self::new(
                StatusCode::GONE,
                "Events after this cursor are no longer kept. Take a new export and go on from its \
                 cursor.",
            ),
            LogError::Store(error) => error.into(),
        }
    }
}
