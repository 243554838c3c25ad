use access::Scope;
use actix_web::web;
use views::attention::{Item, Pages};

use crate::{
    answer::{self, Answer, no_store},
    guard::protected,
    oauth::Caller,
    query::Query,
    section::{Section, of_answer},
    state::State,
};

pub const PATH: &str = "/api/job-board/attention";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[of_answer::<Item>],
    errors: &[],
};

fn routes(config: &mut web::ServiceConfig) {
    config.service(protected(PATH, Scope::READERS).get(list));
}

async fn list(caller: Caller, _: Query<()>, state: web::Data<State>) -> Answer {
    let stored = state.ports.stores.attention.attention().await?;
    let (client, prefixes) = (Some(caller.id()), caller.prefixes());
    let own = stored
        .items
        .iter()
        .filter(|item| item.is_for(client, prefixes));
    let pages = Pages::Integration(&state.public_url);
    let shown: Vec<_> = own.map(|item| Item::new(item, pages)).collect();
    answer::data(shown).map(no_store)
}
