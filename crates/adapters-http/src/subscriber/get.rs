//! `GET` of a subscriber: the record.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode};
use newsletter::subscriber::Email;

use super::{REPORTERS, view};
use crate::{api, error::ApiError, state::State};

pub(super) async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, REPORTERS).await?;
    let email = Email::from_path_segment(api::last_segment(request)?)?;
    let found = state.ports.newsletter.find(&email).await?;
    let subscriber = found.ok_or_else(ApiError::no_such_subscriber)?;
    view::one(StatusCode::OK, &subscriber)
}
