//! `/outbox`: side effects that wait or were given up.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION, web};
use askama::Template;
use kernel::{
    audit::Action,
    outbox::{Dismissal, Revive, TaskId, TaskRow},
};
use newsletter::{subscriber::Account, tasks};

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader},
    page,
    query::Query,
    session::SignedIn,
    state::State,
    subject::{self, Subject},
    text,
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
    rows: Vec<Row>,
    /// What they wait for besides a free worker.
    hints: Vec<String>,
    next: Option<String>,
    /// The place of the page in the list.
    after: String,
    fields: Fields,
}

struct Row {
    task: TaskRow,
    purpose: &'static str,
    subject: Subject,
    is_due: bool,
}

/// The dead tasks, or those that wait.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    show(&request, &state, &Query::of(&request), Fields::default()).await
}

async fn show(request: &HttpRequest, state: &State, query: &Query, fields: Fields) -> Answer {
    let mut frame = page::Frame::of_form(request, PATH, &fields)?;
    let count = |what| query.get(what)?.parse::<u64>().ok();
    let revived = count("revived").map(|count| format!("Due again: {count}."));
    let dismissed = count("dismissed").map(|count| format!("Dismissed: {count}."));
    frame.notice = revived.or(dismissed);
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
    let (now, mut hints) = (state.now(), Vec::new());
    if !is_dead {
        hints.extend(tasks::hint(&rows, now).map(str::to_owned));
        for account in Account::ALL {
            let of_account = state.ports.accounts.account_state(*account).await?;
            hints.extend(of_account.pause(*account, now, text::minute));
        }
    }
    let subjects = subject::of_tasks(state, &rows).await?;
    let row = |(task, subject): (TaskRow, Subject)| {
        let kind = state.ports.kinds.iter().find(|it| it.as_str() == task.kind);
        Row {
            purpose: kind.map_or("", |kind| kind.purpose()),
            is_due: !is_dead && task.next_at <= now,
            subject,
            task,
        }
    };
    let page = Page {
        head: page::Head::new("Outbox"),
        frame,
        is_dead,
        rows: rows.into_iter().zip(subjects).map(row).collect(),
        hints,
        next,
        after: query.get("after").unwrap_or_default().to_owned(),
        fields,
    };
    page::answer(&page, page.fields.status())
}

/// What a form wants of dead tasks.
enum Command {
    Revive(Revive),
    Dismiss(Vec<TaskId>, String),
}

fn command(fields: &mut Reader<'_>) -> Option<Command> {
    match fields.text("action") {
        "all" => Some(Command::Revive(Revive::All)),
        "chosen" => chosen(fields).map(|tasks| Command::Revive(Revive::Tasks(tasks))),
        "dismiss" => {
            let (tasks, reason) = (chosen(fields), fields.reason());
            Some(Command::Dismiss(tasks?, reason?))
        }
        _ => fields.unknown_action(),
    }
}

/// The chosen tasks.
fn chosen(fields: &mut Reader<'_>) -> Option<Vec<TaskId>> {
    let parse = |text: &str| text.parse().map_err(|_| "must be a number");
    let ids: Vec<i64> = fields.take_all("id", parse)?;
    if ids.is_empty() {
        fields.refuse("id", "choose at least one side effect");
        return None;
    }
    Some(ids.into_iter().map(TaskId).collect())
}

/// Brings dead tasks back, the chosen ones or all, or dismisses the chosen ones.
pub async fn settle(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let (by, outbox, now) = (signed_in.attribution(), &state.ports.outbox, state.now());
    match form.read(command) {
        Ok(Command::Revive(which)) => {
            let entry = by.entry(Action::OUTBOX_RETRY, now);
            let revived = outbox.revive(&which, Some(&entry), now).await?;
            Ok(see_other("revived", revived))
        }
        Ok(Command::Dismiss(tasks, reason)) => {
            let dismissal = Dismissal {
                by,
                reason,
                at: now,
            };
            let dismissed = outbox.dismiss(&tasks, &dismissal).await?;
            Ok(see_other("dismissed", dismissed))
        }
        Err(refusal) => {
            let query = form.values();
            show(&request, &state, query, form.refused(refusal.into())?).await
        }
    }
}

/// Leads to the list, which says how many it was.
fn see_other(what: &str, count: u64) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, format!("{PATH}?{what}={count}")))
        .finish()
}
