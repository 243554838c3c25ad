//! The pages of webhooks.

use std::collections::HashMap;

use actix_web::{HttpRequest, web};
use askama::Template;
use domain::posting::event::PUBLIC;
use kernel::{audit::Attribution, event::EventName};
use time::OffsetDateTime;
use webhooks::{
    DELIVERIES_KEPT, DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, ManagedWebhooks,
    Manager, Owner, SECRET_OVERLAP, TrackedEndpoint,
};

use crate::{
    error::{Answer, Failure},
    form::Fields,
    notice, page,
    query::Query,
    session::SignedIn,
    state::State,
    text,
};

/// The path of the list.
pub const PATH: &str = "/webhooks";
/// Endpoints of a page.
const ENDPOINTS: usize = 200;
/// The waiting events that are counted of an endpoint.
const WAITING: usize = 1_000;

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
    owner: Option<String>,
    waiting: usize,
    behind: String,
}

#[derive(Template)]
#[template(path = "webhooks/show.html")]
struct Show {
    head: page::Head,
    frame: page::Frame,
    endpoint: Endpoint,
    owner: Option<String>,
    settings: Vec<(&'static str, String)>,
    deliveries: Vec<DeliveryRecord>,
    fields: Fields,
}

#[derive(Template)]
#[template(path = "webhooks/secret.html")]
struct Issued<'a> {
    head: page::Head,
    frame: page::Frame,
    endpoint: &'a Endpoint,
    owner: Option<String>,
    secret: String,
    /// How long the secret before it signs too; `None` for the first one.
    overlap: Option<i64>,
}

/// The use cases, by an operator.
pub fn managed<'a>(state: &'a State, by: &'a Attribution) -> ManagedWebhooks<'a> {
    ManagedWebhooks {
        webhooks: &*state.ports.webhooks,
        log: &*state.ports.log,
        sender: &*state.ports.sender,
        by: Manager::Operator(by),
    }
}

/// The endpoints, or one with its deliveries.
pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    let query = Query::of(&request);
    let notice = notice::done(&request)?;
    let notice = notice.as_deref().and_then(did).map(str::to_owned);
    let by = SignedIn::of(&request)?.attribution();
    let webhooks = managed(&state, &by);
    if let Some(id) = query.get("id") {
        let id: EndpointId = id.parse().map_err(|_| Failure::NotFound)?;
        return one(&request, &webhooks, id, notice, Fields::default()).await;
    }
    all(&request, &state, &webhooks, notice, Fields::default()).await
}

/// The endpoints, and the form of a new one.
pub async fn all(
    request: &HttpRequest,
    state: &State,
    webhooks: &ManagedWebhooks<'_>,
    notice: Option<String>,
    fields: Fields,
) -> Answer {
    let query = Query::of(request);
    let mut frame = page::Frame::of_form(request, PATH, &fields)?;
    frame.notice = notice;
    let after = query.get("after").map(str::parse::<EndpointId>).transpose();
    let after = after.map_err(|_| Failure::Address)?;
    let mut found = webhooks.list(after, ENDPOINTS + 1).await?;
    let has_more = found.len() > ENDPOINTS;
    found.truncate(ENDPOINTS);
    let next = found.last().filter(|_| has_more);
    let next = next.map(|last| query.with(PATH, "after", &last.endpoint.id.to_string()));
    let backlog = state.ports.webhooks.backlog(WAITING).await?;
    let backlog: HashMap<_, _> = backlog.into_iter().map(|one| (one.endpoint, one)).collect();
    let now = state.now();
    let rows = found
        .into_iter()
        .map(|tracked| row(tracked, &backlog, now))
        .collect();
    let page = List {
        head: page::Head::new("Webhooks"),
        frame,
        rows,
        next,
        names: PUBLIC.to_vec(),
        fields,
    };
    page::answer(&page, page.fields.status())
}

/// One endpoint with its deliveries.
pub async fn one(
    request: &HttpRequest,
    webhooks: &ManagedWebhooks<'_>,
    id: EndpointId,
    notice: Option<String>,
    fields: Fields,
) -> Answer {
    let mut frame = page::Frame::of_form(request, PATH, &fields)?;
    frame.notice = notice;
    let tracked = webhooks.find(id).await?;
    let page = Show {
        head: page::Head::new("Webhook"),
        frame,
        owner: owner(&tracked.endpoint),
        settings: settings(&tracked),
        deliveries: webhooks.deliveries(id, DELIVERIES_KEPT).await?,
        endpoint: tracked.endpoint,
        fields,
    };
    page::answer(&page, page.fields.status())
}

/// The secret of an endpoint, once.
pub fn secret(request: &HttpRequest, endpoint: &Endpoint, is_rotated: bool) -> Answer {
    let page = Issued {
        head: page::Head::new("A secret"),
        frame: page::Frame::of(request, PATH)?,
        endpoint,
        owner: owner(endpoint),
        secret: endpoint.secret.reveal(),
        overlap: is_rotated.then(|| SECRET_OVERLAP.whole_hours()),
    };
    page::answer(&page, 200)
}

/// The id of the client whose endpoint it is.
fn owner(endpoint: &Endpoint) -> Option<String> {
    match endpoint.owner {
        Owner::Client(id) => Some(id.to_string()),
        Owner::Operator => None,
    }
}

fn settings(tracked: &TrackedEndpoint) -> Vec<(&'static str, String)> {
    let endpoint = &tracked.endpoint;
    let names = endpoint.names.as_deref().map(|names| {
        let names: Vec<_> = names.iter().map(EventName::as_str).collect();
        names.join(", ")
    });
    let prefixes = match endpoint.owner {
        Owner::Client(_) => "those of its client".to_owned(),
        Owner::Operator if endpoint.prefixes.are_all() => "whole board".to_owned(),
        Owner::Operator => endpoint.prefixes.as_slice().join(", "),
    };
    let posting = if endpoint.include_posting {
        "yes"
    } else {
        "no"
    };
    let fields = [
        ("Id", endpoint.id.to_string()),
        (
            "Description",
            endpoint.description.clone().unwrap_or_default(),
        ),
        ("Events", names.unwrap_or_else(|| "all".to_owned())),
        ("Prefixes", prefixes),
        ("With the posting", posting.to_owned()),
        ("Made (UTC)", text::minute(endpoint.created_at)),
        (
            "Last success (UTC)",
            text::optional_minute(tracked.health.last_success_at),
        ),
    ];
    let fields = fields.into_iter();
    fields.filter(|(_, value)| !value.is_empty()).collect()
}

fn row(
    tracked: TrackedEndpoint,
    backlog: &HashMap<EndpointId, EndpointBacklog>,
    now: OffsetDateTime,
) -> Row {
    let behind = backlog.get(&tracked.endpoint.id);
    let since = behind.and_then(|behind| behind.behind_since);
    Row {
        owner: owner(&tracked.endpoint),
        waiting: behind.map_or(0, |behind| behind.waiting),
        behind: since
            .map(|since| text::duration(now - since))
            .unwrap_or_default(),
        tracked,
    }
}

fn did(action: &str) -> Option<&'static str> {
    Some(match action {
        "pause" => "The webhook is paused; its events wait.",
        "resume" => "The webhook is active; what waited follows.",
        "replay" => "The events since then are delivered again, as far as they are kept.",
        "delete" => "The webhook is deleted.",
        _ => return None,
    })
}
