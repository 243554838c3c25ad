use access::{ClientError, Scope};
use actix_web::{http::Method, web};
use views::{
    client::{Integration, Link},
    json::Timestamp,
};

use crate::{
    answer::{self, Answer, no_store},
    error::ApiError,
    guard::protected,
    oauth::Caller,
    query::Query,
    section::{Section, of_answer},
    state::State,
};

pub const PATH: &str = "/api/job-board/integration";
pub const LINK_PATH: &str = "/api/job-board/integration/link";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[of_answer::<Integration>, of_answer::<Link>],
    errors: &[],
};

fn routes(config: &mut web::ServiceConfig) {
    config
        .service(protected(PATH, Scope::READERS).get(show))
        .service(protected(LINK_PATH, Scope::READERS).on(Method::POST, link));
}

async fn show(caller: Caller, _: Query<()>, state: web::Data<State>) -> Answer {
    let activity = state.ports.stores.activity.activity(caller.id()).await?;
    let shown = Integration::new(caller.client(), &activity);
    answer::data(shown).map(no_store)
}

async fn link(caller: Caller, _: Query<()>, state: web::Data<State>) -> Answer {
    let pages = &state.ports.pages;
    let made = pages.link(&caller.narrowed(), &state.public_url).await;
    let (url, expires_at) = made.map_err(|error| match error {
        ClientError::Store(error) => error.into(),
        // The client vanished after its token was checked.
        error => ApiError::internal(&error),
    })?;
    let expires_at = Timestamp(expires_at);
    answer::data(Link { url, expires_at }).map(no_store)
}
