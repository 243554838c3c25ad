//! Read-only resources, and the answer for unknown paths.

use actix_web::{FromRequest, Handler, Resource, Responder, web};

use crate::error::ApiError;

/// The methods of a read-only resource.
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

/// The answer for an unknown path.
pub async fn no_such_path() -> Result<&'static str, ApiError> {
    Err(ApiError::no_such_path())
}
