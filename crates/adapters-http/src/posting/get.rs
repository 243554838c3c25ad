//! `GET` of a posting with its history.

use actix_web::{HttpRequest, HttpResponse};
use domain::posting::{PutPosting, Rejection};
use kernel::SourceIdentifier;

use super::{LIST_PATH, READERS, view};
use crate::{
    api, coding::encode, error::ApiError, etag::conditional, query::Parameters, state::State,
};

pub(super) async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let caller = api::authorize(request, state, READERS).await?;
    let segment = api::last_segment(request)?;
    if segment.is_empty() {
        return Err(ApiError::list_has_no_slash(LIST_PATH));
    }
    let mut errors = Parameters::of(request.query_string()).errors();
    let identifier = match SourceIdentifier::from_path_segment(segment) {
        Ok(identifier) if errors.is_empty() => identifier,
        Ok(_) => return Err(ApiError::invalid(errors)),
        Err(error) => {
            errors.add(PutPosting::IDENTIFIER, error.to_string());
            return Err(ApiError::invalid(errors));
        }
    };
    if !caller.prefixes().permit(&identifier) {
        return Err(Rejection::NotFound.into());
    }
    let found = state.ports.postings.find(&identifier).await?;
    let posting = found.ok_or(Rejection::NotFound)?;
    let posting = posting.seen_by(caller.prefixes());
    let answer = conditional(request, view::one(posting).await?)?;
    Ok(encode(request, answer))
}
