//! `/outbox`: side effects that wait or were given up.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION, web};
use askama::Template;
use domain::{
    audit::Action,
    outbox::{Revive, TaskId, TaskRow},
};

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader},
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
    /// The place of the page in the list.
    after: String,
    fields: Fields,
}

/// The dead tasks, or those that wait.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    show(&request, &state, &Query::of(&request), Fields::default()).await
}

async fn show(request: &HttpRequest, state: &State, query: &Query, fields: Fields) -> Answer {
    let mut frame = page::Frame::of_form(request, PATH, &fields)?;
    let revived = query
        .get("revived")
        .and_then(|count| count.parse::<u64>().ok());
    frame.notice = revived.map(|count| format!("Brought back: {count}."));
    let is_dead = query.get("show") != Some("waiting");
    let after = query.get("after").map(str::parse::<i64>).transpose();
    let after = after.map_err(|_| Failure::Address)?;
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
        after: query.get("after").unwrap_or_default().to_owned(),
        fields,
    };
    page::answer(&page, page.fields.status())
}

fn which(fields: &mut Reader<'_>) -> Option<Revive> {
    match fields.text("action") {
        "all" => Some(Revive::All),
        "chosen" => {
            let parse = |text: &str| text.parse().map_err(|_| "must be a number");
            let ids: Vec<i64> = fields.take_all("id", parse)?;
            if ids.is_empty() {
                fields.refuse("id", "choose at least one side effect");
                return None;
            }
            Some(Revive::Tasks(ids.into_iter().map(TaskId).collect()))
        }
        _ => fields.unknown_action(),
    }
}

/// Brings dead tasks back: the chosen ones, or all.
pub async fn retry(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let which = match form.read(which) {
        Ok(which) => which,
        Err(refusal) => {
            let query = form.values();
            return show(&request, &state, query, form.refused(refusal.into())?).await;
        }
    };
    let now = state.now();
    let entry = signed_in.attribution().entry(Action::OUTBOX_RETRY, now);
    let revived = state.ports.outbox.revive(&which, Some(&entry), now).await?;
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, format!("{PATH}?revived={revived}")))
        .finish())
}
