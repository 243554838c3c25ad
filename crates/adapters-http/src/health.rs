//! Whether the process lives, and whether it can do its work.

use std::time::Duration;

use actix_web::{HttpResponse, web};
use tokio::time::timeout;

use crate::{application::State, error::ApiError, routing::get_only};

/// How long the store may take to say that it is ready.
const PATIENCE: Duration = Duration::from_secs(5);

/// `GET /healthz` and `GET /readyz`.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(get_only("/healthz", healthz))
        .service(get_only("/readyz", readyz));
}

/// The process answers.
async fn healthz() -> HttpResponse {
    ok()
}

/// The store can be reached and its schema is current.
async fn readyz(state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    match timeout(PATIENCE, state.ports.health.ready()).await {
        Ok(Ok(())) => Ok(ok()),
        Ok(Err(error)) => Err(ApiError::not_ready(&error)),
        Err(elapsed) => Err(ApiError::not_ready(&elapsed)),
    }
}

fn ok() -> HttpResponse {
    HttpResponse::Ok().json(serde_json::json!({ "status": "ok" }))
}
