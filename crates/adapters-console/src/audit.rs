//! `/audit`: the actions of operators, newest first.

use askama::Template;
use fields::day;
use kernel::audit::{AuditPosition, AuditQuery, Entry};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader, optional},
    page::Frame,
    query::Query,
    subject::{self, Subject},
    visit::OperatorVisit,
};

const PATH: &str = "/audit";
const ENTRIES: usize = 100;

#[derive(Template)]
#[template(path = "audit.html")]
struct Page {
    frame: Frame,
    search: Fields,
    query: Query,
    is_search: bool,
    rows: Vec<(Entry, Subject)>,
    next: Option<String>,
}

pub async fn list(visit: OperatorVisit) -> Answer {
    let query = visit.query();
    let before = query.get("before").map(position).transpose()?;
    let (asked, search) = Form::search(query.clone(), wanted);
    let is_search = asked != Some(AuditQuery::default());
    let mut entries = Vec::new();
    if let Some(wanted) = asked {
        let page = AuditQuery {
            before,
            limit: ENTRIES + 1,
            ..wanted
        };
        entries = visit.stores().audit.entries(&page).await?;
    }
    let next = query.next(PATH, "before", (&mut entries, ENTRIES), |last| {
        let at = last.at.unix_timestamp_nanos() / 1_000;
        format!("{at}-{}", last.id.simple())
    });
    let subjects = subject::of_entries(visit.stores(), &entries).await?;
    let page = Page {
        frame: visit.frame_of_form(PATH, "Audit", &search),
        is_search,
        rows: entries.into_iter().zip(subjects).collect(),
        query,
        next,
        search,
    };
    page.frame.answer(&page)
}

fn wanted(fields: &mut Reader<'_>) -> Option<AuditQuery> {
    let text = |name| Some(fields.text(name).to_owned()).filter(|text| !text.is_empty());
    let (by, action, subject) = (text("by"), text("action"), text("subject"));
    let since = optional(fields.text("since"), day::since);
    Some(AuditQuery {
        since: fields.take("since", since)?,
        by,
        action,
        subject,
        ..AuditQuery::default()
    })
}

fn position(text: &str) -> Result<AuditPosition, Failure> {
    let parse = || {
        let (at, id) = text.split_once('-')?;
        let at = i128::from(at.parse::<i64>().ok()?) * 1_000;
        Some(AuditPosition {
            at: OffsetDateTime::from_unix_timestamp_nanos(at).ok()?,
            id: Uuid::try_parse(id).ok()?,
        })
    };
    parse().ok_or(Failure::Address)
}
