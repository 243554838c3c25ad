//! A subscriber: `PUT` of a report of the membership system about a person, `GET` of the record,
//! and `DELETE`, which erases the person.

use access::Scope;
use actix_web::{
    HttpRequest, HttpResponse,
    dev::Payload,
    http::{Method, StatusCode},
};
use newsletter::subscriber::{Email, MigrationToken, PutSubscriber, SubscriberId};
use uuid::Uuid;

use super::view;
use crate::{api, body, error::ApiError, state::State};

/// The scopes that permit reporting, reading and erasing.
pub const REPORTERS: &[Scope] = &[Scope::NewsletterSubscribersWrite];

/// Reports, reads or erases a subscriber.
pub(super) async fn handle(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    match *request.method() {
        Method::PUT => put(request, payload, state).await,
        Method::GET | Method::HEAD => get(request, state).await,
        Method::DELETE => delete(request, state).await,
        _ => api::refuse_method(request, state, REPORTERS, "DELETE, GET, HEAD, PUT").await,
    }
}

async fn put(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, REPORTERS).await?;
    let body = body::read_json(request, payload, state.body_limit()).await?;
    let put = PutSubscriber::parse(api::last_segment(request)?, &body, new_id(), new_token())?;
    // The command owns its values, so the body need not stay in memory while it waits.
    drop(body);
    let reported = state.ports.newsletter.put(put).await?;
    let status = if reported.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    view::one(status, &reported.subscriber)
}

async fn get(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, REPORTERS).await?;
    let email = Email::from_path_segment(api::last_segment(request)?)?;
    let found = state.ports.newsletter.find(&email).await?;
    let subscriber = found.ok_or_else(ApiError::no_such_subscriber)?;
    view::one(StatusCode::OK, &subscriber)
}

async fn delete(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    api::authorize(request, state, REPORTERS).await?;
    let email = Email::from_path_segment(api::last_segment(request)?)?;
    if state.ports.newsletter.erase(&email).await? {
        Ok(HttpResponse::new(StatusCode::NO_CONTENT))
    } else {
        Err(ApiError::no_such_subscriber())
    }
}

/// The id for a new subscriber.
pub fn new_id() -> SubscriberId {
    SubscriberId::new(Uuid::now_v7())
}

/// The token for a new subscriber, from a cryptographic generator.
pub fn new_token() -> MigrationToken {
    MigrationToken::new(rand::random())
}
