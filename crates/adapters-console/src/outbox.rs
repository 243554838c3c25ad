//! `/outbox`: waiting and dead side effects.

use askama::Template;
use kernel::{
    audit::OUTBOX_RETRY,
    outbox::{Dismissal, Kind, Revive, TaskId, TaskRow},
};
use newsletter::{subscriber::Account, tasks};
use time::OffsetDateTime;

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader},
    page::Frame,
    query::Query,
    subject::{self, Subject},
    text,
    visit::OperatorVisit,
};

pub const LACKS_A_WORKER: &str = "\
    A sync, migrate or withdraw that is due and has no error waits for a worker with its account's\n\
    key (POSTHASTE_MAILERLITE_OLD_API_KEY, …_NEW_API_KEY; a migrate needs both), or for an account\n\
    that is paused for a while.";

const PATH: &str = "/outbox";
const TASKS: usize = 100;

#[derive(Template)]
#[template(path = "outbox.html")]
struct Page<'a> {
    frame: Frame,
    is_dead: bool,
    rows: Vec<(TaskRow, Subject)>,
    kinds: &'a [Kind],
    hints: Vec<String>,
    next: Option<String>,
    after: String,
    fields: Fields,
    now: OffsetDateTime,
}

impl Page<'_> {
    fn purpose(&self, task: &TaskRow) -> &'static str {
        let mut kinds = self.kinds.iter();
        let kind = kinds.find(|kind| kind.as_str() == task.kind);
        kind.map_or("", |kind| kind.purpose())
    }
}

pub async fn list(visit: OperatorVisit) -> Answer {
    show(&visit, &visit.query(), Fields::default()).await
}

async fn show(visit: &OperatorVisit, query: &Query, fields: Fields) -> Answer {
    let (stores, now) = (visit.stores(), visit.now);
    let done = visit.done();
    let done = done.as_deref().and_then(|done| done.split_once('-'));
    let notice = done.and_then(|(what, count)| match what {
        "revived" => Some(format!("Due again: {count}.")),
        "dismissed" => Some(format!("Dismissed: {count}.")),
        _ => None,
    });
    let is_dead = query.get("show") != Some("waiting");
    let after = query.get("after").map(str::parse::<i64>).transpose();
    let after = after.map_err(|_| Failure::Address)?;
    let listed = stores.outbox.list(is_dead, after.map(TaskId), TASKS + 1);
    let mut rows = listed.await?;
    let next = query.next(PATH, "after", (&mut rows, TASKS), |last| {
        last.id.0.to_string()
    });
    let mut hints = Vec::new();
    if !is_dead {
        hints.extend(tasks::lack_a_worker(&rows, now).then(|| LACKS_A_WORKER.to_owned()));
        for account in Account::ALL {
            let of_account = stores.accounts.account_state(*account).await?;
            hints.extend(of_account.pause(*account, now, text::minute));
        }
    }
    let subjects = subject::of_tasks(stores, &rows).await?;
    let page = Page {
        frame: visit.frame_of_form(PATH, "Outbox", &fields).saying(notice),
        is_dead,
        rows: rows.into_iter().zip(subjects).collect(),
        kinds: visit.state.settings.kinds,
        hints,
        next,
        after: query.get("after").unwrap_or_default().to_owned(),
        fields,
        now,
    };
    page.frame.answer(&page)
}

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

fn chosen(fields: &mut Reader<'_>) -> Option<Vec<TaskId>> {
    let parse = |text: &str| text.parse().map_err(|_| "must be a number");
    let ids: Vec<i64> = fields.take_all("id", parse)?;
    if ids.is_empty() {
        fields.refuse("id", "choose at least one side effect");
        return None;
    }
    Some(ids.into_iter().map(TaskId).collect())
}

pub async fn settle(visit: OperatorVisit, form: Form) -> Answer {
    let (by, outbox, at) = (visit.by.clone(), &visit.stores().outbox, visit.now);
    let done = match form.read(command) {
        Ok(Command::Revive(which)) => {
            let entry = by.entry(OUTBOX_RETRY, at);
            let revived = outbox.revive(&which, Some(&entry), at).await?;
            format!("revived-{revived}")
        }
        Ok(Command::Dismiss(tasks, reason)) => {
            let dismissal = Dismissal { by, reason, at };
            let dismissed = outbox.dismiss(&tasks, &dismissal).await?;
            format!("dismissed-{dismissed}")
        }
        Err(failure) => {
            let refused = form.refused(failure)?;
            return show(&visit, form.values(), refused).await;
        }
    };
    Ok(visit.lead(PATH, &done))
}
