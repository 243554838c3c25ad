//! `/webhooks`: endpoints, their deliveries, and what operators do with them.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION, web};
use askama::Template;
use domain::{
    audit::Attribution,
    day,
    field::Patch,
    usecase::{ManagedWebhooks, Manager, WebhookError},
    webhook::{
        DELIVERIES_KEPT, DeliveryRecord, EndpointBacklog, EndpointChange, EndpointId, Owner,
        TrackedEndpoint, WantedState,
    },
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    error::{Answer, Failure},
    form::Form,
    page,
    query::Query,
    session::SignedIn,
    state::State,
    text,
};

const PATH: &str = "/webhooks";
/// Endpoints of a page.
const ENDPOINTS: usize = 200;

#[derive(Template)]
#[template(path = "webhooks.html")]
struct Page {
    head: page::Head,
    frame: page::Frame,
    rows: Vec<Row>,
    next: Option<String>,
    shown: Option<Shown>,
}

struct Row {
    tracked: TrackedEndpoint,
    owner: Option<String>,
    waiting: usize,
    behind: String,
}

struct Shown {
    tracked: TrackedEndpoint,
    deliveries: Vec<DeliveryRecord>,
}

impl From<WebhookError> for Failure {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::NotFound => Self::NotFound,
            WebhookError::Store(error) => error.into(),
            error => Self::conflict(error),
        }
    }
}

fn managed<'a>(state: &'a State, by: &'a Attribution) -> ManagedWebhooks<'a> {
    ManagedWebhooks {
        webhooks: &*state.ports.webhooks,
        log: &*state.ports.log,
        sender: &*state.ports.sender,
        by: Manager::Operator(by),
    }
}

/// The endpoints, or one with its deliveries.
pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    let mut frame = page::Frame::of(&request, PATH)?;
    let query = Query::of(&request);
    frame.notice = query.get("did").and_then(did).map(str::to_owned);
    let by = SignedIn::of(&request)?.attribution();
    let webhooks = managed(&state, &by);
    if let Some(id) = query.get("id") {
        let id: EndpointId = id.parse().map_err(|_| Failure::NotFound)?;
        let shown = Shown {
            tracked: webhooks.find(id).await?,
            deliveries: webhooks.deliveries(id, DELIVERIES_KEPT).await?,
        };
        let page = Page {
            head: page::Head::new("Webhook"),
            frame,
            rows: Vec::new(),
            next: None,
            shown: Some(shown),
        };
        return page::answer(&page, 200);
    }
    let after = query.get("after").map(str::parse::<EndpointId>).transpose();
    let after = after.map_err(|_| Failure::field("after: this is no place in the list"))?;
    let mut found = webhooks.list(after, ENDPOINTS + 1).await?;
    let has_more = found.len() > ENDPOINTS;
    found.truncate(ENDPOINTS);
    let next = found.last().filter(|_| has_more);
    let next = next.map(|last| query.with(PATH, "after", &last.endpoint.id.to_string()));
    let backlog = state.ports.webhooks.backlog(1_000).await?;
    let backlog: HashMap<_, _> = backlog.into_iter().map(|one| (one.endpoint, one)).collect();
    let now = state.now();
    let rows = found
        .into_iter()
        .map(|tracked| row(tracked, &backlog, now))
        .collect();
    let page = Page {
        head: page::Head::new("Webhooks"),
        frame,
        rows,
        next,
        shown: None,
    };
    page::answer(&page, 200)
}

fn row(
    tracked: TrackedEndpoint,
    backlog: &HashMap<EndpointId, EndpointBacklog>,
    now: OffsetDateTime,
) -> Row {
    let behind = backlog.get(&tracked.endpoint.id);
    let since = behind.and_then(|behind| behind.behind_since);
    Row {
        owner: match tracked.endpoint.owner {
            Owner::Client(id) => Some(id.to_string()),
            Owner::Operator => None,
        },
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
        _ => return None,
    })
}

/// Pauses, resumes, tests or replays.
pub async fn act(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let signed_in = SignedIn::of(&request)?;
    let form = Form::checked(&request, payload, &state, &signed_in).await?;
    let id = form.get("id").unwrap_or_default();
    let id: EndpointId = id.parse().map_err(|_| Failure::NotFound)?;
    let by = signed_in.attribution();
    let (webhooks, now) = (managed(&state, &by), state.now());
    let set = |state| EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    let action = form.get("action").unwrap_or_default();
    match action {
        "pause" => drop(webhooks.update(id, &set(WantedState::Paused), now).await?),
        "resume" => drop(webhooks.update(id, &set(WantedState::Active), now).await?),
        "replay" => webhooks.replay(id, since(&form)?, now).await?,
        "test" => return test(&request, &state, &webhooks, id).await,
        _ => return Err(Failure::field("action: must be one of those on the page")),
    }
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, format!("{PATH}?id={id}&did={action}")))
        .finish())
}

fn since(form: &Form) -> Result<OffsetDateTime, Failure> {
    let text = form.get("since").unwrap_or_default();
    let at = match day::parse(text) {
        Some(day) => Some(day.midnight().assume_utc()),
        None => OffsetDateTime::parse(text, &Rfc3339).ok(),
    };
    at.map(domain::microseconds).ok_or_else(|| {
        Failure::field(format!(
            "since: {text:?} is neither a day such as 2026-03-01 nor a time such as \
             2026-03-01T12:00:00Z"
        ))
    })
}

/// Sends a ping, and shows what came of it.
async fn test(
    request: &HttpRequest,
    state: &State,
    webhooks: &ManagedWebhooks<'_>,
    id: EndpointId,
) -> Answer {
    let now = state.now();
    webhooks.announce_test(id, &*state.ports.store, now).await?;
    let (delivery, body) = (state.ports.new_ping)(now)
        .ok_or_else(|| Failure::Broken("a ping cannot be written".to_owned()))?;
    let attempt = webhooks.test(id, (&delivery, &body), now).await?;
    let took = attempt.duration.as_millis();
    let mut frame = page::Frame::of(request, PATH)?;
    let status = attempt.outcome.status();
    let status = status.map(|status| format!("The receiver answered {status}"));
    let error = attempt
        .error
        .map(|error| format!(": {error}"))
        .unwrap_or_default();
    let status = status.unwrap_or_else(|| "The receiver did not answer".to_owned());
    frame.notice = Some(format!("{status} after {took} ms{error}."));
    let shown = Shown {
        tracked: webhooks.find(id).await?,
        deliveries: webhooks.deliveries(id, DELIVERIES_KEPT).await?,
    };
    let page = Page {
        head: page::Head::new("Webhook"),
        frame,
        rows: Vec::new(),
        next: None,
        shown: Some(shown),
    };
    page::answer(&page, 200)
}
