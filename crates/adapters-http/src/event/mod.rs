//! The event log over HTTP.

mod feed;
mod view;

use actix_web::{HttpRequest, HttpResponse, http::Method, web};

pub use self::{
    feed::{DEFAULT_LIMIT, LATEST, MAX_LIMIT, MAX_WAIT},
    view::{DeliveredEvent, EventId, EventPageAnswer, EventType, event_body},
};
use crate::{api, error::ApiError, posting::READERS, routing::READ_METHODS, state::State};

/// The path of the feed.
pub const PATH: &str = "/api/job-board/events";

/// `GET` of the feed.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(web::resource(PATH).to(feed));
}

async fn feed(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let answer = match *request.method() {
        Method::GET | Method::HEAD => feed::handle(&request, &state).await,
        _ => api::refuse_method(&request, &state, READERS, READ_METHODS).await,
    };
    api::settle(&request, payload.into_inner(), answer).await
}
