//! What a client can learn about itself: its settings, and what came of its pushes.

mod view;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, HeaderValue},
    },
    web,
};

pub use self::view::{IntegrationAnswer, client_data};
use crate::{
    answer, api, error::ApiError, posting::READERS, query::no_parameters, routing::READ_METHODS,
    state::State,
};

/// The path.
pub const PATH: &str = "/api/job-board/integration";

/// `GET` of the client that asks.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(api::bodiless(PATH, READERS, READ_METHODS, handle));
}

async fn handle(request: &HttpRequest, state: &State) -> Result<HttpResponse, ApiError> {
    let caller = api::authorize(request, state, READERS).await?;
    no_parameters(request)?;
    let activity = state.ports.activity.activity(caller.id()).await?;
    let shown = IntegrationAnswer::new(caller.client(), &activity);
    let mut response = answer::json(StatusCode::OK, &shown)?;
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, no_store);
    Ok(response)
}
