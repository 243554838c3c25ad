//! The list of webhooks, and the form of a new one.

use std::collections::HashMap;

use actix_web::HttpRequest;
use askama::Template;
use domain::posting::event::PUBLIC;
use kernel::{ClientId, event::EventName};
use time::OffsetDateTime;
use webhooks::{EndpointBacklog, EndpointId, TrackedEndpoint};

use super::{
    desk::Desk,
    parts::{ClientLink, PATH, names},
};
use crate::{
    error::{Answer, Failure},
    form::Fields,
    notice, page,
    query::Query,
    text,
};

/// Endpoints of a page.
const ENDPOINTS: usize = 200;
/// The waiting events that are counted of an endpoint.
const WAITING: usize = 1_000;
/// The clients whose names are read at once.
const CLIENTS: usize = 1_000;

#[derive(Template)]
#[template(path = "webhooks/list.html")]
struct List {
    head: page::Head,
    frame: page::Frame,
    rows: Vec<Row>,
    next: Option<String>,
    names: Vec<EventName>,
    fields: Fields,
}

struct Row {
    tracked: TrackedEndpoint,
    owner: Option<ClientLink>,
    waiting: usize,
    behind: String,
}

/// The endpoints.
pub async fn list(request: &HttpRequest, desk: &Desk<'_>) -> Answer {
    all(request, desk, Fields::default()).await
}

/// The endpoints, and the form of a new one.
pub async fn all(request: &HttpRequest, desk: &Desk<'_>, fields: Fields) -> Answer {
    let query = Query::of(request);
    let mut frame = page::Frame::of_form(request, PATH, &fields)?;
    let done = notice::done(request)?;
    let is_deleted = done.as_deref() == Some("delete");
    frame.notice = is_deleted.then(|| "The webhook is deleted.".to_owned());
    let after = query.get("after").map(str::parse::<EndpointId>).transpose();
    let after = after.map_err(|_| Failure::Address)?;
    let webhooks = &desk.webhooks;
    let mut found = webhooks.list(after, ENDPOINTS + 1).await?;
    let has_more = found.len() > ENDPOINTS;
    found.truncate(ENDPOINTS);
    let next = found.last().filter(|_| has_more);
    let next = next.map(|last| {
        let last = last.endpoint.id.to_string();
        query.with(&frame.place.at(PATH), "after", &last)
    });
    let backlog = webhooks.webhooks.backlog(WAITING).await?;
    let backlog: HashMap<_, _> = backlog.into_iter().map(|one| (one.endpoint, one)).collect();
    let owners = if frame.place.is_console() {
        names(desk.clients.list(CLIENTS).await?)
    } else {
        HashMap::new()
    };
    let now = desk.now;
    let rows = found
        .into_iter()
        .map(|tracked| row(tracked, &owners, &backlog, now))
        .collect();
    let page = List {
        head: page::Head::at(frame.place, "Webhooks"),
        frame,
        rows,
        next,
        names: PUBLIC.to_vec(),
        fields,
    };
    page::answer(&page, page.fields.status())
}

fn row(
    tracked: TrackedEndpoint,
    owners: &HashMap<ClientId, String>,
    backlog: &HashMap<EndpointId, EndpointBacklog>,
    now: OffsetDateTime,
) -> Row {
    let behind = backlog.get(&tracked.endpoint.id);
    let since = behind.and_then(|behind| behind.behind_since);
    Row {
        owner: ClientLink::among(owners, &tracked.endpoint),
        waiting: behind.map_or(0, |behind| behind.waiting),
        behind: since
            .map(|since| text::duration(now - since))
            .unwrap_or_default(),
        tracked,
    }
}
