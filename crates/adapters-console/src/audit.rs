//! `/audit`: what operators did, newest first.

use actix_web::{HttpRequest, web};
use askama::Template;
use kernel::{
    audit::{AuditPosition, AuditQuery, Entry},
    day,
};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::{Answer, Failure},
    form::{Fields, Form, Reader, optional},
    page,
    query::Query,
    state::State,
    subject::{self, Subject},
};

const PATH: &str = "/audit";
/// Entries of a page.
const ENTRIES: usize = 100;

#[derive(Template)]
#[template(path = "audit.html")]
struct Page {
    head: page::Head,
    frame: page::Frame,
    search: Fields,
    query: Query,
    /// Whether it shows a part.
    is_search: bool,
    rows: Vec<(Entry, Subject)>,
    next: Option<String>,
}

/// A page of the audit.
pub async fn list(request: HttpRequest, state: web::Data<State>) -> Answer {
    let query = Query::of(&request);
    let before = query.get("before").map(position).transpose()?;
    let (asked, search) = match Form::of(query.clone()).read(wanted) {
        Ok(wanted) => (Some(wanted), Fields::showing(query.clone())),
        Err(refusal) => (None, Fields::refused(query.clone(), refusal)),
    };
    let mut entries = Vec::new();
    if let Some(wanted) = asked.clone() {
        let page = AuditQuery {
            before,
            limit: ENTRIES + 1,
            ..wanted
        };
        entries = state.ports.audit.entries(&page).await?;
    }
    let has_more = entries.len() > ENTRIES;
    entries.truncate(ENTRIES);
    let last = entries.last().filter(|_| has_more);
    let next = last.map(|last| {
        let at = last.at.unix_timestamp_nanos() / 1_000;
        query.with(PATH, "before", &format!("{at}-{}", last.id.simple()))
    });
    let subjects = subject::of_entries(&state, &entries).await?;
    let page = Page {
        head: page::Head::new("Audit"),
        frame: page::Frame::of_form(&request, PATH, &search)?,
        is_search: asked != Some(AuditQuery::default()),
        rows: entries.into_iter().zip(subjects).collect(),
        query,
        next,
        search,
    };
    page::answer(&page, page.search.status())
}

/// The selection of an address.
fn wanted(fields: &mut Reader<'_>) -> Option<AuditQuery> {
    let text = |name| Some(fields.text(name).to_owned()).filter(|text| !text.is_empty());
    let (by, action) = (text("by"), text("action"));
    let since = optional(fields.text("since"), day::since);
    Some(AuditQuery {
        since: fields.take("since", since)?,
        by,
        action,
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
