//! `GET` of a posting: everything that is known of it, with its history.

use actix_web::{HttpRequest, HttpResponse};
use domain::posting::Rejection;

use super::{READERS, identifier, view};
use crate::{api, application::State, error::ApiError};

pub(super) async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, READERS).await?;
    let found = state.ports.postings.find(&identifier(request)?).await?;
    let posting = found.ok_or(Rejection::NotFound)?;
    view::one(&posting)
}
