//! One webhook with its deliveries, its forms, and its secret once.

use actix_web::web;
use askama::Template;
use domain::posting::event::PUBLIC;
use kernel::event::EventName;
use webhooks::{
    DELIVERIES_KEPT, Endpoint, EndpointId, LoggedDelivery, Owner, SECRET_OVERLAP, TrackedEndpoint,
};

use super::desk::{Desk, PATH, id};
use crate::{
    by::By,
    error::Answer,
    form::Fields,
    page::{self, Frame},
    text,
};

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
    /// How long the secret before it signs too; `None` for the first one.
    overlap: Option<i64>,
}

/// One endpoint with its deliveries.
pub async fn show(desk: Desk, path: web::Path<String>) -> Answer {
    let notice = desk.done();
    let notice = notice.as_deref().and_then(did).map(str::to_owned);
    one(&desk, id(&path)?, notice, Fields::default()).await
}

/// One endpoint, and its forms, one of which may have been refused.
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
    page::answer(&page, page.frame.status)
}

/// The secret of an endpoint, once.
pub async fn secret(desk: &Desk, endpoint: &Endpoint, is_rotated: bool) -> Answer {
    let page = Issued {
        frame: desk.frame(PATH, "Secret"),
        endpoint,
        owner: desk.owner(endpoint.owner).await?,
        secret: endpoint.secret.reveal(),
        overlap: is_rotated.then(|| SECRET_OVERLAP.whole_hours()),
    };
    page::answer(&page, 200)
}

/// What its owner may change, as the form shows it.
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

/// What is not in the form.
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
        "resume" => "The webhook is active; what waited follows.",
        "update" => "The settings are saved.",
        "replay" => "The events since then are delivered again, as far as they are kept.",
        "resend" => "The event is delivered again.",
        _ => return None,
    })
}
