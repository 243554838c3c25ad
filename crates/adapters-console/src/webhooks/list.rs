//! The list of webhooks, and the form of a new one.

use access::Client;
use askama::Template;
use domain::posting::event::PUBLIC;
use kernel::event::EventName;
use time::OffsetDateTime;
use webhooks::{EndpointBacklog, EndpointId, TrackedEndpoint};

use super::desk::{Desk, PATH, by};
use crate::{
    by::By,
    error::{Answer, Failure},
    form::Fields,
    page::{self, Frame},
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
    frame: Frame,
    rows: Vec<TrackedEndpoint>,
    next: Option<String>,
    names: Vec<EventName>,
    fields: Fields,
    clients: Vec<Client>,
    backlog: Vec<EndpointBacklog>,
    now: OffsetDateTime,
}

impl List {
    fn owner(&self, row: &TrackedEndpoint) -> By {
        by(row.endpoint.owner, &self.clients)
    }

    /// How many events wait for an endpoint, and since when the first.
    fn waiting(&self, row: &TrackedEndpoint) -> (usize, String) {
        let mut backlog = self.backlog.iter();
        let found = backlog.find(|one| one.endpoint == row.endpoint.id);
        found.map_or((0, String::new()), |one| {
            let behind = one
                .behind_since
                .map(|since| text::duration(self.now - since));
            (one.waiting, behind.unwrap_or_default())
        })
    }
}

/// The endpoints.
pub async fn list(desk: Desk) -> Answer {
    all(&desk, Fields::default()).await
}

/// The endpoints, and the form of a new one.
pub async fn all(desk: &Desk, fields: Fields) -> Answer {
    let query = desk.query();
    let is_deleted = desk.done().as_deref() == Some("delete");
    let after = query.get("after").map(str::parse::<EndpointId>).transpose();
    let after = after.map_err(|_| Failure::Address)?;
    let webhooks = desk.webhooks();
    let mut rows = webhooks.list(after, ENDPOINTS + 1).await?;
    let frame = desk.frame_of_form(PATH, "Webhooks", &fields);
    let page = List {
        next: query.next(&desk.at(PATH), "after", (&mut rows, ENDPOINTS), |last| {
            last.endpoint.id.to_string()
        }),
        clients: if frame.is_console() {
            desk.ports().clients.list(CLIENTS).await?
        } else {
            Vec::new()
        },
        frame: frame.saying(is_deleted.then_some("The webhook is deleted.")),
        rows,
        names: PUBLIC.to_vec(),
        fields,
        backlog: webhooks.webhooks.backlog(WAITING).await?,
        now: desk.now,
    };
    page::answer(&page, page.frame.status)
}
