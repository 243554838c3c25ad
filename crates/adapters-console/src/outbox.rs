//! `/outbox`: side effects that wait or were given up.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION, web};
use askama::Template;
use domain::{
    audit::Action,
    outbox::{Revive, TaskId, TaskRow},
};

use crate::{
    error::{Answer, Failure},
    form::Form,
    page,
    query::Query,
    session::SignedIn,
    state::State,
};

const PATH: &str = "/outbox";
/// Tasks of a page.
const TASKS: usize = 100;

#[derive(Template)]
#[template(path = "outbox.html")]
struct Page {
    head: page::Head,
    frame: page::Frame,
    is_dead: bool,
    rows: Vec<TaskRow>,
    next: Option<String>,
}

/// The dead tasks, or those that wait.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let mut frame = page::Frame::of(&request, PATH)?;
    let query = Query::of(&request);
    let revived = query
        .get("revived")
        .and_then(|count| count.parse::<u64>().ok());
    frame.notice = revived.map(|count| format!("Brought back: {count}."));
    let is_dead = query.get("show") != Some("waiting");
    let after = query.get("after").map(str::parse::<i64>).transpose();
    let after = after.map_err(|_| Failure::field("after: this is no place in the list"))?;
    let mut rows = state
        .ports
        .outbox
        .list(is_dead, after.map(TaskId), TASKS + 1)
        .await?;
    let has_more = rows.len() > TASKS;
    rows.truncate(TASKS);
    let next = rows.last().filter(|_| has_more);
    let next = next.map(|last| query.with(PATH, "after", &last.id.0.to_string()));
    let page = Page {
        head: page::Head::new("Outbox"),
        frame,
        is_dead,
        rows,
        next,
    };
    page::answer(&page, 200)
}

/// Brings dead tasks back: the chosen ones, or all.
pub async fn retry(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let which = match form.get("action") {
        Some("all") => Revive::All,
        Some("chosen") => {
            let ids = form.all("id").map(|text| text.parse().map(TaskId));
            let ids: Vec<_> = ids
                .collect::<Result<_, _>>()
                .map_err(|_| Failure::field("id: must be a number"))?;
            if ids.is_empty() {
                return Err(Failure::field("No side effect is chosen."));
            }
            Revive::Tasks(ids)
        }
        _ => return Err(Failure::field("action: must be one of those on the page")),
    };
    let now = state.now();
    let entry = signed_in.attribution().entry(Action::OUTBOX_RETRY, now);
    let revived = state.ports.outbox.revive(&which, Some(&entry), now).await?;
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, format!("{PATH}?revived={revived}")))
        .finish())
}
