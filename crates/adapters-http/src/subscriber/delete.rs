//! `DELETE` of a subscriber: erases the person.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode};
use newsletter::subscriber::Email;

use super::REPORTERS;
use crate::{api, error::ApiError, state::State};

pub(super) async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, REPORTERS).await?;
    let email = Email::from_path_segment(api::last_segment(request)?)?;
    if state.ports.newsletter.erase(&email).await? {
        Ok(HttpResponse::new(StatusCode::NO_CONTENT))
    } else {
        Err(ApiError::no_such_subscriber())
    }
}
