//! `/audit`: what operators did, newest first.

use actix_web::{HttpRequest, web};
use askama::Template;
use kernel::audit::{AuditPosition, AuditQuery, Entry};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    page,
    query::Query,
    state::State,
    text,
};

const PATH: &str = "/audit";
/// Entries of a page.
const ENTRIES: usize = 100;
/// The largest part of an entry's details, in bytes.
const DETAILS: usize = 2_000;

#[derive(Template)]
#[template(path = "audit.html")]
struct Page {
    head: page::Head,
    frame: page::Frame,
    rows: Vec<Row>,
    next: Option<String>,
}

struct Row {
    at: String,
    by: String,
    action: String,
    subject: String,
    details: String,
}

/// A page of the audit.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let frame = page::Frame::of(&request, PATH)?;
    let query = Query::of(&request);
    let asked = AuditQuery {
        before: query.get("before").map(position).transpose()?,
        limit: ENTRIES + 1,
        ..AuditQuery::default()
    };
    let mut entries = state.ports.audit.entries(&asked).await?;
    let has_more = entries.len() > ENTRIES;
    entries.truncate(ENTRIES);
    let last = entries.last().filter(|_| has_more);
    let next = last.map(|last| {
        let at = last.at.unix_timestamp_nanos() / 1_000;
        query.with(PATH, "before", &format!("{at}-{}", last.id.simple()))
    });
    let page = Page {
        head: page::Head::new("Audit"),
        frame,
        rows: entries.into_iter().map(row).collect(),
        next,
    };
    page::answer(&page, 200)
}

fn row(entry: Entry) -> Row {
    let details = entry
        .details
        .iter()
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}: {text}"),
            None => format!("{name}: {value}"),
        });
    let mut details = details.collect::<Vec<_>>().join("; ");
    details.truncate(details.floor_char_boundary(DETAILS));
    Row {
        at: text::minute(entry.at),
        by: entry.by,
        action: entry.action.to_string(),
        subject: entry.subject.unwrap_or_default(),
        details,
    }
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
