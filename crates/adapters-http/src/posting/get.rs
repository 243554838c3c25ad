//! `GET` of a posting with its history.

use actix_web::{HttpRequest, HttpResponse};
use domain::posting::Rejection;

use super::{LIST_PATH, READERS, identifier, view};
use crate::{api, error::ApiError, state::State};

pub(super) async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, READERS).await?;
    if api::last_segment(request)?.is_empty() {
        return Err(ApiError::list_has_no_slash(LIST_PATH));
    }
    let found = state.ports.postings.find(&identifier(request)?).await?;
    let posting = found.ok_or(Rejection::NotFound)?;
    view::one(posting).await
}
