//! `/reports`: waiting reports by posting, and clients' objections.

use std::collections::BTreeMap;

use actix_web::web;
use askama::Template;
use domain::{
    posting::{Ground, Posting, moderation::Moderation},
    report::{Report, ReportState, WaitingObjection},
    usecase,
};
use kernel::{PostingId, ReportId};
use runtime::{COMMAND_PATIENCE, decide_again};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader},
    page::{Frame, page},
    postings::act::{statement, version},
    query::Query,
    visit::OperatorVisit,
};

const PATH: &str = "/reports";
/// Reports per page. Further reports about the same postings do not count.
const REPORTS: usize = 100;
const OBJECTIONS: usize = 100;

pub fn routes(config: &mut web::ServiceConfig) {
    config.service(page(PATH, list).route(web::post().to(decide)));
}

#[derive(Template)]
#[template(path = "reports.html")]
struct Page {
    frame: Frame,
    groups: Vec<Group>,
    objections: Vec<WaitingObjection>,
    next: Option<String>,
    fields: Fields,
    none: Fields,
}

struct Group {
    id: PostingId,
    /// `None` if the posting is gone.
    posting: Option<Posting>,
    reports: Vec<Report>,
}

impl Group {
    fn name(&self) -> &str {
        match (&self.posting, self.reports.first()) {
            (Some(posting), _) => &posting.details.title,
            (None, Some(report)) => report.source_identifier.as_str(),
            (None, None) => "",
        }
    }
}

impl Page {
    /// The fields of a group's form, as typed if that form was refused.
    fn of(&self, group: &Group) -> &Fields {
        if self.fields.get("posting") == group.id.to_string() {
            &self.fields
        } else {
            &self.none
        }
    }
}

async fn list(visit: OperatorVisit) -> Answer {
    show(&visit, &visit.query(), Fields::default()).await
}

async fn show(visit: &OperatorVisit, query: &Query, fields: Fields) -> Answer {
    let stores = visit.stores();
    let after = query.get("after").map(place).transpose()?;
    let listed = stores
        .reports
        .reports(ReportState::Waiting, after, REPORTS + 1);
    let mut listed = listed.await?;
    let next = query.next(PATH, "after", (&mut listed, REPORTS), |last| {
        format!("{}_{}", last.at.unix_timestamp_nanos(), last.id)
    });
    let mut groups: BTreeMap<PostingId, Vec<Report>> = BTreeMap::new();
    let ids: Vec<_> = listed.iter().map(|report| report.posting).collect();
    for report in stores
        .reports
        .waiting_reports(&::fields::unique(ids))
        .await?
    {
        groups.entry(report.posting).or_default().push(report);
    }
    // A posting is on the page of its oldest report.
    groups.retain(|_, reports| {
        let oldest = reports.first().map(|report| (report.at, report.id));
        oldest > after
    });
    let ids: Vec<_> = groups.keys().copied().collect();
    let known = stores.store.load_by_id(&ids).await?.postings;
    let mut known: BTreeMap<_, _> = known.into_values().map(|it| (it.id, it)).collect();
    let groups = groups.into_iter().map(|(id, reports)| Group {
        id,
        posting: known.remove(&id),
        reports,
    });
    let mut groups: Vec<_> = groups.collect();
    groups.sort_by_key(|group| group.reports.first().map(|report| (report.at, report.id)));
    let done = visit.done();
    let done = done.as_deref().and_then(|done| done.split_once('-'));
    let notice = done.and_then(|(what, count)| match what {
        "acted" => Some(format!("Answered reports: {count}.")),
        "dismissed" => Some(format!("Dismissed reports: {count}.")),
        _ => None,
    });
    let objections = match after {
        None => stores.reports.waiting_objections(OBJECTIONS).await?,
        Some(_) => Vec::new(),
    };
    let page = Page {
        frame: visit.frame_of_form(PATH, "Reports", &fields).saying(notice),
        groups,
        objections,
        next,
        fields,
        none: Fields::default(),
    };
    page.frame.answer(&page)
}

fn place(text: &str) -> Result<(OffsetDateTime, ReportId), Failure> {
    let place = text.split_once('_').and_then(|(at, id)| {
        let at = OffsetDateTime::from_unix_timestamp_nanos(at.parse().ok()?).ok()?;
        Some((at, ReportId::new(Uuid::try_parse(id).ok()?)))
    });
    place.ok_or(Failure::Address)
}

enum Command {
    Act(Moderation, kernel::Version),
    Dismiss(String),
}

fn command(fields: &mut Reader<'_>) -> Option<(Vec<ReportId>, Command)> {
    let verdict: Option<fn(String, Ground) -> Moderation> = match fields.text("action") {
        "reject" => Some(|reason, ground| Moderation::Reject { reason, ground }),
        "expire" => Some(|reason, ground| Moderation::Expire { reason, ground }),
        "dismiss" => None,
        _ => return fields.unknown_action(),
    };
    let parse = |text: &str| Uuid::try_parse(text).map(ReportId::new);
    let ids = fields.take_all("id", parse);
    if ids.as_ref().is_some_and(Vec::is_empty) {
        fields.refuse("id", "choose at least one report");
    }
    let command = match verdict {
        Some(verdict) => {
            let given = statement(fields);
            let seen = version(fields.text("version"));
            let seen = fields.take("version", seen);
            given.and_then(|(reason, ground)| Some(Command::Act(verdict(reason, ground), seen?)))
        }
        None => fields.reason().map(Command::Dismiss),
    };
    Some((ids?, command?))
}

async fn decide(visit: OperatorVisit, form: Form) -> Answer {
    let done = carry_out(&visit, &form).await;
    let page = async |refused| show(&visit, &Query::parse(""), refused).await;
    form.answer(done, page).await
}

async fn carry_out(visit: &OperatorVisit, form: &Form) -> Answer {
    let (ids, command) = form.read(command)?;
    let (stores, by, now) = (visit.stores(), &visit.by, visit.now);
    let ports = (&*stores.store, &*stores.reports);
    match command {
        Command::Act(verdict, seen) => {
            let lifetime = visit.ports().lifetime;
            let id = *ids.first().ok_or(Failure::NotFound)?;
            let attempt =
                || usecase::act_on_report(ports, id, &verdict, Some(seen), by, lifetime, now);
            let count = decide_again(COMMAND_PATIENCE, attempt).await?;
            Ok(visit.lead(PATH, &format!("acted-{count}")))
        }
        Command::Dismiss(reason) => {
            for id in &ids {
                let attempt = || usecase::dismiss_report(ports, *id, &reason, by, now);
                decide_again(COMMAND_PATIENCE, attempt).await?;
            }
            Ok(visit.lead(PATH, &format!("dismissed-{}", ids.len())))
        }
    }
}
