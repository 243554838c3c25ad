mod feed;

use access::Scope;
use actix_web::{http::StatusCode, web};
use kernel::event::LogError;
use views::event::{DeliveredEvent, EventPageAnswer};

use crate::{
    error::ApiError,
    guard::protected,
    section::{Section, of_answer},
};

pub const PATH: &str = "/api/job-board/events";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[of_answer::<EventPageAnswer>, of_answer::<DeliveredEvent>],
};

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
