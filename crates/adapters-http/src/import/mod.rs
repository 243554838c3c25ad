//! Imports: many pushes in one request, alone or as a whole catalogue.
//!
//! `body` unpacks what arrives, `lines` cuts it, `run` hands the lines to the import and keeps the
//! receipts in a `spool`; the answer begins when the body has ended.

mod body;
mod catalogue;
mod lines;
mod run;
mod spool;
mod view;

use actix_web::{HttpRequest, HttpResponse, dev::Payload, http::Method, web};

use self::run::Wishes;
pub use self::view::{CatalogueAnswer, CataloguesAnswer, ImportLine};
use crate::{
    api,
    error::ApiError,
    posting::{READERS, WRITERS},
    routing::READ_METHODS,
    state::State,
};

/// The path of imports.
pub const IMPORTS_PATH: &str = "/api/job-board/imports";
/// The path of the list of catalogues.
pub const CATALOGUES_PATH: &str = "/api/job-board/catalogues";

/// `POST` of imports; the client's catalogues, and one of them.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(api::resource(IMPORTS_PATH, imports))
        .service(api::bodiless(
            CATALOGUES_PATH,
            READERS,
            READ_METHODS,
            catalogue::list,
        ))
        .service(api::resource(
            &format!("{CATALOGUES_PATH}/{{name:[^/]*}}"),
            one,
        ));
}

async fn imports(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    match *request.method() {
        Method::POST => {
            let caller = api::authorize_import(request, state, WRITERS).await?;
            let (wishes, ()) = Wishes::of(request, state.import_limit, |_| ())?;
            run::run(request, payload, state, caller, wishes, None).await
        }
        _ => api::refuse_method(request, state, WRITERS, "POST").await,
    }
}

async fn one(
    request: &HttpRequest,
    payload: &mut Payload,
    state: &State,
) -> Result<HttpResponse, ApiError> {
    match *request.method() {
        Method::PUT => catalogue::import(request, payload, state).await,
        Method::GET | Method::HEAD => catalogue::show(request, state).await,
        Method::DELETE => catalogue::delete(request, state).await,
        _ => api::refuse_method(request, state, READERS, "DELETE, GET, HEAD, PUT").await,
    }
}
