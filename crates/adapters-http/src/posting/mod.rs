//! Postings over HTTP: push, read and list.

pub mod activity;
mod cursor;
mod export;
mod get;
mod list;
mod payload;
mod prefer;
mod put;
mod view;

use access::Scope;
use actix_web::{HttpRequest, HttpResponse, http::Method, web};

#[cfg(fuzzing)]
pub use self::cursor::{decode as read_cursor, encode as write_cursor};
pub use self::{
    export::NDJSON,
    list::{DEFAULT_LIMIT, MAX_LIMIT, ME, TEXTS},
    payload::schemas as payload_schemas,
    prefer::{STRICT, is_strict},
    put::{PREFERENCE_APPLIED, PutAnswer},
    view::{
        PageAnswer, Posting, PostingAnswer, PostingWithHistory, Status, data as posting_data,
        with_history,
    },
};
use crate::{api, error::ApiError, routing::READ_METHODS, state::State};

/// The path of the list.
pub const LIST_PATH: &str = "/api/job-board/job-postings";
/// The path of the export.
pub const EXPORT_PATH: &str = "/api/job-board/export";

/// The scopes that permit pushing.
pub const WRITERS: &[Scope] = &[Scope::JobPostingsWrite];
/// The scopes that permit reading; the one for pushing includes it.
pub const READERS: &[Scope] = &[Scope::JobPostingsRead, Scope::JobPostingsWrite];

/// `GET` of the list and of the export; `PUT` and `GET` of one posting.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(api::resource(
            LIST_PATH,
            READERS,
            READ_METHODS,
            list::handle,
        ))
        .service(api::resource(
            EXPORT_PATH,
            READERS,
            READ_METHODS,
            export::handle,
        ))
        // An empty identifier is a bad identifier, not another path.
        .service(web::resource(format!("{LIST_PATH}/{{identifier:[^/]*}}")).to(one))
        .service(web::resource(format!("{LIST_PATH}/{{rest:.*}}")).to(slash_in_identifier));
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
        _ => api::refuse_method(&request, &state, READERS, "GET, HEAD, PUT").await,
    };
    api::settle(&request, payload, answer).await
}

async fn slash_in_identifier() -> Result<&'static str, ApiError> {
    Err(ApiError::slash_in_identifier())
}
