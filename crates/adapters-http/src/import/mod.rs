//! Imports: many pushes in one request, either loose or as a whole catalogue.
//!
//! `body` unpacks the bytes that arrive, and `lines` splits them. `run` passes the lines on and
//! collects the receipts in a `spool`. The answer begins after the end of the body.

mod body;
mod catalogue;
mod lines;
mod run;
mod spool;

use access::Scope;
use actix_web::{http::Method, web};
use views::import::{Catalogue, ImportLine, MissingView, NoticeView, Released, Undone};

use self::run::{ImportOptions, run};
use crate::{
    answer::Answer,
    body::Body,
    guard::{clients, importers, protected},
    oauth::Caller,
    section::{Section, of_answer},
    state::State,
};

pub const IMPORTS_PATH: &str = "/api/job-board/imports";
pub const CATALOGUES_PATH: &str = "/api/job-board/catalogues";

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[
        of_answer::<ImportLine>,
        of_answer::<NoticeView>,
        of_answer::<Catalogue>,
        of_answer::<MissingView>,
        of_answer::<Released>,
        of_answer::<Undone>,
    ],
};

fn routes(config: &mut web::ServiceConfig) {
    let of = |what: &str, scopes| {
        let path = format!("{CATALOGUES_PATH}/{{name:[^/]*}}{what}");
        protected(&path, scopes)
    };
    let (importers, writers) = (importers(Scope::WRITERS), clients(Scope::WRITERS));
    for resource in [
        protected(IMPORTS_PATH, Scope::WRITERS).with(Method::POST, &importers, import),
        protected(CATALOGUES_PATH, Scope::READERS).get(catalogue::list),
        of("/missing", Scope::READERS).get(catalogue::missing),
        of("/release", Scope::WRITERS).on(Method::POST, catalogue::release),
        of("/undo", Scope::WRITERS).on(Method::POST, catalogue::undo),
        of("", Scope::READERS)
            .get(catalogue::show)
            .with(Method::PUT, &importers, catalogue::import)
            .with(Method::DELETE, writers, catalogue::delete),
    ] {
        config.service(resource);
    }
}

async fn import(
    caller: Caller,
    options: ImportOptions,
    body: Body,
    state: web::Data<State>,
) -> Answer {
    run(caller, options, body, &state, None).await
}
