//! The routes of postings.

use actix_web::{HttpRequest, HttpResponse, dev::Payload, http::Method, web};

use super::{EXPORT_PATH, LIST_PATH, READERS, export, get, list, put};
use crate::{api, error::ApiError, routing::READ_METHODS, state::State};

/// `GET` of the list and of the export; `PUT` and `GET` of one posting.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(api::bodiless(
            LIST_PATH,
            READERS,
            READ_METHODS,
            list::handle,
        ))
        .service(api::bodiless(
            EXPORT_PATH,
            READERS,
            READ_METHODS,
            export::handle,
        ))
        // An empty identifier is a bad identifier, not another path.
        .service(api::resource(
            &format!("{LIST_PATH}/{{identifier:[^/]*}}"),
            one,
        ))
        .service(web::resource(format!("{LIST_PATH}/{{rest:.*}}")).to(slash_in_identifier));
}

async fn one(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    match *request.method() {
        Method::PUT => put::handle(request, payload, state).await,
        Method::GET | Method::HEAD => get::handle(request, state).await,
        _ => api::refuse_method(request, state, READERS, "GET, HEAD, PUT").await,
    }
}

async fn slash_in_identifier() -> Result<&'static str, ApiError> {
    Err(ApiError::slash_in_identifier())
}
