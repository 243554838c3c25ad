//! Whether the process lives, and whether it can do its work.

use std::time::Duration;

use actix_web::{HttpResponse, web};
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{error::ApiError, routing::get_only, schema::Answer, state::State};

/// How long the store may take to say that it is ready.
const PATIENCE: Duration = Duration::from_secs(5);

/// What `/readyz` says while the store cannot do its work.
const NO_STORE: &str = "The service is not ready: its store cannot be used.";
/// What `/readyz` says while no token can be given out or accepted.
const NO_KEY: &str = "The service is not ready: it has no usable token signing key.";

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

/// The store can be reached, its schema is current, and tokens can be signed.
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

/// All is well.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// How it is.
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
