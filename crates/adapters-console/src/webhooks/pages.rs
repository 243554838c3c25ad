//! The pages of webhooks, the same for operators and clients: the [`Desk`] holds the differences.

use std::{
    future::{Ready, ready},
    ops::Deref,
};

use access::{Client, Scope};
use actix_web::{FromRequest, HttpRequest, dev::Payload, web};
use askama::Template;
use domain::{posting::event::PUBLIC, store::Store};
use kernel::{
    ClientId,
    audit::Attribution,
    event::{Cursor, EventName, RecordedEvent, Subject},
};
use time::OffsetDateTime;
use uuid::Uuid;
use views::{attention::Pages, event::DeliveredEvent};
use webhooks::{
    DELIVERIES_KEPT, DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, LoggedDelivery,
    ManagedWebhooks, Manager, Owner, SECRET_OVERLAP, TrackedEndpoint, WebhookError,
};

use crate::{
    by::By,
    error::{Answer, Failure},
    form::Fields,
    page::Frame,
    state::State,
    text,
    visit::Visit,
};

pub const PATH: &str = "/webhooks";
const ENDPOINTS: usize = 200;
const WAITING: usize = 1_000;
const CLIENTS: usize = 1_000;

pub struct Desk {
    visit: Visit,
    author: Author,
}

enum Author {
    /// An operator, whose test deliveries are audited.
    Operator(Attribution, web::Data<State>),
    Client(ClientId),
}

impl Desk {
    fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let visit = Visit::of(request)?;
        let author = match visit.attribution() {
            Some(by) => {
                let state = request.app_data::<web::Data<State>>().cloned();
                Author::Operator(by, state.ok_or(Failure::Forbidden)?)
            }
            None => Author::Client(visit.client(Scope::MANAGERS)?.id),
        };
        Ok(Self { visit, author })
    }

    pub fn webhooks(&self) -> ManagedWebhooks<'_> {
        let ports = self.ports();
        ManagedWebhooks {
            webhooks: &*ports.stores.webhooks,
            log: &*ports.stores.events,
            clients: &*ports.stores.clients,
            sender: &*ports.sender,
            by: match &self.author {
                Author::Operator(by, _) => Manager::Operator(by),
                Author::Client(id) => Manager::Client(*id),
            },
        }
    }

    fn pages(&self) -> Pages<'_> {
        let url = &self.visit.site.origin;
        match self.author {
            Author::Operator(..) => Pages::Console(url),
            Author::Client(_) => Pages::Integration(url),
        }
    }

    pub fn store(&self) -> Option<&dyn Store> {
        match &self.author {
            Author::Operator(_, state) => Some(&*state.stores.store),
            Author::Client(_) => None,
        }
    }

    async fn owner(&self, owner: Owner) -> Result<By, Failure> {
        let mut known = Vec::new();
        if let Owner::Client(id) = owner {
            known.extend(self.stores().clients.find(id).await?);
        }
        Ok(by(owner, &known))
    }
}

fn by(owner: Owner, clients: &[Client]) -> By {
    match owner {
        Owner::Client(id) => By::client(id, clients),
        Owner::Operator => By::named("operators"),
    }
}

pub fn id(text: &str) -> Result<EndpointId, Failure> {
    text.parse().map_err(|_| Failure::NotFound)
}

impl Deref for Desk {
    type Target = Visit;

    fn deref(&self) -> &Visit {
        &self.visit
    }
}

impl FromRequest for Desk {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request))
    }
}

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

pub async fn list(desk: Desk) -> Answer {
    all(&desk, Fields::default()).await
}

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
            desk.stores().clients.list(CLIENTS).await?
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
    page.frame.answer(&page)
}

#[derive(Template)]
#[template(path = "webhooks/show.html")]
struct Show {
    frame: Frame,
    endpoint: Endpoint,
    owner: By,
    facts: Vec<(&'static str, String)>,
    deliveries: Vec<LoggedDelivery>,
    names: Vec<EventName>,
    settings: Fields,
    replay: Fields,
}

#[derive(Template)]
#[template(path = "webhooks/secret.html")]
struct Issued<'a> {
    frame: Frame,
    endpoint: &'a Endpoint,
    owner: By,
    secret: String,
    /// How many hours the previous secret also signs; `None` for the first secret.
    overlap: Option<i64>,
}

pub async fn show(desk: Desk, path: web::Path<String>) -> Answer {
    let notice = desk.done();
    let notice = notice.as_deref().and_then(did).map(str::to_owned);
    one(&desk, id(&path)?, notice, Fields::default()).await
}

pub async fn one(desk: &Desk, id: EndpointId, notice: Option<String>, refused: Fields) -> Answer {
    let webhooks = desk.webhooks();
    let tracked = webhooks.find(id).await?;
    let page = Show {
        frame: desk.frame_of_form(PATH, "Webhook", &refused).saying(notice),
        owner: desk.owner(tracked.endpoint.owner).await?,
        facts: facts(&tracked),
        deliveries: webhooks.deliveries(id, DELIVERIES_KEPT).await?,
        names: PUBLIC.to_vec(),
        settings: Fields::of_action(&refused, &["update"], settings(&tracked.endpoint)),
        replay: Fields::of_action(&refused, &["replay"], Fields::default()),
        endpoint: tracked.endpoint,
    };
    page.frame.answer(&page)
}

pub async fn secret(desk: &Desk, endpoint: &Endpoint, is_rotated: bool) -> Answer {
    let page = Issued {
        frame: desk.frame(PATH, "Secret"),
        endpoint,
        owner: desk.owner(endpoint.owner).await?,
        secret: endpoint.secret.reveal(),
        overlap: is_rotated.then(|| SECRET_OVERLAP.whole_hours()),
    };
    page.frame.answer(&page)
}

fn settings(endpoint: &Endpoint) -> Fields {
    let description = endpoint.description.clone();
    let mut fields = vec![
        ("url", endpoint.url.as_str().to_owned()),
        ("description", description.unwrap_or_default()),
    ];
    if endpoint.include_posting {
        fields.push(("include_posting", "yes".to_owned()));
    }
    let names = endpoint.names.iter().flatten();
    fields.extend(names.map(|name| ("type", name.to_string())));
    Fields::with_values(fields)
}

/// Id, prefixes and health, which the form cannot change.
fn facts(tracked: &TrackedEndpoint) -> Vec<(&'static str, String)> {
    let (endpoint, health) = (&tracked.endpoint, &tracked.health);
    let prefixes = match endpoint.owner {
        Owner::Client(_) => "those of its client".to_owned(),
        Owner::Operator if endpoint.prefixes.are_all() => "whole board".to_owned(),
        Owner::Operator => endpoint.prefixes.as_slice().join(", "),
    };
    let quiet = health.open_until.filter(|_| health.is_half_open());
    text::stated([
        ("Id", endpoint.id.to_string()),
        ("Prefixes", prefixes),
        ("Created (UTC)", text::minute(endpoint.created_at)),
        (
            "Last success (UTC)",
            text::optional_minute(health.last_success_at),
        ),
        (
            "Failing since (UTC)",
            text::optional_minute(health.failing_since),
        ),
        ("Silent, next try (UTC)", text::optional_minute(quiet)),
    ])
}

fn did(action: &str) -> Option<&'static str> {
    Some(match action {
        "pause" => "The webhook is paused; its events wait.",
        "resume" => "The webhook is active; waiting events follow.",
        "update" => "The settings are saved.",
        "replay" => "The events since then are delivered again, as far as they are kept.",
        "resend" => "The event is delivered again.",
        _ => return None,
    })
}

#[derive(Template)]
#[template(path = "webhooks/delivery.html")]
struct Delivery {
    frame: Frame,
    webhook: EndpointId,
    event: Cursor,
    posting: Option<(String, Uuid)>,
    /// `None` if the event is no longer kept.
    payload: Option<String>,
    has_posting: bool,
    attempts: Vec<DeliveryRecord>,
}

pub async fn delivery(desk: Desk, path: web::Path<(String, String)>) -> Answer {
    let webhook = id(&path.0)?;
    let event: Cursor = path.1.parse().map_err(|_| Failure::NotFound)?;
    let (webhooks, ports) = (desk.webhooks(), desk.ports());
    let attempts = webhooks.deliveries(webhook, DELIVERIES_KEPT).await?;
    let attempts = attempts.into_iter().map(|logged| logged.record);
    let attempts: Vec<_> = attempts.filter(|record| record.event == event).collect();
    let (found, posting) = match webhooks
        .content(webhook, event, &*ports.stores.postings)
        .await
    {
        Ok((found, posting)) => (Some(found), posting),
        Err(WebhookError::EventNotFound) if !attempts.is_empty() => (None, None),
        Err(WebhookError::EventNotFound) => return Err(Failure::NotFound),
        Err(error) => return Err(error.into()),
    };
    let shown = |found: &RecordedEvent| {
        let shown = DeliveredEvent::new(
            &found.event,
            posting.as_ref(),
            ports.appeal.as_deref(),
            desk.pages(),
        )?;
        Some(serde_json::to_string_pretty(&shown))
    };
    let payload = found.as_ref().and_then(shown).transpose();
    let page = Delivery {
        frame: desk.frame(PATH, "Delivery"),
        webhook,
        event,
        posting: found.as_ref().and_then(posting_of),
        payload: payload.map_err(Failure::broken)?,
        has_posting: posting.is_some(),
        attempts,
    };
    page.frame.answer(&page)
}

fn posting_of(event: &RecordedEvent) -> Option<(String, Uuid)> {
    match &event.event.subject {
        Subject::Posting(posting) => {
            Some((posting.source_identifier.to_string(), posting.id.uuid()))
        }
        _ => None,
    }
}
