//! One event that was delivered: its payload, and the attempts at it.

use actix_web::web;
use askama::Template;
use kernel::event::{Cursor, RecordedEvent, Subject};
use uuid::Uuid;
use webhooks::{DELIVERIES_KEPT, DeliveryRecord, EndpointId, WebhookError};

use super::desk::{Desk, PATH, id};
use crate::{
    error::{Answer, Failure},
    page::{self, Frame},
};

#[derive(Template)]
#[template(path = "webhooks/delivery.html")]
struct Show {
    frame: Frame,
    webhook: EndpointId,
    event: Cursor,
    /// The identifier and the id of its posting.
    posting: Option<(String, Uuid)>,
    /// `None` if the event is no longer kept.
    payload: Option<String>,
    has_posting: bool,
    attempts: Vec<DeliveryRecord>,
}

/// An event of a webhook.
pub async fn delivery(desk: Desk, path: web::Path<(String, String)>) -> Answer {
    let webhook = id(&path.0)?;
    let event: Cursor = path.1.parse().map_err(|_| Failure::NotFound)?;
    let (webhooks, ports) = (desk.webhooks(), desk.ports());
    let attempts = webhooks.deliveries(webhook, DELIVERIES_KEPT).await?;
    let attempts = attempts.into_iter().map(|logged| logged.record);
    let attempts: Vec<_> = attempts.filter(|record| record.event == event).collect();
    let (found, posting) = match webhooks.content(webhook, event, &*ports.postings).await {
        Ok((found, posting)) => (Some(found), posting),
        Err(WebhookError::EventNotFound) if !attempts.is_empty() => (None, None),
        Err(error) => return Err(error.into()),
    };
    let write = |found: &RecordedEvent| (ports.event_text)(&found.event, posting.as_ref());
    let page = Show {
        frame: desk.frame(PATH, "Delivery"),
        webhook,
        event,
        posting: found.as_ref().and_then(of),
        payload: found.as_ref().and_then(write),
        has_posting: posting.is_some(),
        attempts,
    };
    page::answer(&page, 200)
}

fn of(event: &RecordedEvent) -> Option<(String, Uuid)> {
    match &event.event.subject {
        Subject::Posting(posting) => {
            Some((posting.source_identifier.to_string(), posting.id.uuid()))
        }
        _ => None,
    }
}
