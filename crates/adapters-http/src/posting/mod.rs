//! Postings over HTTP: the push, and what became of it.
//!
//! Both paths look at the token before anything else, the method included: who has no token
//! learns nothing. That is why they have one handler each for all methods.

mod cursor;
mod get;
mod list;
mod payload;
mod put;
mod view;

use actix_web::{HttpRequest, HttpResponse, dev::Payload, http::Method, web};
use domain::{
    client::{ClientId, Scope},
    posting::SourceIdentifier,
};

pub use self::{
    list::{DEFAULT_LIMIT, MAX_LIMIT},
    payload::schemas as payload_schemas,
    view::{data as posting_data, schemas as view_schemas},
};
use crate::{application::State, body, error::ApiError, routing::READ_METHODS};

/// The path of the list.
pub const LIST_PATH: &str = "/api/job-board/job-postings";

/// Who may push.
pub const WRITERS: &[Scope] = &[Scope::JobPostingsWrite];
/// Who may read: pushing includes it.
pub const READERS: &[Scope] = &[Scope::JobPostingsRead, Scope::JobPostingsWrite];

/// `GET` of the list; `PUT` and `GET` of one posting.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(web::resource(LIST_PATH).to(all))
        // An empty identifier is a bad identifier, not another path.
        .service(web::resource(format!("{LIST_PATH}/{{identifier:[^/]*}}")).to(one));
}

async fn all(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let answer = match *request.method() {
        Method::GET | Method::HEAD => list::handle(&request, &state).await,
        _ => refuse_method(&request, &state, READ_METHODS).await,
    };
    settle(&request, payload.into_inner(), answer).await
}

async fn one(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let mut payload = payload.into_inner();
    let answer = match *request.method() {
        Method::PUT => put::handle(&request, &mut payload, &state).await,
        Method::GET | Method::HEAD => get::handle(&request, &state).await,
        _ => refuse_method(&request, &state, "GET, HEAD, PUT").await,
    };
    settle(&request, payload, answer).await
}

async fn refuse_method(
    request: &HttpRequest,
    state: &State,
    allow: &'static str,
) -> Result<HttpResponse, ApiError> {
    authorize(request, state, READERS).await?;
    Err(ApiError::method_not_allowed(allow))
}

/// Takes in what a refused request still sends.
async fn settle(
    request: &HttpRequest,
    mut payload: Payload,
    answer: Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    if answer.is_err() {
        body::drain(request, &mut payload).await;
    }
    answer
}

/// Lets through whoever has a token with one of the scopes.
async fn authorize(
    request: &HttpRequest,
    state: &State,
    scopes: &[Scope],
) -> Result<ClientId, ApiError> {
    Ok(state
        .authorizer
        .authorize(request.headers(), scopes)
        .await?)
}

/// The identifier as it was sent: percent-encoded, because a decoded path does not tell `%2F`
/// from a slash. The router has matched, so the last segment is it.
fn raw_identifier(request: &HttpRequest) -> &str {
    request.uri().path().rsplit('/').next().unwrap_or_default()
}

fn identifier(request: &HttpRequest) -> Result<SourceIdentifier, ApiError> {
    Ok(SourceIdentifier::from_path_segment(raw_identifier(
        request,
    ))?)
}
