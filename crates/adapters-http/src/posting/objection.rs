//! `POST` of an objection to the newest decision about a posting.

use actix_web::{HttpResponse, http::StatusCode, web};
use domain::{
    posting::Rejection,
    report::parse_objection,
    usecase::{self, ModerationError, ObjectionError, Refused},
};
use kernel::SourceIdentifier;
use runtime::{COMMAND_PATIENCE, decide_again};

use crate::{
    answer::Answer,
    body::{Body, BodyLimit},
    error::ApiError,
    oauth::Caller,
    query::Query,
    report::LARGEST_BODY,
    resource::Segment,
    state::{State, now},
};

pub(super) async fn object(
    caller: Caller,
    segment: Segment<1>,
    _: Query<()>,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    let identifier = SourceIdentifier::from_path_segment(segment.read()?);
    let identifier = identifier.map_err(|_| Rejection::NotFound)?;
    if !caller.prefixes().permit(&identifier) {
        return Err(Rejection::NotFound.into());
    }
    let limit = BodyLimit {
        bytes: LARGEST_BODY.min(state.body_limit().bytes),
        ..state.body_limit()
    };
    let statement = parse_objection(&body.json(limit).await?)?;
    let (stores, by) = (&state.ports.stores, caller.id());
    let ports = (&*stores.store, &*stores.postings);
    let attempt = || usecase::object(ports, &identifier, &statement, by, now());
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(HttpResponse::Accepted().finish())
}

impl From<ObjectionError> for ApiError {
    fn from(error: ObjectionError) -> Self {
        match error {
            ObjectionError::Refused(Refused::Repeated) => {
                Self::new(StatusCode::CONFLICT, error.to_string())
            }
            ObjectionError::Refused(_) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
            }
            ObjectionError::Moderation(ModerationError::Rejected(rejection)) => rejection.into(),
            ObjectionError::Store(error) => error.into(),
            // Of operators alone.
            error @ ObjectionError::Moderation(_) => Self::internal(&error),
        }
    }
}
