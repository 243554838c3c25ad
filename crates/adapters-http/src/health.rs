//! Liveness and readiness.

use std::{fmt, sync::Arc, time::Duration};

use actix_web::{HttpResponse, web};
use domain::store::Health as Store;
use serde::Serialize;
use tokens::KeyRing;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{
    answer::Answer,
    error::{ApiError, RETRY_UNAVAILABLE},
    resource::open,
    section::{Section, of_answer},
};

const PATIENCE: Duration = Duration::from_secs(5);

const NO_STORE: &str = "The service is not ready: its store cannot be used.";
const NO_KEY: &str = "The service is not ready: it has no usable token signing key.";

/// If the keys were last read longer ago than this, `/readyz` warns. The key folder then hangs or
/// is missing, and changes of keys have no effect.
const STALE_KEYS: Duration = Duration::from_mins(1);

#[derive(Clone)]
pub struct Readiness {
    store: Arc<dyn Store>,
    keys: Option<Arc<KeyRing>>,
}

impl Readiness {
    /// The readiness of a process without the API: only the store is checked.
    pub fn of_store(store: Arc<dyn Store>) -> Self {
        Self { store, keys: None }
    }

    pub(crate) fn new(store: Arc<dyn Store>, keys: Arc<KeyRing>) -> Self {
        let keys = Some(keys);
        Self { store, keys }
    }
}

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi/service.json"),
    answers: &[of_answer::<Health>],
    errors: &[],
};

/// `GET /healthz` and `GET /readyz`. Both need a [`web::Data`] of a [`Readiness`].
pub fn routes(config: &mut web::ServiceConfig) {
    config
        .service(open("/healthz").get(healthz))
        .service(open("/readyz").get(readyz));
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(Health {
        status: "ok",
        warning: None,
    })
}

async fn readyz(readiness: web::Data<Readiness>) -> Answer {
    match timeout(PATIENCE, readiness.store.ready()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(ApiError::not_ready(NO_STORE, &error)),
        Err(elapsed) => return Err(ApiError::not_ready(NO_STORE, &elapsed)),
    }
    let keys = readiness.keys.as_deref();
    if keys.is_some_and(|keys| keys.current().keys().is_empty()) {
        return Err(ApiError::not_ready(NO_KEY, &NO_KEY));
    }
    let warning = keys.and_then(|keys| warning(keys.age()));
    if let Some(warning) = &warning {
        tracing::warn!("{warning}");
    }
    let status = "ok";
    Ok(HttpResponse::Ok().json(Health { status, warning }))
}

/// The warning about old keys. The process stays ready and uses these keys: if it were not ready,
/// it would get no requests.
fn warning(age: Duration) -> Option<String> {
    (age >= STALE_KEYS).then(|| {
        let seconds = age.as_secs();
        format!(
            "The token signing keys could not be read again for {seconds} seconds. Those known \
             before are in use; changes of them have no effect."
        )
    })
}

/// The state of a healthy service.
#[derive(Serialize, ToSchema)]
pub struct Health {
    /// The state, always `ok`.
    #[schema(extensions(("const" = json!("ok"))))]
    status: &'static str,
    /// A problem that an operator must look at, although requests are served.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(extensions(("x-optional" = json!(true))))]
    warning: Option<String>,
}

impl ApiError {
    pub fn not_ready(missing: &'static str, cause: &dyn fmt::Display) -> Self {
        tracing::warn!(%cause, "not ready");
        Self::unavailable(missing, RETRY_UNAVAILABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_were_not_read_for_a_minute_are_reported() {
        assert_eq!(warning(Duration::from_secs(59)), None);
        let message = warning(Duration::from_secs(75)).unwrap();
        assert!(message.contains("for 75 seconds"), "{message}");
    }
}
