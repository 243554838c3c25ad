//! What a client can learn about itself: its settings, and what came of its pushes.

mod view;

use actix_web::{HttpResponse, http::StatusCode, web};

pub use self::view::{IntegrationAnswer, client_data};
use crate::{
    answer::{self, no_store},
    error::ApiError,
    guard::protected,
    oauth::Caller,
    posting::READERS,
    query::Query,
    state::State,
};

/// The path.
pub const PATH: &str = "/api/job-board/integration";

/// `GET` of the client that asks.
pub fn routes(config: &mut web::ServiceConfig) {
    config.service(protected(PATH, READERS).get(show).build());
}

async fn show(
    caller: Caller,
    _: Query<()>,
    state: web::Data<State>,
) -> Result<HttpResponse, ApiError> {
    let activity = state.ports.activity.activity(caller.id()).await?;
    let shown = IntegrationAnswer::new(caller.client(), &activity);
    answer::json(StatusCode::OK, &shown).map(no_store)
}
