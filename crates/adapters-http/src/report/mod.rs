//! Reports of readers over HTTP, which the board's own site sends.

use access::Scope;
use actix_web::{
    http::{Method, StatusCode},
    web,
};
use domain::{report::NewReport, usecase};
use kernel::ReportId;
use runtime::{COMMAND_PATIENCE, decide_again};
use uuid::{Builder, Uuid};
use views::report::{Report, SentReport};

use crate::{
    answer::{self, Answer, no_store},
    body::Body,
    error::{ApiError, refusals},
    guard::protected,
    oauth::Caller,
    query::Query,
    section::{Section, errors, of_answer},
    state::{State, now},
};

pub const PATH: &str = "/api/job-board/reports";

/// The largest body in bytes, because all texts in it are short.
pub const LARGEST_BODY: usize = 32 * 1024;

pub const SECTION: Section = Section {
    routes,
    document: include_str!("openapi.json"),
    answers: &[of_answer::<Report>, of_answer::<SentReport>],
    errors: ERRORS,
};

errors! {
    "ReportNotFound"
        "There is no such report, or it is about a posting that the client may not see."
        ApiError::no_such_report();
}

fn routes(config: &mut web::ServiceConfig) {
    config
        .service(protected(PATH, Scope::REPORTERS).on(Method::POST, send))
        .service(protected(&format!("{PATH}/{{id}}"), Scope::REPORTERS).get(show));
}

refusals! {
    no_such_report: NOT_FOUND, "Report not found.";
}

async fn send(caller: Caller, _: Query<()>, body: Body, state: web::Data<State>) -> Answer {
    let body = body.json(state.small_limit(LARGEST_BODY)).await?;
    let new = NewReport::parse(&body)?;
    // The id is random, so that it reveals no other id.
    let id = ReportId::new(Builder::from_random_bytes(rand::random()).into_uuid());
    let stores = &state.ports.stores;
    let (ports, prefixes) = ((&*stores.store, &*stores.reports), caller.prefixes());
    let attempt = || usecase::report(ports, &new, id, prefixes, now());
    let id = decide_again(COMMAND_PATIENCE, attempt).await?;
    let data = SentReport { uuid: id.uuid() };
    answer::data_with(StatusCode::ACCEPTED, data).map(no_store)
}

async fn show(
    caller: Caller,
    _: Query<()>,
    id: web::Path<String>,
    state: web::Data<State>,
) -> Answer {
    let id = Uuid::try_parse(&id).map_err(|_| ApiError::no_such_report())?;
    let found = state.ports.stores.reports.report(ReportId::new(id)).await?;
    let seen = found.filter(|report| caller.prefixes().permit(&report.source_identifier));
    let report = seen.ok_or_else(ApiError::no_such_report)?;
    answer::data(Report::new(&report)).map(no_store)
}
