//! `POST` of an objection to the newest decision about a posting.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web,
};
use domain::{
    posting::Rejection,
    report::parse_objection,
    usecase::{self, ModerationError, Refused},
};
use kernel::SourceIdentifier;
use runtime::{COMMAND_PATIENCE, decide_again};

use crate::{
    answer::Answer,
    body::Body,
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
    let body = body.json(state.small_limit(LARGEST_BODY)).await?;
    let statement = parse_objection(&body)?;
    let (stores, by) = (&state.ports.stores, caller.id());
    let ports = (&*stores.store, &*stores.postings);
    let attempt = || usecase::object(ports, &identifier, &statement, by, now());
    decide_again(COMMAND_PATIENCE, attempt).await?;
    Ok(HttpResponse::Accepted().finish())
}

impl From<ModerationError> for ApiError {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::Rejected(rejection) => rejection.into(),
            ModerationError::Objection(Refused::Repeated) => {
                Self::new(StatusCode::CONFLICT, error.to_string())
            }
            ModerationError::Objection(_) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
            }
            ModerationError::TooMany(why) => {
                let refused = Self::new(StatusCode::TOO_MANY_REQUESTS, why.to_string());
                refused.with_header(header::RETRY_AFTER, why.retry_after())
            }
            ModerationError::NoReport => Self::no_such_report(),
            ModerationError::Store(error) => error.into(),
            // Only an operator's answer to an objection can cause these.
            ModerationError::Changed { .. }
            | ModerationError::NotKept(_)
            | ModerationError::Decided(_) => Self::internal(&error),
        }
    }
}
