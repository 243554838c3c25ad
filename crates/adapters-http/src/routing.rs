//! Resources that only answer reads, and the answer to everything else.

use actix_web::{FromRequest, Handler, HttpRequest, Resource, Responder, web};

use crate::{error::ApiError, posting::LIST_PATH};

/// The methods of a resource that only answers reads.
pub const READ_METHODS: &str = "GET, HEAD";

/// A resource that answers `GET` and `HEAD`, and everything else with 405.
pub fn get_only<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args> + Clone,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::resource(path)
        .route(web::get().to(handler.clone()))
        .route(web::head().to(handler))
        .default_service(web::to(async || -> Result<&'static str, ApiError> {
            Err(ApiError::method_not_allowed(READ_METHODS))
        }))
}

/// The answer where nothing is.
pub async fn no_such_path(request: HttpRequest) -> Result<&'static str, ApiError> {
    let rest = request.path().strip_prefix(LIST_PATH);
    Err(if rest.is_some_and(|rest| rest.starts_with('/')) {
        ApiError::slash_in_identifier()
    } else {
        ApiError::no_such_path()
    })
}
