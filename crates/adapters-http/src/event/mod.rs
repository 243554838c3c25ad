mod feed;

use access::Scope;
use actix_web::{http::StatusCode, web};
use kernel::event::LogError;
use views::event::{DeliveredEvent, EventPageAnswer};

use crate::{
    error::ApiError,
    guard::protected,
    section::{Section, errors, of_answer},
};

pub const PATH: &str = "/api/job-board/events";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[of_answer::<EventPageAnswer>, of_answer::<DeliveredEvent>],
    errors: ERRORS,
};

errors! {
    "EventsGone"
        "Events after this cursor were deleted, or the service was restored from a backup that does not \
         have this cursor. Take a new export and continue from its cursor."
        LogError::Gone;
}

fn routes(config: &mut web::ServiceConfig) {
    config.service(protected(PATH, Scope::READERS).get(feed::follow));
}

impl From<LogError> for ApiError {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Gone => Self::new(
                StatusCode::GONE,
                "Events after this cursor are no longer kept. Take a new export and continue from \
                 its cursor.",
            ),
            LogError::Store(error) => error.into(),
        }
    }
}
