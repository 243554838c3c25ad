//! `GET` of a posting with its history.

use actix_web::{HttpRequest, HttpResponse, web};
use domain::posting::{PutPosting, Rejection};
use kernel::SourceIdentifier;

use super::{LIST_PATH, view};
use crate::{
    coding::encode, error::ApiError, etag::conditional, oauth::Caller, query::Parameters,
    resource::Segment, state::State,
};

pub(super) async fn show(
    caller: Caller,
    segment: Segment,
    request: HttpRequest,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let segment = segment.read()?;
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
    let answer = conditional(&request, view::one(posting).await?)?;
    Ok(encode(&request, answer))
}
