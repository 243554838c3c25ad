//! Liveness and readiness.

use std::time::Duration;

use actix_web::{HttpResponse, web};
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{error::ApiError, routing::get_only, schema::Answer, state::State};

/// How long the store may take to say that it is ready.
const PATIENCE: Duration = Duration::from_secs(5);

/// The message of `/readyz` while the store is unusable.
const NO_STORE: &str = "The service is not ready: its store cannot be used.";
/// The message of `/readyz` while no token can be issued or accepted.
const NO_KEY: &str = "The service is not ready: it has no usable token signing key.";

/// `GET /healthz` and `GET /readyz`.
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(get_only("/healthz", healthz))
        .service(get_only("/readyz", readyz));
}

/// Answers 200 without any check.
async fn healthz() -> HttpResponse {
    ok()
}

/// Answers 200 if the store can be reached, its schema is current, and tokens can be signed.
async fn readyz(state: web::Data<State>) -> Result<HttpResponse, ApiError> {
    match timeout(PATIENCE, state.ports.health.ready()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(ApiError::not_ready(NO_STORE, &error)),
        Err(elapsed) => return Err(ApiError::not_ready(NO_STORE, &elapsed)),
    }
    if state.authorizer.signing_keys() == 0 {
        return Err(ApiError::not_ready(NO_KEY, &NO_KEY));
    }
    Ok(ok())
}

/// The state of a healthy service.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// The state, always `ok`.
    #[schema(extensions(("const" = json!("ok"))))]
    status: &'static str,
}

impl Answer for Health {
    fn example() -> Self {
        Self { status: "ok" }
    }
}

fn ok() -> HttpResponse {
    HttpResponse::Ok().json(Health { status: "ok" })
}
