//! What the resources of the API share.
//!
//! They look at the token before anything else, the method included: who has no token learns
//! nothing. That is why each has one handler for all methods.

use actix_web::{HttpRequest, HttpResponse, dev::Payload};
use domain::client::{ClientId, Scope};

use crate::{application::State, body, error::ApiError};

/// Lets through whoever has a token with one of the scopes.
pub async fn authorize(
    request: &HttpRequest,
    state: &State,
    scopes: &[Scope],
) -> Result<ClientId, ApiError> {
    Ok(state
        .authorizer
        .authorize(request.headers(), scopes)
        .await?)
}

/// The answer to a method that the resource does not support.
pub async fn refuse_method(
    request: &HttpRequest,
    state: &State,
    scopes: &[Scope],
    allow: &'static str,
) -> Result<HttpResponse, ApiError> {
    authorize(request, state, scopes).await?;
    Err(ApiError::method_not_allowed(allow))
}

/// Takes in what a refused request still sends.
pub async fn settle(
    request: &HttpRequest,
    mut payload: Payload,
    answer: Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    if answer.is_err() {
        body::drain(request, &mut payload).await;
    }
    answer
}

/// The last segment of the path as it was sent: percent-encoded, because a decoded path does
/// not tell `%2F` from a slash. Where the router has matched, it is what names the thing.
pub fn last_segment(request: &HttpRequest) -> &str {
    request.uri().path().rsplit('/').next().unwrap_or_default()
}
